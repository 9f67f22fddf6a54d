# Stage 6: translations.
#
# needs: a model and the test segments of its view, with their lexical chains where the model reads them
# makes: results/6_translations/<scale>/<corpus>/<system>/seed<n>/ {test.txt, test.tok.txt, decoding.json} and, where
#        the corpus has contrastive sets, contrastive.arrow with a forced score of each variant (contrastive.whole.arrow
#        where whole targets are compared); for figures of attention also inside.arrow
#        results/6_passages/<scale>/<corpus>/<system>/seed<n>/<study>/<passage>/passages.json
# steps: beam search, one output line per input line | forced scoring | attention to lexical chains of a dev document |
#        translate the sentences that a study states


rule translate:
    input:
        unpack(decoding_inputs),
        settings=TRANSLATIONS / "settings.json",
    output:
        text=TRANSLATIONS / "test.txt",
        tokens=TRANSLATIONS / "test.tok.txt",
        counts=TRANSLATIONS / "decoding.json",
    log:
        TRANSLATIONS.log(),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    params:
        chains=chains_option,
    shell:
        'exec docmt job decode-view --settings {input.settings:q} --model {input.model:q} --view "$(dirname {input.view:q})"'
        ' {params.chains} --output "$(dirname {output.counts:q})" --threads {threads} > {log:q} 2>&1'


rule contrastive:
    input:
        unpack(decoding_inputs),
        settings=TRANSLATIONS / "settings.json",
    output:
        TRANSLATIONS / "contrastive{whole,(\\.whole)?}.arrow",
    log:
        TRANSLATIONS.log("contrastive{whole}"),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    params:
        chains=chains_option,
        whole=lambda wildcards: "--whole" if wildcards.whole else "",
    shell:
        "exec docmt job score-variants --settings {input.settings:q} --model {input.model:q}"
        ' --view "$(dirname {input.view:q})"'
        " {params.chains} {params.whole} --output {output:q} --threads {threads} > {log:q} 2>&1"


# The settings are an input only for the version of the stage: the command reads the model and the view alone.
rule inspect:
    input:
        unpack(decoding_inputs),
        settings=TRANSLATIONS / "settings.json",
    output:
        TRANSLATIONS / "inside.arrow",
    log:
        TRANSLATIONS.log("inspect"),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    params:
        chains=chains_option,
    shell:
        'exec docmt inspect --model {input.model:q} --view "$(dirname {input.view:q})"'
        " {params.chains} --output {output:q} --threads {threads} > {log:q} 2>&1"


# There is no view among the inputs: the model folder has the text and the cut of documents.
rule passage:
    input:
        model=passage_model,
        settings=PASSAGE / "settings.json",
    output:
        PASSAGE / "passages.json",
    log:
        PASSAGE.log(),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    shell:
        "exec docmt job translate-passages --settings {input.settings:q} --model {input.model:q} --output {output:q}"
        " --threads {threads} > {log:q} 2>&1"
