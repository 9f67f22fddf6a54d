"""What the page of results says of the stages 0 to 4: models, corpora, tokens, views and chains."""

from docmt.base import columns
from docmt.base.paths import CHAIN_WORDS, CHAINS, CHECKPOINT, CORPUS, FIXTURE, TOKENS, VIEW
from generators.result_files import CONTRASTIVE_ITEM, DOCUMENT, IN_DOCUMENT, VARIANT, Keys, Stage, Table

SPLIT = "`train`, `dev` or `test`"
SENTENCE = {"split": SPLIT, "document": DOCUMENT, "sentence": IN_DOCUMENT}
SIDES = {
    "source_ids": "ids of all source pieces of the segment, sentence after sentence, without special symbols",
    "source_lengths": "number of source pieces of each sentence",
    "target_ids": "ids of all target pieces",
    "target_lengths": "number of target pieces of each sentence",
}
SEGMENT_CHAINS = {
    "members": "places of the chains' pieces in the segment's `source_ids`, chain after chain",
    "lengths": "number of members of each chain",
}

DATA_STAGES = (
    Stage(
        "0 models",
        CHECKPOINT,
        ("checkpoint",),
        ("tokens", "train", "scores"),
        others={
            "config.json, model.safetensors, tokenizer.json": "a small random checkpoint in the Hugging Face layout, "
            "which replaces a pretrained one at a scale that lists it",
            "pytorch_model.bin, vocab.txt, tokenizer_config.json": "that of awesome-align",
        },
    ),
    Stage(
        "1 fixtures",
        FIXTURE,
        ("fixture",),
        ("corpus",),
        others={"downloads/": "generated files in the form of the corpus', at a scale with `fixtures`"},
    ),
    Stage(
        "1 corpus",
        CORPUS,
        ("corpus",),
        ("tokens", "adopt", "ask", "scores", "sheet", "page", "front"),
        (
            Table(
                "documents.parquet",
                "a sentence pair, in the order of the text",
                {
                    **SENTENCE,
                    "source": "the source sentence as plain text",
                    "target": "its translation, the first reference",
                    "references": "further references; most corpora have none",
                },
                columns.DOCUMENTS,
            ),
            Table(
                "contrastive.parquet",
                "a contrastive item; only where the corpus has contrastive sets",
                {
                    **CONTRASTIVE_ITEM,
                    "source": "the source sentences; the last one is judged",
                    "target_context": "translations of all source sentences but the last",
                    "variants": "translations of the last source sentence",
                    "correct": "number of the right variant, from 0",
                },
                columns.CONTRASTIVE,
            ),
            Keys(
                "card.json",
                "It describes the corpus: counts, licence, files.",
                {
                    "corpus": "its name",
                    "source_language": "code of the source language",
                    "target_language": "code of the target language",
                    "splits": "by split: documents, sentences and their lengths",
                    "contrastive": "by set and distance: number of items",
                    "shared": "text that two splits have in common, with counts and an example; `folded` is the same "
                    "but for case, punctuation and form of Unicode, and `first` has the first places of its pairs",
                    "shared_items": "by contrastive set: items whose text is in train, with their context or alone",
                    "signs": "by split and side: signs of what the text is like, with counts and first places",
                    "changed": "changes that reading made to the text, with their numbers",
                    "warnings": "sentences about suspicious text",
                    "reader": "the settings of the reader",
                    "files": "the downloads with their digests",
                    "licence": "the licence",
                    "citation": "what to cite",
                },
            ),
        ),
    ),
    Stage(
        "2 tokens",
        TOKENS,
        ("tokens",),
        (
            *("tokens", "views", "chain_words", "chain_segments", "train", "adopt", "ask", "word_vectors", "aligner"),
            *("context", "scores", "page", "front"),
        ),
        (
            Table(
                "tokens.arrow",
                "a sentence pair",
                {
                    **SENTENCE,
                    "source_tokens": "tokenised and cased words, joined by single spaces",
                    "target_tokens": "the same of the target",
                    "source_pieces": "BPE pieces, joined by single spaces; `@@` marks a piece whose word goes on",
                    "target_pieces": "the same of the target",
                    "source_ids": "ids of the source pieces, without special symbols",
                    "target_ids": "ids of the target pieces",
                },
                columns.TOKENS,
            ),
            Table(
                "references.arrow",
                "a sentence with further references; only where the corpus has some",
                {**SENTENCE, "reference_tokens": "tokens of each further reference"},
                columns.REFERENCE_TOKENS,
            ),
            Table(
                "contrastive.arrow",
                "a contrastive item",
                {
                    **CONTRASTIVE_ITEM,
                    "source_ids": "ids of each source sentence",
                    "target_context_ids": "ids of each sentence of the context",
                    "variant_ids": "ids of each variant",
                    "correct": "number of the right variant, from 0",
                },
                columns.CONTRASTIVE_TOKENS,
            ),
            Keys(
                "card.json",
                "It has counts of what the text preset made of the corpus.",
                {
                    "text": "the settings of the text preset",
                    "splits": "by split and side: tokens, pieces, unknown pieces and their share",
                    "merges": "number of BPE merges of each side; null where the text learns no merges",
                    "vocabulary": "number of pieces of each side",
                    "contrastive_items": "number of contrastive items",
                    "round_trip": "for dev and test: the target sentences, those that differ once their tokens are "
                    "joined again, and the BLEU of the joined ones, which is the most that a system can reach",
                    "tools": "versions of the libraries that cut the text",
                },
            ),
        ),
        {
            "text/": "what a model carries along: `text.json` (settings), `codes.source` and `codes.target` (BPE "
            "merges), `vocabulary.source.txt` and `vocabulary.target.txt` (a piece on each line, in the order of ids), "
            "`truecase.target.json`; for `sentencepiece` the models `sentencepiece.source.model` and "
            "`sentencepiece.target.model` in place of merges; for pretrained pieces the tokenizer and the rows of the "
            "embeddings",
        },
    ),
    Stage(
        "3 views",
        VIEW,
        ("views",),
        (
            "chain_segments",
            "train",
            "translate",
            "contrastive",
            "contrastive_whole",
            "inspect",
            "scores",
            "page",
            "front",
        ),
        (
            Table(
                "train.arrow, dev.arrow, test.arrow",
                "a segment: consecutive sentences of one document",
                {
                    "document": DOCUMENT,
                    "first": "number of the first sentence of the segment in its document, from 0",
                    **SIDES,
                },
                columns.SEGMENTS,
            ),
            Table(
                "contrastive.arrow",
                "a variant of a contrastive item, after as many context sentences as the view allows",
                {**VARIANT, **SIDES},
                columns.CONTRASTIVE_SEGMENTS,
            ),
            Keys(
                "card.json",
                "It has counts of what the view made of the text.",
                {
                    "view": "the settings of the view",
                    "splits": "by split: documents, sentences, segments, pieces, longest segment, what was left out",
                    "contrastive_variants": "number of contrastive variants",
                },
            ),
        ),
    ),
    Stage(
        "4 chain words",
        CHAIN_WORDS,
        ("chain_words",),
        ("chain_segments", "context", "page", "front"),
        (
            Table(
                "chains.arrow",
                "a lexical chain of a document",
                {
                    "split": SPLIT,
                    "document": DOCUMENT,
                    "word": "the source word that the document repeats",
                    "sentences": "number of the sentence of each occurrence, from 0",
                    "words": "number of the token of each occurrence in its sentence, from 0",
                },
                columns.CHAINS_WORDS,
            ),
            Keys(
                "card.json",
                "It has counts of chains, as in Table 5 of the lexical-chain paper.",
                {
                    "splits": "by split: `perc` (words in chains, in percent), `avg_k` (occurrences of a chain), "
                    "`avg_m` (chains of a document) and the counts behind them",
                    "stop_words": "number of words that form no chain",
                },
            ),
        ),
        {"stop_words.txt": "the words that form no chain, one on each line"},
    ),
    Stage(
        "4 chains",
        CHAINS,
        ("chain_segments",),
        ("train", "translate", "contrastive", "contrastive_whole", "inspect"),
        (
            Table(
                "train.arrow, dev.arrow, test.arrow, contrastive.arrow",
                "a segment of the view, in the view's order",
                SEGMENT_CHAINS,
                columns.SEGMENT_CHAINS,
            ),
        ),
        {"stop_words.txt, card.json": "as those of documents; the counts are those of segments and pieces"},
    ),
)
"""The folders of the data of a study, in the order of the stages."""
