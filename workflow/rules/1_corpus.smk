# Stage 1: corpora: downloaded and verified files, or generated ones, read into one form.


use rule checkpoint as fixture with:
    input:
        needs("fixture"),
    output:
        update(paths.FIXTURE / "manifest.json"),
    localrule: True


# A file that is there is not downloaded again, whatever the mirror is.
rule download:
    output:
        f"{paths.DOWNLOADS}/{{file}}",
    localrule: DRIVER.downloads_here
    conda:
        "../../envs/docmt.yaml"
    resources:
        runtime=grows(480),
    shell:
        'exec docmt job "$(dirname {output:q})" --part {wildcards.file:q}'


# Other rules whose jobs a cluster runs, and which need no GPU, are like this one (`use rule`).
rule corpus:
    input:
        needs("corpus"),
    output:
        update(paths.CORPUS / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job "$(dirname {output:q})" --threads {threads}'
