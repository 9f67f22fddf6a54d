# Stage 4: lexical chains.
#
# needs: results/2_tokens/<corpus>/<text>/tokens.arrow, and the segments of a view
# makes: results/4_chains/<corpus>/<text>/words/ {chains.arrow, stop_words.txt} of whole documents, by words
#        results/4_chains/<corpus>/<text>/<view>/ {train, dev, test}.arrow, by pieces, a row for each segment of the view
#        and, where the corpus has them, contrastive.arrow
# steps: count the stop list | find repeated words | split them into pieces


rule chain_words:
    input:
        settings="results/4_chains/{corpus}/{text}/words/settings.json",
        tokens="results/2_tokens/{corpus}/{text}/tokens.arrow",
    output:
        chains="results/4_chains/{corpus}/{text}/words/chains.arrow",
        stop_words="results/4_chains/{corpus}/{text}/words/stop_words.txt",
        card="results/4_chains/{corpus}/{text}/words/card.json",
    log:
        "logs/4_chains/{corpus}/{text}/words.log",
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    shell:
        'exec docmt chains words --settings {input.settings:q} --tokens "$(dirname {input.tokens:q})"'
        ' --output "$(dirname {output.chains:q})" --workers {threads} > {log:q} 2>&1'


rule chain_segments:
    input:
        settings="results/4_chains/{corpus}/{text}/{view}/settings.json",
        tokens="results/2_tokens/{corpus}/{text}/tokens.arrow",
        stop_words="results/4_chains/{corpus}/{text}/words/stop_words.txt",
        view="results/3_views/{corpus}/{text}/{view}/card.json",
    output:
        "results/4_chains/{corpus}/{text}/{view}/card.json",
    log:
        "logs/4_chains/{corpus}/{text}/{view}.log",
    wildcard_constraints:
        view="(?!words/)[^/]+",
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    shell:
        'exec docmt chains segments --settings {input.settings:q} --tokens "$(dirname {input.tokens:q})"'
        ' --words "$(dirname {input.stop_words:q})" --view "$(dirname {input.view:q})"'
        ' --output "$(dirname {output:q})" --workers {threads} > {log:q} 2>&1'
