# Stage 3: views.
#
# needs: results/2_tokens/<corpus>/<text>/tokens.arrow
# makes: results/3_views/<corpus>/<text>/<view>/ {train, dev, test}.arrow and, where the corpus has them, contrastive.arrow
# steps: cut each document into sentences, windows, instances or sub-documents


rule views:
    input:
        unpack(inputs_of("views")),
    output:
        manifest=VIEW / "manifest.json",
        card=VIEW / "card.json",
    log:
        VIEW.log(),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    params:
        job=recipe_of("views"),
    shell:
        "exec docmt job views {params.job:q} --threads {threads} > {log:q} 2>&1"
