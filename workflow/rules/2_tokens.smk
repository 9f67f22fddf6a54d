# Stage 2: tokens.
#
# needs: results/1_corpus/<corpus>/documents.parquet; the tokenizer of a text that is `pretrained`; text/ of the corpus
#        that a text is `learnt_on`
# makes: results/2_tokens/<corpus>/<text>/tokens.arrow, and text/ with the codes and vocabularies that models carry
# steps: tokenise or segment | case | learn (or copy) and apply BPE, or cut pretrained pieces | number the pieces;
#        in one job, or in as many jobs per pass as config.yaml's `shards` says, with the same bytes as the result


if GRID.shards == 1:

    rule tokens:
        input:
            unpack(inputs_of("tokens")),
        output:
            manifest=TOKENS / "manifest.json",
            tokens=TOKENS / "tokens.arrow",
            text=directory(TOKENS / "text"),
            card=TOKENS / "card.json",
        log:
            TOKENS.log(),
        conda:
            "../../envs/docmt.yaml"
        threads: 8
        params:
            job=recipe_of("tokens"),
        shell:
            "exec docmt job tokens {params.job:q} --threads {threads} > {log:q} 2>&1"

else:

    rule tokens_tokenised:
        input:
            unpack(inputs_of_parts),
        output:
            temp(directory(TOKENS / "shards/tokenised.{part}of{parts}")),
        log:
            TOKENS.log("tokenised.{part}of{parts}"),
        conda:
            "../../envs/docmt.yaml"
        threads: 8
        params:
            job=recipe_of_parts,
        shell:
            "exec docmt job tokens {params.job:q} --part tokenised.{wildcards.part:q}of{wildcards.parts:q} --threads {threads} > {log:q} 2>&1"

    rule tokens_learnt:
        input:
            unpack(inputs_of_parts),
            parts=parts(TOKENS / "shards/tokenised"),
        output:
            temp(directory(TOKENS / "shards/learnt")),
        log:
            TOKENS.log("learnt"),
        conda:
            "../../envs/docmt.yaml"
        threads: 2
        params:
            job=recipe_of_parts,
            shards=GRID.shards,
        shell:
            "exec docmt job tokens {params.job:q} --part learnt.1of{params.shards:q} --threads {threads} > {log:q} 2>&1"

    rule tokens_encoded:
        input:
            part=TOKENS / "shards/tokenised.{part}of{parts}",
            learnt=TOKENS / "shards/learnt",
        output:
            temp(directory(TOKENS / "shards/encoded.{part}of{parts}")),
        log:
            TOKENS.log("encoded.{part}of{parts}"),
        conda:
            "../../envs/docmt.yaml"
        threads: 8
        params:
            job=recipe_of_parts,
        shell:
            "exec docmt job tokens {params.job:q} --part encoded.{wildcards.part:q}of{wildcards.parts:q} --threads {threads} > {log:q} 2>&1"

    rule tokens:
        input:
            learnt=learnt_text,
            parts=parts(TOKENS / "shards/encoded"),
        output:
            manifest=TOKENS / "manifest.json",
            tokens=TOKENS / "tokens.arrow",
            text=directory(TOKENS / "text"),
            card=TOKENS / "card.json",
        log:
            TOKENS.log(),
        conda:
            "../../envs/docmt.yaml"
        params:
            job=recipe_of("tokens"),
            shards=GRID.shards,
        shell:
            "exec docmt job tokens {params.job:q} --part joined.1of{params.shards:q} > {log:q} 2>&1"
