# Stage 5: training.
#
# needs: a view, its text, and the model of the system that `init_from` names, or the checkpoint of `pretrained`
# makes: results/5_training/<scale>/<corpus>/<system>/seed<n>/ {model/, metrics.jsonl, record.json}
# steps: train until a stop rule. Checkpoints are under results/state/, which is the output of no rule, so snakemake
#        never deletes them: a job that was killed or preempted continues from its last checkpoint. On a cluster a job
#        ends itself, with status 75, two minutes before its time limit. The state of other settings is set aside
# ranks: one for each of the job's GPUs (`gpu`, of all of its `nodes` together). On several nodes Slurm's `srun` starts
#        the command once on each of them, and the job asks for one task on each


rule train:
    input:
        unpack(inputs_of("train")),
    output:
        manifest=TRAINING / "manifest.json",
        model=directory(TRAINING / "model"),
        metrics=TRAINING / "metrics.jsonl",
        record=TRAINING / "record.json",
    log:
        TRAINING.log(),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    resources:
        gpu=estimated("train", "gpus"),
        runtime=estimated("train", "minutes"),
        nodes=1,
        mpi=on_several_nodes(lambda nodes: "srun"),
        tasks=on_several_nodes(lambda nodes: nodes),
        tasks_per_gpu=on_several_nodes(lambda nodes: 0),
        cpus_per_task=cpus_of_ranks,
    params:
        job=recipe_of("train"),
        on_each_node=on_each_node,
    shell:
        "exec {params.on_each_node} docmt job train {params.job:q} --threads {threads} --nodes {resources.nodes}"
        " --ranks $(({resources.gpu} > {resources.nodes} ? {resources.gpu} : {resources.nodes}))"
        " ${{DOCMT_ON_CLUSTER:+--deadline-minutes $(({resources.runtime} > 2 ? {resources.runtime} - 2 : 0))}} > {log:q} 2>&1"
