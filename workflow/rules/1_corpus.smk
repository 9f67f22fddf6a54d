# Stage 1: corpora: downloaded and verified files, or generated ones, read into one form.


rule fixture:
    input:
        needs("fixture"),
    output:
        update(paths.FIXTURE / "manifest.json"),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job fixture "$(dirname {output:q})"'


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
        'exec docmt job download "$(dirname {output:q})" --part {wildcards.file:q}'


rule corpus:
    input:
        needs("corpus"),
    output:
        update(paths.CORPUS / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job corpus "$(dirname {output:q})"'
