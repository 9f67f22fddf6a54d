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
            unpack(tokens_inputs),
            unpack(learnt_text),
            settings=TOKENS / "settings.json",
        output:
            tokens=TOKENS / "tokens.arrow",
            text=directory(TOKENS / "text"),
            card=TOKENS / "card.json",
        log:
            TOKENS.log(),
        conda:
            "../../envs/docmt.yaml"
        threads: 8
        params:
            learnt=learnt_option,
        shell:
            'exec docmt job tokenise-corpus --settings {input.settings:q} --corpus "$(dirname {input.documents:q})" {params.learnt}'
            ' --output "$(dirname {output.tokens:q})" --workers {threads} > {log:q} 2>&1'

else:

    rule tokens_tokenised:
        input:
            unpack(tokens_inputs),
            settings=TOKENS / "settings.json",
        output:
            temp(directory(TOKENS / "shards/tokenised.{part}of{parts}")),
        log:
            TOKENS.log("tokenised.{part}of{parts}"),
        conda:
            "../../envs/docmt.yaml"
        threads: 8
        shell:
            'exec docmt job tokenise-shard --settings {input.settings:q} --corpus "$(dirname {input.documents:q})"'
            " --part {wildcards.part:q}/{wildcards.parts:q} --output {output:q} --workers {threads} > {log:q} 2>&1"

    rule tokens_learnt:
        input:
            unpack(tokens_inputs),
            unpack(learnt_text),
            settings=TOKENS / "settings.json",
            parts=parts(TOKENS / "shards/tokenised"),
        output:
            directory(TOKENS / "text"),
        log:
            TOKENS.log("learnt"),
        conda:
            "../../envs/docmt.yaml"
        threads: 2
        params:
            learnt=learnt_option,
        shell:
            "exec docmt job learn-shards {input.parts:q} --settings {input.settings:q}"
            ' --corpus "$(dirname {input.documents:q})" --output "$(dirname {output:q})" {params.learnt}'
            " --workers {threads} > {log:q} 2>&1"

    rule tokens_encoded:
        input:
            part=TOKENS / "shards/tokenised.{part}of{parts}",
            text=TOKENS / "text",
        output:
            temp(directory(TOKENS / "shards/encoded.{part}of{parts}")),
        log:
            TOKENS.log("encoded.{part}of{parts}"),
        conda:
            "../../envs/docmt.yaml"
        threads: 8
        shell:
            "exec docmt job encode-shard {input.part:q} --text {input.text:q} --output {output:q} --workers {threads}"
            " > {log:q} 2>&1"

    rule tokens:
        input:
            text=TOKENS / "text",
            parts=parts(TOKENS / "shards/encoded"),
        output:
            tokens=TOKENS / "tokens.arrow",
            card=TOKENS / "card.json",
        log:
            TOKENS.log(),
        conda:
            "../../envs/docmt.yaml"
        shell:
            'exec docmt job join-shards {input.parts:q} --output "$(dirname {output.tokens:q})" > {log:q} 2>&1'
