# Small random checkpoints, at a scale that lists folders of pretrained ones: they stand for these, which are not read.
#
# needs: nothing
# makes: results/0_models/<name>@<scale>/{config.json, model.safetensors, tokenizer.json}
# steps: draw weights | take pieces from generated text


if GRID.checkpoints:

    rule checkpoint:
        input:
            settings="results/0_models/{checkpoint}/settings.json",
        output:
            config="results/0_models/{checkpoint}/config.json",
            weights="results/0_models/{checkpoint}/model.safetensors",
            tokenizer="results/0_models/{checkpoint}/tokenizer.json",
        log:
            "logs/0_models/{checkpoint}.log",
        localrule: True
        conda:
            "../../envs/docmt.yaml"
        shell:
            "docmt made-checkpoint --settings {input.settings:q} --output $(dirname {output.config:q}) 2>&1 | tee {log:q}"
