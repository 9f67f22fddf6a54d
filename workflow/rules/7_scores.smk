# Stage 7: word vectors and aligners of a corpus, the scores of a system, and the p-values of a table.


use rule corpus as word_vectors with:
    input:
        needs("word_vectors"),
    output:
        update(paths.VECTORS / "manifest.json"),


use rule corpus as aligner with:
    input:
        needs("aligner"),
    output:
        update(paths.ALIGNER / "manifest.json"),
    resources:
        mem_mb=grows(6000),


use rule corpus as scores with:
    input:
        needs("scores"),
    output:
        update(paths.SCORES / "manifest.json"),


use rule corpus as compare with:
    input:
        needs("compare"),
    output:
        update(paths.COMPARISON / "manifest.json"),
