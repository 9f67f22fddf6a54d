"""Stage 2: tokens, case, subword pieces and vocabularies, and the way back to plain text."""
