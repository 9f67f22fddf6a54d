# Stage 2: tokens.
#
# needs: results/1_corpus/<corpus>/documents.parquet
# makes: results/2_tokens/<corpus>/<text>/tokens.arrow, and text/ with the codes and vocabularies that models carry
# steps: tokenise or segment | case | learn and apply BPE | number the pieces


rule tokens:
    input:
        settings="results/2_tokens/{corpus}/{text}/settings.json",
        documents="results/1_corpus/{corpus}/documents.parquet",
    output:
        tokens="results/2_tokens/{corpus}/{text}/tokens.arrow",
        text=directory("results/2_tokens/{corpus}/{text}/text"),
        card="results/2_tokens/{corpus}/{text}/card.json",
    log:
        "logs/2_tokens/{corpus}/{text}.log",
    conda:
        "../../envs/docmt.yaml"
    shell:
        "docmt tokens --settings {input.settings:q} --corpus results/1_corpus/{wildcards.corpus}"
        " --output results/2_tokens/{wildcards.corpus}/{wildcards.text} 2>&1 | tee {log:q}"
