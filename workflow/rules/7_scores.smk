# Stage 7: scores.
#
# needs: translations and forced scores, the raw references, the tokens, the view of a trained system (for its packed
#        instances); word vectors, a BERT model, the model of awesome-align and stop lists, where `scoring` of the study
#        or of config.yaml names them
# makes: results/7_vectors/<corpus>/<text>/ {vectors.txt, card.json}
#        results/7_aligners/<corpus>/<text>/ {lexicon.arrow, jumps.json}
#        results/7_scores/<scale>/<corpus>/<system>/seed<n>/ {scores.json, details.arrow, occurrences.arrow}
#        results/7_comparisons/<scale>/<study>/<table>/comparisons.json
# steps: train word vectors on the target side of the training split, where coherence needs them | train the word
#        aligner of LTCR and HHI on the training split (minutes for a real corpus) | compute every metric, with its
#        signature | compute the p-values of a table's systems against their baselines


rule word_vectors:
    input:
        unpack(inputs_of("word_vectors")),
    output:
        manifest=VECTORS / "manifest.json",
        vectors=VECTORS / "vectors.txt",
        card=VECTORS / "card.json",
    log:
        VECTORS.log(),
    conda:
        "../../envs/docmt.yaml"
    params:
        job=recipe_of("word_vectors"),
    shell:
        "exec docmt job word_vectors {params.job:q} > {log:q} 2>&1"


rule aligner:
    input:
        unpack(inputs_of("aligner")),
    output:
        manifest=ALIGNER / "manifest.json",
        lexicon=ALIGNER / "lexicon.arrow",
        jumps=ALIGNER / "jumps.json",
    log:
        ALIGNER.log(),
    conda:
        "../../envs/docmt.yaml"
    params:
        job=recipe_of("aligner"),
    shell:
        "exec docmt job aligner {params.job:q} > {log:q} 2>&1"


rule scores:
    input:
        unpack(inputs_of("scores")),
    output:
        manifest=SCORES / "manifest.json",
        scores=SCORES / "scores.json",
        details=SCORES / "details.arrow",
        occurrences=SCORES / "occurrences.arrow",
    log:
        SCORES.log(),
    conda:
        "../../envs/docmt.yaml"
    params:
        job=recipe_of("scores"),
    shell:
        "exec docmt job scores {params.job:q} > {log:q} 2>&1"


rule compare:
    input:
        manifests_of("compare"),
    output:
        manifest=COMPARISON / "manifest.json",
        comparisons=COMPARISON / "comparisons.json",
    log:
        COMPARISON.log(),
    conda:
        "../../envs/docmt.yaml"
    params:
        job=recipe_of("compare"),
    shell:
        "exec docmt job compare {params.job:q} > {log:q} 2>&1"
