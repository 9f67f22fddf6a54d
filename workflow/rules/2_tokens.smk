# Stage 2: tokens.
#
# needs: results/1_corpus/<corpus>/documents.parquet; the tokenizer of a text that is `pretrained`
# makes: results/2_tokens/<corpus>/<text>/tokens.arrow, and text/ with the codes and vocabularies that models carry
# steps: tokenise or segment | case | learn and apply BPE, or cut pretrained pieces | number the pieces


rule tokens:
    input:
        unpack(tokens_inputs),
        settings="results/2_tokens/{corpus}/{text}/settings.json",
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
