# Stage 3: views: documents cut into sentences, windows, instances or sub-documents.


rule views:
    input:
        needs("views"),
    output:
        update(paths.VIEW / "manifest.json"),
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job views "$(dirname {output:q})" --threads {threads}'
