# Stage 6: translations.
#
# needs: a model and the test segments of its view, with their lexical chains where the model reads them; for an external
#        system, the user's file of its translations, or a program that makes them
# makes: results/6_translations/<scale>/<corpus>/<system>/seed<n>/ {test.txt, test.tok.txt, decoding.json} and, where
#        the corpus has contrastive sets, contrastive.arrow with a forced score of each variant (contrastive.whole.arrow
#        where whole targets are compared); for figures of attention also inside.arrow
#        results/6_passages/<scale>/<corpus>/<system>/seed<n>/<study>/<passage>/passages.json
# steps: beam search, one output line per input line | check and adopt the lines of an external system | ask a
#        program, whose answers so far are under results/state/, the output of no rule | forced scoring |
#        attention to lexical chains of a dev document |
#        translate the sentences that a study states


rule translate:
    input:
        unpack(inputs_of("translate")),
    output:
        manifest=TRANSLATIONS / "manifest.json",
        text=TRANSLATIONS / "test.txt",
        tokens=TRANSLATIONS / "test.tok.txt",
        counts=TRANSLATIONS / "decoding.json",
    log:
        TRANSLATIONS.log(),
    wildcard_constraints:
        system=rf"(?!(?:{systems_of('translations')}|{systems_of('command')})/)[^/]+",
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    resources:
        gpu=estimated("translate", "gpus"),
        runtime=estimated("translate", "minutes"),
    params:
        settings=settings_of("translate"),
        chains=folder_option("translate", "chains", "--chains"),
    shell:
        'exec docmt job decode-view --settings {params.settings:q} --model "$(dirname {input.model:q})"'
        ' --view "$(dirname {input.view:q})" {params.chains} --output "$(dirname {output.counts:q})" --threads {threads} > {log:q} 2>&1'


rule adopt:
    input:
        unpack(inputs_of("adopt")),
    output:
        manifest=TRANSLATIONS / "manifest.json",
        text=TRANSLATIONS / "test.txt",
        tokens=TRANSLATIONS / "test.tok.txt",
        counts=TRANSLATIONS / "decoding.json",
    log:
        TRANSLATIONS.log(),
    wildcard_constraints:
        system=systems_of("translations"),
    conda:
        "../../envs/docmt.yaml"
    params:
        settings=settings_of("adopt"),
        translations=translations_option,
    shell:
        'exec docmt job adopt-translations --settings {params.settings:q} --corpus "$(dirname {input.corpus:q})"'
        ' --tokens "$(dirname {input.tokens:q})" {params.translations}'
        ' --output "$(dirname {output.counts:q})" > {log:q} 2>&1'


rule ask:
    input:
        unpack(inputs_of("ask")),
    output:
        manifest=TRANSLATIONS / "manifest.json",
        text=TRANSLATIONS / "test.txt",
        tokens=TRANSLATIONS / "test.tok.txt",
        counts=TRANSLATIONS / "decoding.json",
    log:
        TRANSLATIONS.log(),
    wildcard_constraints:
        system=systems_of("command"),
    conda:
        "../../envs/docmt.yaml"
    params:
        settings=settings_of("ask"),
        program=program_options,
    shell:
        'exec docmt job ask-program --settings {params.settings:q} --corpus "$(dirname {input.corpus:q})"'
        ' --tokens "$(dirname {input.tokens:q})" {params.program} --output "$(dirname {output.counts:q})"'
        f" --state {TRANSLATIONS.states}/"
        "{wildcards.scale:q}/{wildcards.corpus:q}/{wildcards.system:q}/seed{wildcards.seed:q} > {log:q} 2>&1"


rule contrastive:
    input:
        unpack(inputs_of("contrastive")),
    output:
        manifest=TRANSLATIONS / "contrastive{whole}.manifest.json",
        scores=TRANSLATIONS / "contrastive{whole}.arrow",
    log:
        TRANSLATIONS.log("contrastive{whole}"),
    wildcard_constraints:
        whole=r"(?:\.whole)?",
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    resources:
        gpu=estimated("contrastive", "gpus"),
        runtime=240,
    params:
        settings=settings_of("contrastive"),
        chains=folder_option("contrastive", "chains", "--chains"),
        whole=lambda wildcards: "--whole" if wildcards.whole else "",
    shell:
        'exec docmt job score-variants --settings {params.settings:q} --model "$(dirname {input.model:q})"'
        ' --view "$(dirname {input.view:q})"'
        " {params.chains} {params.whole} --output {output.scores:q} --threads {threads} > {log:q} 2>&1"


rule inspect:
    input:
        unpack(inputs_of("inspect")),
    output:
        manifest=TRANSLATIONS / "inside.manifest.json",
        inside=TRANSLATIONS / "inside.arrow",
    log:
        TRANSLATIONS.log("inspect"),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    resources:
        gpu=estimated("inspect", "gpus"),
        runtime=60,
    params:
        settings=settings_of("inspect"),
        chains=folder_option("inspect", "chains", "--chains"),
    shell:
        'exec docmt job inspect-system --settings {params.settings:q} --model "$(dirname {input.model:q})"'
        ' --view "$(dirname {input.view:q})"'
        " {params.chains} --output {output.inside:q} --threads {threads} > {log:q} 2>&1"


# There is no view among the inputs: the model folder has the text and the cut of documents.
rule passage:
    input:
        unpack(inputs_of("passage")),
    output:
        manifest=PASSAGE / "manifest.json",
        passages=PASSAGE / "passages.json",
    log:
        PASSAGE.log(),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    resources:
        gpu=estimated("passage", "gpus"),
        runtime=60,
    params:
        settings=settings_of("passage"),
    shell:
        'exec docmt job translate-passages --settings {params.settings:q} --model "$(dirname {input.model:q})"'
        " --output {output.passages:q}"
        " --threads {threads} > {log:q} 2>&1"
