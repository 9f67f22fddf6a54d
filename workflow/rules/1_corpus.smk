# Stage 1: corpora.
#
# needs: workflow/corpora/<corpus>.yaml
# makes: results/1_corpus/<corpus>/{documents.parquet, card.json} and, where the corpus has them, contrastive.parquet;
#        at a scale with `fixtures` these files, and those of stages 2 to 4, are in folders <corpus>@<scale>
# steps: download and verify, or generate | read into one form and validate


if GRID.fixtures:

    # The constraint keeps the rule in folders of this scale: a folder of real downloads must never be an output, which
    # snakemake would delete before a job.
    rule fixture:
        output:
            manifest=CORPUS / "downloads.manifest.json",
            folder=directory(CORPUS / "downloads"),
        log:
            CORPUS.log("fixture"),
        wildcard_constraints:
            corpus=f"[^/@]+@{GRID.scale}",
        localrule: True
        conda:
            "../../envs/docmt.yaml"
        params:
            job=recipe_of("fixture"),
        shell:
            "exec docmt job fixture {params.job:q} > {log:q} 2>&1"

else:

    # A file that is there is not downloaded again, whatever the mirror is.
    rule download:
        output:
            CORPUS / "downloads/{file}",
        log:
            CORPUS.log("download.{file}"),
        localrule: GRID.downloads == "login"
        conda:
            "../../envs/docmt.yaml"
        params:
            catalogue=catalogue,
            lock=LOCK,
        shell:
            "exec docmt job fetch-file --catalogue {params.catalogue:q} --file {wildcards.file:q}"
            " --lock {params.lock:q} --output {output:q} > {log:q} 2>&1"


rule corpus:
    input:
        corpus_inputs,
    output:
        manifest=CORPUS / "manifest.json",
        documents=CORPUS / "documents.parquet",
        card=CORPUS / "card.json",
    log:
        CORPUS.log("read"),
    conda:
        "../../envs/docmt.yaml"
    params:
        job=recipe_of("corpus"),
    shell:
        "exec docmt job corpus {params.job:q} > {log:q} 2>&1"
