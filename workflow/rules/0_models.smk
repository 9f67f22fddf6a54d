# Stage 0: small random checkpoints, which replace the pretrained ones that a scale lists; these are not read.
#
# Other rules whose jobs run where snakemake itself does are like this one (`use rule`).


rule checkpoint:
    input:
        needs("checkpoint"),
    output:
        update(paths.CHECKPOINT / "manifest.json"),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job "$(dirname {output:q})"'
