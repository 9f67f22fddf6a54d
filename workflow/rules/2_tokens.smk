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
            settings=settings_of("tokens"),
            learnt=folder_option("tokens", "learnt", "--learnt", "text"),
            pretrained=pretrained_option_of_text,
        shell:
            'exec docmt job tokenise-corpus --settings {params.settings:q} --corpus "$(dirname {input.corpus:q})"'
            ' {params.learnt} {params.pretrained} --output "$(dirname {output.tokens:q})" --workers {threads} > {log:q} 2>&1'

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
            settings=settings_of_parts,
            pretrained=pretrained_option_of_text,
        shell:
            'exec docmt job tokenise-shard --settings {params.settings:q} --corpus "$(dirname {input.corpus:q})"'
            " {params.pretrained} --part {wildcards.part:q}/{wildcards.parts:q} --output {output:q} --workers {threads}"
            " > {log:q} 2>&1"

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
            settings=settings_of_parts,
            learnt=folder_option("tokens", "learnt", "--learnt", "text"),
            pretrained=pretrained_option_of_text,
        shell:
            "exec docmt job learn-shards {input.parts:q} --settings {params.settings:q}"
            ' --corpus "$(dirname {input.corpus:q})" --output {output:q} {params.learnt} {params.pretrained}'
            " --workers {threads} > {log:q} 2>&1"

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
            settings=settings_of_parts,
        shell:
            "exec docmt job encode-shard {input.part:q} --settings {params.settings:q} --text {input.learnt:q}/text"
            " --output {output:q} --workers {threads} > {log:q} 2>&1"

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
            settings=settings_of("tokens"),
        shell:
            "exec docmt job join-shards {input.parts:q} --settings {params.settings:q} --learnt {input.learnt:q}"
            ' --output "$(dirname {output.tokens:q})" > {log:q} 2>&1'
