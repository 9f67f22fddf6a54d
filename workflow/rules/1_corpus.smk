# Stage 1: corpora.
#
# needs: workflow/corpora/<corpus>.yaml
# makes: results/1_corpus/<corpus>/{documents.parquet, card.json} and, where the corpus has them, contrastive.parquet;
#        at a scale with `fixtures` these files, and those of stages 2 to 4, are in folders <corpus>@<scale>
# steps: write the settings of a job (all stages) | download and verify, or generate | read into one form and validate


# The settings of every job of every stage: its slice of the grid, in canonical order.
rule settings:
    output:
        "results/{path}/settings.json",
    log:
        "logs/settings/{path}.log",
    wildcard_constraints:
        path="[0-8]_[a-z]+/.+",
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    params:
        slice=settings_slice,
    shell:
        # The file is written beside its place and renamed, so that a full disk leaves no part of it under its name.
        "printf '%s\\n' {params.slice:q} 2> {log:q} > {output:q}.part && mv {output:q}.part {output:q}"


if GRID.fixtures:

    # The constraint keeps the rule in folders of this scale: a folder of real downloads must never be an output, which
    # snakemake would delete before a job.
    rule fixture:
        input:
            settings=CORPUS / "settings.json",
        output:
            directory(CORPUS / "downloads"),
        log:
            CORPUS.log("fixture"),
        wildcard_constraints:
            corpus=f"[^/@]+@{GRID.scale}",
        localrule: True
        conda:
            "../../envs/docmt.yaml"
        shell:
            "exec docmt job make-fixture --settings {input.settings:q} --output {output:q} > {log:q} 2>&1"

else:

    # The mirror is in DOCMT_MIRROR and is not a param, so that a changed mirror downloads nothing again.
    rule download:
        output:
            CORPUS / "downloads/{file}",
        log:
            CORPUS.log("download.{file}"),
        localrule: True
        conda:
            "../../envs/docmt.yaml"
        params:
            catalogue=catalogue,
        shell:
            "exec docmt job fetch-file --catalogue {params.catalogue:q} --file {wildcards.file:q}"
            " --lock workflow/corpora/checksums.lock.json --output {output:q} > {log:q} 2>&1"


rule corpus:
    input:
        settings=CORPUS / "settings.json",
        downloads=downloads,
    output:
        documents=CORPUS / "documents.parquet",
        card=CORPUS / "card.json",
    log:
        CORPUS.log("read"),
    conda:
        "../../envs/docmt.yaml"
    shell:
        "exec docmt job read-corpus --settings {input.settings:q}"
        ' --downloads "$(dirname {output.documents:q})/downloads" --output "$(dirname {output.documents:q})" > {log:q} 2>&1'
