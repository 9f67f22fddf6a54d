# Stage 2: tokens: words, cases, BPE and vocabularies; in one job, or in the parts that config.yaml's `shards` states.

PARTS = f"{paths.TOKENS}/shards"


rule tokens_tokenised:
    input:
        needs("tokens", "tokenised"),
    output:
        temp(directory(f"{PARTS}/tokenised.{{part}}")),
    conda:
        "../../envs/docmt.yaml"
    threads: 8
    resources:
        mem_mb=grows(4000),
        runtime=grows(240),
    shell:
        'exec docmt job tokens "$(dirname "$(dirname {output:q})")" --part tokenised.{wildcards.part:q} --threads {threads}'


rule tokens_learnt:
    input:
        needs("tokens", "learnt"),
    output:
        temp(directory(f"{PARTS}/learnt")),
    conda:
        "../../envs/docmt.yaml"
    threads: 2
    resources:
        mem_mb=grows(4000),
        runtime=grows(240),
    shell:
        'exec docmt job tokens "$(dirname "$(dirname {output:q})")" --part learnt --threads {threads}'


rule tokens_encoded:
    input:
        f"{PARTS}/tokenised.{{part}}",
        f"{PARTS}/learnt",
    output:
        temp(directory(f"{PARTS}/encoded.{{part}}")),
    conda:
        "../../envs/docmt.yaml"
    threads: 8
    resources:
        mem_mb=grows(4000),
        runtime=grows(240),
    shell:
        'exec docmt job tokens "$(dirname "$(dirname {output:q})")" --part encoded.{wildcards.part:q} --threads {threads}'


rule tokens:
    input:
        needs("tokens"),
    output:
        update(paths.TOKENS / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    threads: 8
    resources:
        mem_mb=grows(4000),
        runtime=grows(240),
    shell:
        'exec docmt job tokens "$(dirname {output:q})" --threads {threads}'
