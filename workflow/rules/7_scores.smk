# Stage 7: word vectors and aligners of a corpus, the scores of a system, and the p-values of a table.


rule word_vectors:
    input:
        needs("word_vectors"),
    output:
        update(paths.VECTORS / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job word_vectors "$(dirname {output:q})"'


rule aligner:
    input:
        needs("aligner"),
    output:
        update(paths.ALIGNER / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    resources:
        mem_mb=grows(6000),
    shell:
        'exec docmt job aligner "$(dirname {output:q})"'


rule scores:
    input:
        needs("scores"),
    output:
        update(paths.SCORES / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job scores "$(dirname {output:q})"'


rule compare:
    input:
        needs("compare"),
    output:
        update(paths.COMPARISON / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job compare "$(dirname {output:q})"'
