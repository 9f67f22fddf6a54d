# Stage 0: small random checkpoints, which replace the pretrained ones that a scale lists; these are not read.


rule checkpoint:
    input:
        needs("checkpoint"),
    output:
        update(paths.CHECKPOINT / "manifest.json"),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job checkpoint "$(dirname {output:q})"'
