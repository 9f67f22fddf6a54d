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
        'exec docmt job translate "$(dirname {output:q})" --threads {threads}'


rule adopt:
    input:
        needs("adopt"),
    output:
        update(paths.ADOPTED / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job adopt "$(dirname {output:q})"'


rule ask:
    input:
        needs("ask"),
    output:
        update(paths.ASKED / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job ask "$(dirname {output:q})"'


rule contrastive:
    input:
        needs("contrastive"),
    output:
        update(paths.CONTRASTIVE / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    resources:
        mem_mb=grows(8000),
        runtime=grows(240),
        gpu=gpus("contrastive"),
    shell:
        'exec docmt job contrastive "$(dirname {output:q})" --threads {threads}'


rule contrastive_whole:
    input:
        needs("contrastive_whole"),
    output:
        update(paths.CONTRASTIVE_WHOLE / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    resources:
        mem_mb=grows(8000),
        runtime=grows(240),
        gpu=gpus("contrastive_whole"),
    shell:
        'exec docmt job contrastive_whole "$(dirname {output:q})" --threads {threads}'


rule inspect:
    input:
        needs("inspect"),
    output:
        update(paths.INSIDE / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    resources:
        mem_mb=grows(8000),
        runtime=grows(60),
        gpu=gpus("inspect"),
    shell:
        'exec docmt job inspect "$(dirname {output:q})" --threads {threads}'


rule passage:
    input:
        needs("passage"),
    output:
        update(paths.PASSAGE / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    resources:
        mem_mb=grows(8000),
        runtime=grows(60),
        gpu=gpus("passage"),
    shell:
        'exec docmt job passage "$(dirname {output:q})" --threads {threads}'
