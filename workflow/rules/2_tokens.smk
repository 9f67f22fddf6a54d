# Stage 2: tokens: words, cases, BPE and vocabularies; in one job, or in the parts that config.yaml's `shards` states.

PARTS = f"{paths.TOKENS}/shards"


use rule corpus as tokens with:
    input:
        needs("tokens"),
    output:
        update(paths.TOKENS / "manifest.json"),
    threads: 8
    resources:
        mem_mb=grows(4000),
        runtime=grows(240),


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
        'exec docmt job "$(dirname "$(dirname {output:q})")" --part "$(basename {output:q})" --threads {threads}'


use rule tokens_tokenised as tokens_learnt with:
    input:
        needs("tokens", "learnt"),
    output:
        temp(directory(f"{PARTS}/learnt")),
    threads: 2


use rule tokens_tokenised as tokens_encoded with:
    input:
        f"{PARTS}/tokenised.{{part}}",
        f"{PARTS}/learnt",
    output:
        temp(directory(f"{PARTS}/encoded.{{part}}")),
