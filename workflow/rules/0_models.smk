# Stage 0: small random checkpoints, which replace the pretrained ones that a scale lists; these are not read.
#
# needs: nothing
# makes: results/0_models/<name>@<scale>/{config.json, model.safetensors, tokenizer.json}; for awesome-align {config.json,
#        pytorch_model.bin, vocab.txt, tokenizer_config.json}
# steps: draw random weights | take pieces from generated text


rule checkpoint:
    input:
        settings=CHECKPOINT / "settings.json",
    output:
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
    shell:
        'exec docmt job make-checkpoint --settings {input.settings:q} --output "$(dirname {output.config:q})"'
        " > {log:q} 2>&1"


rule aligner_checkpoint:
    input:
        settings=CHECKPOINT / "settings.json",
    output:
        random_checkpoint_files(str(CHECKPOINT), ALIGNER_FILES),
    log:
        CHECKPOINT.log(),
    wildcard_constraints:
        checkpoint=checkpoints_of_kind("aligner"),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job make-checkpoint --settings {input.settings:q} --output "$(dirname {input.settings:q})" > {log:q} 2>&1'
