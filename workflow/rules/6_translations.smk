# Stage 6: translations of trained systems, of files and of programs; forced scores; attention; passages of studies.


rule translate:
    input:
        needs("translate"),
    output:
        update(paths.TRANSLATIONS / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    resources:
        mem_mb=grows(8000),
        runtime=minutes("translate"),
        gpu=gpus("translate"),
    shell:
        'exec docmt job "$(dirname {output:q})" --threads {threads}'


use rule corpus as adopt with:
    input:
        needs("adopt"),
    output:
        update(paths.ADOPTED / "manifest.json"),


use rule corpus as ask with:
    input:
        needs("ask"),
    output:
        update(paths.ASKED / "manifest.json"),


use rule translate as contrastive with:
    input:
        needs("contrastive"),
    output:
        update(paths.CONTRASTIVE / "manifest.json"),
    resources:
        mem_mb=grows(8000),
        runtime=grows(240),
        gpu=gpus("contrastive"),


use rule translate as contrastive_whole with:
    input:
        needs("contrastive_whole"),
    output:
        update(paths.CONTRASTIVE_WHOLE / "manifest.json"),
    resources:
        mem_mb=grows(8000),
        runtime=grows(240),
        gpu=gpus("contrastive_whole"),


use rule translate as context with:
    input:
        needs("context"),
    output:
        update(paths.CONTEXT / "manifest.json"),
    resources:
        mem_mb=grows(8000),
        runtime=grows(240),
        gpu=gpus("context"),


use rule translate as inspect with:
    input:
        needs("inspect"),
    output:
        update(paths.INSIDE / "manifest.json"),
    resources:
        mem_mb=grows(8000),
        runtime=grows(60),
        gpu=gpus("inspect"),


use rule translate as passage with:
    input:
        needs("passage"),
    output:
        update(paths.PASSAGE / "manifest.json"),
    resources:
        mem_mb=grows(8000),
        runtime=grows(60),
        gpu=gpus("passage"),
