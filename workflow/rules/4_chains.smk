# Stage 4: lexical chains: of whole documents by words, and of a view's segments by pieces.


rule chain_words:
    input:
        needs("chain_words"),
    output:
        update(paths.CHAIN_WORDS / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job chain_words "$(dirname {output:q})" --threads {threads}'


rule chain_segments:
    input:
        needs("chain_segments"),
    output:
        update(paths.CHAINS / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job chain_segments "$(dirname {output:q})" --threads {threads}'
