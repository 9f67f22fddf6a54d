# Stage 4: lexical chains: of whole documents by words, and of a view's segments by pieces.


use rule corpus as chain_words with:
    input:
        needs("chain_words"),
    output:
        update(paths.CHAIN_WORDS / "manifest.json"),


use rule corpus as chain_segments with:
    input:
        needs("chain_segments"),
    output:
        update(paths.CHAINS / "manifest.json"),
