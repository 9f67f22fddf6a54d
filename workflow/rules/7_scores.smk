# Stage 7: scores.
#
# needs: translations and forced scores, the raw references, the tokens, the lexical chains of the test documents
# makes: results/7_scores/<scale>/<corpus>/<system>/seed<n>/scores.json
# steps: every metric, with its signature (LTCR trains a word aligner, minutes for a real corpus)


rule scores:
    input:
        unpack(scoring_inputs),
        settings="results/7_scores/{scale}/{corpus}/{system}/seed{seed}/settings.json",
    output:
        "results/7_scores/{scale}/{corpus}/{system}/seed{seed}/scores.json",
    log:
        "logs/7_scores/{scale}/{corpus}/{system}/seed{seed}.log",
    conda:
        "../../envs/docmt.yaml"
    shell:
        "docmt score --settings {input.settings:q} --corpus $(dirname {input.corpus:q})"
        " --tokens $(dirname {input.tokens:q}) --chains $(dirname {input.chains:q})"
        " --translations $(dirname {input.translations:q}) --output {output:q} 2>&1 | tee {log:q}"
