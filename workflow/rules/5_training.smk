# Stage 5: training.
#
# Checkpoints are in the job's folder and the output of no rule, so that a job that was killed or preempted continues. On
# a cluster a job ends itself, with status 75, two minutes before its time limit. A training has a rank for each of its
# GPUs (`gpu`, of all of its `nodes` together).


rule train:
    input:
        needs("train"),
    output:
        update(paths.TRAINING / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    resources:
        gpu=hint("train", "gpus"),
        runtime=hint("train", "minutes"),
        nodes=1,
    shell:
        "docmt job train $(dirname {output:q}) --threads {threads} --nodes {resources.nodes}"
        " --ranks $(({resources.gpu} > {resources.nodes} ? {resources.gpu} : {resources.nodes}))"
        " ${{DOCMT_ON_CLUSTER:+--deadline-minutes $(({resources.runtime} > 2 ? {resources.runtime} - 2 : 0))}}"
