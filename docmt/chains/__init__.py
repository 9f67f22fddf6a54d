"""Stage 4: lexical chains, the words that a document repeats."""
