# Stage 6: translations of trained systems, of files and of programs; forced scores; attention; passages of studies.


rule translate:
    input:
        needs("translate"),
    output:
        update(paths.TRANSLATIONS / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    resources:
        gpu=hint("translate", "gpus"),
        runtime=hint("translate", "minutes"),
    shell:
        "docmt job translate $(dirname {output:q}) --threads {threads}"


rule adopt:
    input:
        needs("adopt"),
    output:
        update(paths.ADOPTED / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    shell:
        "docmt job adopt $(dirname {output:q})"


rule ask:
    input:
        needs("ask"),
    output:
        update(paths.ASKED / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    shell:
        "docmt job ask $(dirname {output:q})"


rule contrastive:
    input:
        needs("contrastive"),
    output:
        update(paths.CONTRASTIVE / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    resources:
        gpu=hint("contrastive", "gpus"),
        runtime=240,
    shell:
        "docmt job contrastive $(dirname {output:q}) --threads {threads}"


rule contrastive_whole:
    input:
        needs("contrastive_whole"),
    output:
        update(paths.CONTRASTIVE_WHOLE / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    resources:
        gpu=hint("contrastive_whole", "gpus"),
        runtime=240,
    shell:
        "docmt job contrastive_whole $(dirname {output:q}) --threads {threads}"


rule inspect:
    input:
        needs("inspect"),
    output:
        update(paths.INSIDE / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    resources:
        gpu=hint("inspect", "gpus"),
        runtime=60,
    shell:
        "docmt job inspect $(dirname {output:q}) --threads {threads}"


rule passage:
    input:
        needs("passage"),
    output:
        update(paths.PASSAGE / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    resources:
        gpu=hint("passage", "gpus"),
        runtime=60,
    shell:
        "docmt job passage $(dirname {output:q}) --threads {threads}"
