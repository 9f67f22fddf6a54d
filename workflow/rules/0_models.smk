# Stage 0: small random checkpoints, which replace the pretrained ones that a scale lists; these are not read.
#
# needs: nothing
# makes: results/0_models/<name>@<scale>/{config.json, model.safetensors, tokenizer.json}; for awesome-align {config.json,
#        pytorch_model.bin, vocab.txt, tokenizer_config.json}
# steps: draw random weights | take pieces from generated text


rule checkpoint:
    output:
        manifest=CHECKPOINT / "manifest.json",
        config=CHECKPOINT / "config.json",
        weights=CHECKPOINT / "model.safetensors",
        tokenizer=CHECKPOINT / "tokenizer.json",
    log:
        CHECKPOINT.log(),
    wildcard_constraints:
        checkpoint=checkpoints_of_kind("mbart", "bert"),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    params:
        job=recipe_of("checkpoint"),
    shell:
        "exec docmt job checkpoint {params.job:q} > {log:q} 2>&1"


rule aligner_checkpoint:
    output:
        random_checkpoint_files(str(CHECKPOINT), ALIGNER_FILES),
        manifest=CHECKPOINT / "manifest.json",
    log:
        CHECKPOINT.log(),
    wildcard_constraints:
        checkpoint=checkpoints_of_kind("aligner"),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    params:
        job=recipe_of("aligner_checkpoint"),
    shell:
        "exec docmt job aligner_checkpoint {params.job:q} > {log:q} 2>&1"
