# Stage 4: lexical chains.
#
# needs: results/2_tokens/<corpus>/<text>/tokens.arrow, and the segments of a view
# makes: results/4_chains/<corpus>/<text>/words/ {chains.arrow, stop_words.txt} of whole documents, by words
#        results/4_chains/<corpus>/<text>/<view>/ {train, dev, test}.arrow, by pieces, a row for each segment of the view
#        and, where the corpus has them, contrastive.arrow
# steps: count the stop list | find repeated words | split them into pieces


rule chain_words:
    input:
        unpack(inputs_of("chain_words")),
    output:
        manifest=CHAIN_WORDS / "manifest.json",
        chains=CHAIN_WORDS / "chains.arrow",
        stop_words=CHAIN_WORDS / "stop_words.txt",
        card=CHAIN_WORDS / "card.json",
    log:
        CHAIN_WORDS.log(),
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    params:
        job=recipe_of("chain_words"),
    shell:
        "exec docmt job chain_words {params.job:q} --threads {threads} > {log:q} 2>&1"


rule chain_segments:
    input:
        unpack(inputs_of("chain_segments")),
    output:
        manifest=CHAINS / "manifest.json",
        card=CHAINS / "card.json",
    log:
        CHAINS.log(),
    wildcard_constraints:
        view="(?!words/)[^/]+",
    conda:
        "../../envs/docmt.yaml"
    threads: 1
    params:
        job=recipe_of("chain_segments"),
    shell:
        "exec docmt job chain_segments {params.job:q} --threads {threads} > {log:q} 2>&1"
