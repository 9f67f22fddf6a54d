# Stage 5: training.
#
# Checkpoints are in the job's folder and the output of no rule, so that a job that was killed or preempted continues. On
# a cluster a job ends itself, with status 75, two minutes before its time limit. A training has a rank for each of its
# GPUs (`gpu`, of all of its `nodes` together), and starts itself on each node.


rule train:
    input:
        needs("train"),
    output:
        update(paths.TRAINING / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    resources:
        mem_mb=grows(8000),
        runtime=minutes("train"),
        gpu=gpus("train"),
        nodes=1,
        cpus_per_gpu=lambda wildcards, threads: threads,
    shell:
        'exec docmt job "$(dirname {output:q})" --threads {threads} --nodes {resources.nodes}'
        " --ranks $(({resources.gpu} > {resources.nodes} ? {resources.gpu} : {resources.nodes}))"
        " ${{DOCMT_ON_CLUSTER:+--deadline-minutes $(({resources.runtime} > 2 ? {resources.runtime} - 2 : 0))}}"
