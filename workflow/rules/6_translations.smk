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
        job=recipe_of("translate"),
    shell:
        "exec docmt job translate {params.job:q} --threads {threads} > {log:q} 2>&1"


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
        job=recipe_of("adopt"),
    shell:
        "exec docmt job adopt {params.job:q} > {log:q} 2>&1"


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
        job=recipe_of("ask"),
    shell:
        "exec docmt job ask {params.job:q} > {log:q} 2>&1"


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
        job=recipe_of("contrastive"),
    shell:
        "exec docmt job contrastive {params.job:q} --threads {threads} > {log:q} 2>&1"


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
        job=recipe_of("inspect"),
    shell:
        "exec docmt job inspect {params.job:q} --threads {threads} > {log:q} 2>&1"


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
        job=recipe_of("passage"),
    shell:
        "exec docmt job passage {params.job:q} --threads {threads} > {log:q} 2>&1"
