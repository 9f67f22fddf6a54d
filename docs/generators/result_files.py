"""What the page of results says of each file below `results/`: its rows, and the meaning of its columns and keys.

Types come from the schemas of the package. A column without a meaning here, or a meaning without a column, is an error.
"""

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from docmt.base import columns
from docmt.base.paths import (
    ALIGNER,
    CHAIN_WORDS,
    CHAINS,
    CHECKPOINT,
    COMPARISON,
    CORPUS,
    PASSAGE,
    REPORT,
    SCORES,
    TOKENS,
    TRAINING,
    TRANSLATIONS,
    VECTORS,
    VIEW,
    Folder,
)
from docmt.decoding.files import COLUMNS as N_BEST
from docmt.plan.collected import COLUMNS as COLLECTED
from docmt.scoring.alignment.model import LINKS

COLLECTED_SCHEMA = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLLECTED.items()])
DOCUMENT = "name of the document, unique within its split"
SPLIT = "`train`, `dev` or `test`"
IN_DOCUMENT = "number of the sentence in its document, from 0"
OF_SET = "name of the phenomenon, or of a part of it, such as `anaphora/f.sg`"
ITEM = "number of the item in its set"
DISTANCE = "sentences from the deciding sentence to the judged one; 0: not stated, or the judged sentence decides"
SENTENCE = {"split": SPLIT, "document": DOCUMENT, "sentence": IN_DOCUMENT}
CONTRASTIVE_ITEM = {"set": OF_SET, "item": ITEM, "distance": DISTANCE}
VARIANT = {**CONTRASTIVE_ITEM, "variant": "number of the variant, from 0", "correct": "whether it is the right one"}
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
TRANSLATED = {
    "translations": "translation of each occurrence: the linked words; null where it has none",
    "places": "places of these words in the output",
    "agreeing": "number of pairs of translations that agree",
    "pairs": "number of all pairs of translations",
}


@dataclass(frozen=True)
class Table:
    """A file with columns: `rows` says what a row is, `meanings` has the meaning of each column."""

    name: str
    rows: str
    meanings: dict[str, str]
    schema: pa.Schema | None = None


@dataclass(frozen=True)
class Keys:
    """A JSON file: `about` says what it is, `meanings` has the meaning of each key of its object.

    `optional` are the keys that not every such file has.
    """

    name: str
    about: str
    meanings: dict[str, str]
    optional: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Stage:
    """The folder of a stage, its files, the other files in words, and the rules that write and read it."""

    title: str
    folder: Folder
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    files: tuple[Any, ...] = ()
    others: dict[str, str] = field(default_factory=dict)


STAGES = (
    Stage(
        "0 models",
        CHECKPOINT,
        ("checkpoint", "aligner_checkpoint"),
        ("tokens", "train", "scores"),
        others={
            "config.json, model.safetensors, tokenizer.json": "a small random checkpoint in the Hugging Face layout, "
            "which replaces a pretrained one at a scale that lists it",
            "pytorch_model.bin, vocab.txt, tokenizer_config.json": "that of awesome-align",
        },
    ),
    Stage(
        "1 corpus",
        CORPUS,
        ("corpus", "fixture", "download"),
        ("tokens", "adopt", "ask", "scores", "sheet", "item", "report", "demo_report"),
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
                "what the corpus is: counts, licence, files",
                {
                    "corpus": "its name",
                    "source_language": "code of the source language",
                    "target_language": "code of the target language",
                    "splits": "by split: documents, sentences and their lengths",
                    "contrastive": "by set and distance: number of items",
                    "shared": "text that two splits have in common, with counts and an example",
                    "changed": "changes that reading made to the text, with their numbers",
                    "warnings": "sentences about suspicious text",
                    "reader": "the settings of the reader",
                    "files": "the downloads with their digests",
                    "licence": "the licence",
                    "citation": "what to cite",
                },
            ),
        ),
        {"downloads/": "the files of the corpus as they were published, or generated ones at a scale with `fixtures`"},
    ),
    Stage(
        "2 tokens",
        TOKENS,
        ("tokens",),
        (
            *("tokens", "views", "chain_words", "chain_segments", "train", "adopt", "ask", "word_vectors", "aligner"),
            *("scores", "item", "report", "demo_report"),
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
                "what the text preset made of the corpus",
                {
                    "text": "the settings of the text preset",
                    "splits": "by split and side: tokens, pieces, unknown pieces and their share",
                    "merges": "number of BPE merges of each side",
                    "vocabulary": "number of pieces of each side",
                    "contrastive_items": "number of contrastive items",
                    "tools": "versions of the libraries that cut the text",
                },
            ),
        ),
        {
            "text/": "what a model carries along: `text.json` (settings), `codes.source` and `codes.target` (BPE "
            "merges), `vocabulary.source.txt` and `vocabulary.target.txt` (a piece on each line, in the order of ids), "
            "`truecase.target.json`; for pretrained pieces the tokenizer and the rows of the embeddings",
        },
    ),
    Stage(
        "3 views",
        VIEW,
        ("views",),
        ("chain_segments", "train", "translate", "contrastive", "inspect", "scores", "item", "report", "demo_report"),
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
                "what the view made of the text",
                {
                    "view": "the settings of the view",
                    "splits": "by split: documents, sentences, segments, pieces, longest segment, what was left out",
                    "contrastive_variants": "number of contrastive variants",
                },
            ),
        ),
    ),
    Stage(
        "4 chains, of documents",
        CHAIN_WORDS,
        ("chain_words",),
        ("chain_segments", "item", "report", "demo_report"),
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
                "counts of chains, as in Table 5 of the lexical-chain paper",
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
        "4 chains, of a view",
        CHAINS,
        ("chain_segments",),
        ("train", "translate", "contrastive", "inspect"),
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
    Stage(
        "5 training",
        TRAINING,
        ("train",),
        ("train", "translate", "contrastive", "inspect", "passage", "item", "report", "demo_report"),
        (
            Table(
                "metrics.jsonl",
                "a line of JSON: means over up to 20 updates (`train`), or a validation (`dev`)",
                {
                    "kind": "`train` or `dev`",
                    "update": "number of the update",
                    "epoch": "passes over the training text before this update",
                    "loss": "label-smoothed loss, in nats for each target token of the stream",
                    "nll": "negative log-likelihood without smoothing, in nats for each target token of the stream",
                    "perplexity": "of `dev`: for each target piece and one end for each sentence, whatever the frame",
                    "bleu": "of `dev`, where the training validates by BLEU",
                    "gradient_norm": "norm of the gradient before clipping",
                    "lr": "learning rate of a training from random values",
                    "lr_new, lr_transferred": "learning rate of new parameters, and of those of an initial model",
                    "source_tokens_per_s, target_tokens_per_s": "tokens of the streams a second",
                    "padding_share": "share of the rows of streams that are padding",
                    "memory_mib": "memory at its highest, in MiB",
                    "wall_s": "seconds since the start, without lost updates",
                    "device_hours": "these hours times the number of devices",
                    "entropy.ATTENTION": "of `dev`: entropy of an attention (`entropy.cross`, ...), in bits",
                    "kl, agreement": "further losses of a model, in nats for each chain or link",
                },
            ),
            Keys(
                "record.json",
                "facts about the run, beside those that every job records (below)",
                {
                    "system": "name of the system",
                    "seed": "seed of the training",
                    "updates": "number of updates",
                    "epochs": "whole passes over the training text",
                    "stop_rule": "why training ended",
                    "best_update": "update with the best validation",
                    "best_dev_loss": "its loss",
                    "dev_loss": "loss of the weights that were kept",
                    "dev_perplexity": "perplexity of the weights that were kept",
                    "dev_bleu": "BLEU of the weights that were kept, where the training validates by BLEU",
                    "wall_s": "seconds of training",
                    "device_hours": "hours times devices",
                    "source_words": "source words of all updates",
                    "source_tokens": "source tokens of all updates, with special symbols",
                    "target_tokens": "target tokens of all updates",
                    "source_words_per_s": "source words a second, over the time of updates alone",
                    "source_tokens_per_s": "the same for source tokens",
                    "target_tokens_per_s": "the same for target tokens",
                    "inputs": "SHA-256 of every input file",
                    "threads": "number of threads",
                    "device": "`cpu` or `cuda`",
                    "ranks": "number of ranks",
                    "compiled": "whether parts of the model were compiled",
                    "deterministic": "whether torch used only deterministic algorithms",
                    "parameters": "number of parameters",
                    "frozen": "names of parameters that were not trained",
                    "start": "what an initial model gave to each parameter",
                    "new": "number of parameters that started at random",
                    "transferred": "number of parameters that came from an initial model",
                },
                frozenset({"start", "new", "transferred"}),
            ),
            Keys(
                "exit.json",
                "why the process ended; in `results/state/` while a training is unfinished",
                {
                    "reason": "`finished`, `stopped`, `deadline`, `out of memory`, `not finite`, `hung`, `disk full`, "
                    "`other run` or `error`",
                    "status": "exit status of the process",
                    "update": "number of updates so far",
                    "message": "the text that was printed",
                    "finished": "time of the end, in UTC",
                },
            ),
        ),
        {
            "model/": "the trained model, which people copy and move: `model.json` (settings, provenance), "
            "`model.safetensors` (weights), `text/` of stage 2, `stop_words.txt` of a model that reads chains, and a "
            "manifest of its own",
            "tensorboard/": "the curves as events of TensorBoard, where it is installed",
        },
    ),
    Stage(
        "6 translations",
        TRANSLATIONS,
        ("translate", "adopt", "ask", "contrastive", "inspect"),
        ("scores", "sheet", "item", "report", "demo_report"),
        (
            Keys(
                "decoding.json",
                "the settings of the search and the counts of its work; that of an external system has what the study "
                "states of its lines instead",
                {
                    "version": "version of the stage",
                    "strategy": "how segments became lines, such as `instances` or `windows`",
                    "lines": "what a line of `test.txt` is: `sentences` or `documents`",
                    "view": "name of the view's cut of the test split",
                    "frame": "special symbols of the model",
                    "beam": "hypotheses of the beam search",
                    "length_penalty": "form of the length penalty",
                    "length_alpha": "its exponent",
                    "max_length_a": "longest translation: a times the source length ...",
                    "max_length_b": "... plus b pieces",
                    "max_length_of": "whether this limits a sentence or the whole segment",
                    "batch_tokens": "tokens of a batch",
                    "n_best": "hypotheses that are kept of each segment",
                    "sentences": "number of translated sentences",
                    "segments": "number of segments",
                    "fallback_windows": "windows with another number of sentences than their source",
                    "fallback_sentences": "sentences that were translated again, alone",
                    "merged_sentences": "sentences whose translation had several sentences, which were joined",
                    "positions": "by position in the window: number of sentences there",
                    "source_tokens": "source pieces that were read",
                    "target_tokens": "target pieces that were written",
                    "forced_ends": "sentences that reached their longest length",
                },
            ),
            Table(
                "contrastive.arrow, contrastive.whole.arrow",
                "a variant of a contrastive item",
                {
                    **VARIANT,
                    "score": "sum of the log-probabilities of the judged sentence's pieces and its end, in nats",
                    "outputs": "number of these pieces and ends",
                    "context_score": "the same sum of the sentences before; null where it was not computed",
                    "context_outputs": "their number",
                },
                columns.CONTRASTIVE_SCORES,
            ),
            Table(
                "inside.arrow",
                "a member of a lexical chain of a dev document; only for figures of attention",
                {
                    "document": DOCUMENT,
                    "chain": "number of the chain",
                    "piece": "the source piece",
                    "sentence": IN_DOCUMENT,
                    "place": "place of the piece in its sentence, from 0",
                    "outputs": "pieces of the reference of the sentence, and the end symbol",
                    "attention": "cross-attention of each output to the piece, mean of the heads of the top layer",
                    "alignment": "attention of the piece to each output (lexical chains, eq. 8)",
                    "similarity": "similarity of each output's step to the latent variable of the chain (eq. 17)",
                },
                columns.INSIDE,
            ),
            Table(
                "test.nbest.tsv",
                "a hypothesis; only with `decode.n_best`",
                {
                    "line": "number of the line in `test.txt`, from 1",
                    "segment": "number of the segment, from 1",
                    "rank": "rank of the hypothesis, from 1",
                    "score": "its normalised score",
                    "log_probability": "its log-probability, in nats",
                    "tokens": "its tokens",
                    "text": "its plain text; ` _eos ` between sentences",
                },
                pa.schema([(name, pa.string()) for name in N_BEST]),
            ),
        ),
        {
            "test.txt": "the translations as plain text, a line for each test sentence (or document, see `lines`)",
            "test.tok.txt": "the same lines as tokens",
            "test.j2.txt, test.j2.tok.txt": "of windows: each sentence translated as the second of its window",
        },
    ),
    Stage(
        "6 passages",
        PASSAGE,
        ("passage",),
        ("item", "report", "demo_report"),
        others={"passages.json": "`documents`: the translation of each sentence of each passage that a study states"},
    ),
    Stage(
        "7 vectors",
        VECTORS,
        ("word_vectors",),
        ("scores",),
        others={
            "vectors.txt": "word vectors in word2vec's text form: the first line has the number of vectors and of "
            "dimensions, each other line a word and its numbers",
            "card.json": "`lines` of training text, number of `words` with a vector, `made_by`",
        },
    ),
    Stage(
        "7 aligners",
        ALIGNER,
        ("aligner",),
        ("scores",),
        (
            Table(
                "lexicon.arrow",
                "a pair of words or, where one side is null, the tokens of a word that have no link",
                {
                    "source": "the source word",
                    "target": "the target word",
                    "links": "expected number of links between the two in the training text",
                },
                LINKS,
            ),
        ),
        {"jumps.json": "the probabilities of jumps from one link to the next, for both directions"},
    ),
    Stage(
        "7 scores",
        SCORES,
        ("scores",),
        ("compare", "item", "report", "demo_report"),
        (
            Keys(
                "scores.json",
                "all scores of a run with their signatures",
                {
                    "system": "folder of the system",
                    "corpus": "name of the corpus",
                    "seed": "seed of the training",
                    "scale": "name of the scale",
                    "bleu": "`{family: {unit: {score, signature, brevity_penalty, length_ratio, precisions}}}`",
                    "positions": "the same for each position in a window (`j1`, `j2`, ...)",
                    "buckets": "`{kind: {bucket: {score, sentences, signature}}}` of s-BLEU",
                    "by_document": "for each document: its name, its number of sentences, its scores",
                    "chrF": "`{unit: {score, signature}}`, where a table asks for it",
                    "chrF++": "the same",
                    "TER": "the same",
                    "consistency": "LTCR and HHI: score, interval, chains, pairs, occurrences, unaligned, signature",
                    "coherence": "score, pairs, words, unknown_words, signature; empty without word vectors",
                    "cohesion": "score, pairs, cut_pairs, signature; empty without a BERT",
                    "COMET": "score, sentences, cut_sentences, less_context, signature; where a checkpoint is named",
                    "doc-COMET": "the same",
                    "contrastive": "by set: accuracy and chance (0 to 1), items, variants, right, ties, by_distance",
                    "contrastive_signature": "signature of the accuracies",
                    "reference": "scores of the first reference, by metrics that compare a text with no other",
                    "unigram_dev_perplexity": "perplexity of a unigram model on dev, which any model should beat",
                    "warnings": "signs of text that is not detokenised",
                    "decoding": "the content of `decoding.json`",
                    "settings": "the content of `settings.json`",
                },
                frozenset({"chrF", "chrF++", "TER", "COMET", "doc-COMET", "contrastive_signature"}),
            ),
            Table(
                "details.arrow",
                "a score: what each unit of the test set adds to it, from which tests draw",
                {
                    "measure": "name of the score, such as `bleu\\|13a\\|s` or `LTCR`",
                    "kind": "how the score follows from sums: `bleu:exp`, `percent`, `mean`, ...",
                    "unit": "`sentences`, `documents`, `instances` or `items`",
                    "set": "contrastive set of items, else null",
                    "distance": "distance of items, else null",
                    "names": "name of each unit",
                    "counts": "all numbers of the first unit, then of the second unit, and so on",
                },
                columns.DETAILS,
            ),
            Table(
                "occurrences.arrow",
                "a lexical chain of the test split, with the translations that LTCR compares",
                {
                    "document": DOCUMENT,
                    "unit": "`words` or `pieces`",
                    "lines": "source sentence of each occurrence, counted from 0 through the split",
                    "words": "place of each occurrence in its sentence",
                    **TRANSLATED,
                    **{f"reference_{name}": f"of the reference: {text}" for name, text in TRANSLATED.items()},
                },
                columns.OCCURRENCES,
            ),
        ),
    ),
    Stage(
        "7 comparisons",
        COMPARISON,
        ("compare",),
        ("item", "report", "demo_report"),
        (
            Keys(
                "comparisons.json",
                "an object with `study`, `scale` and the list `comparisons`; each comparison has these keys",
                {
                    "system": "the system",
                    "baseline": "the system that it is compared with",
                    "corpus": "the corpus",
                    "metric": "the metric",
                    "test": "`bootstrap` or `sign`",
                    "system_score": "mean of the system over seeds",
                    "baseline_score": "mean of the baseline over seeds",
                    "difference": "the first less the second",
                    "p": "the larger of the two p-values",
                    "p_units": "p-value over units of the test set",
                    "p_seeds": "p-value over seeds; null for fewer than three",
                    "better": "draws or units in which the system is better",
                    "worse": "draws or units in which it is worse",
                    "equal": "all others",
                    "signature": "signature of the test",
                },
            ),
        ),
    ),
    Stage(
        "8 report",
        REPORT,
        ("item", "sheet", "report", "demo_report"),
        ("report", "demo_report"),
        (
            Table(
                "TABLE.json (`records`), TABLE.csv, TABLE.parquet",
                "a cell of a table of systems",
                {
                    "row": "label of the row",
                    "system": "the system; empty in a row that is only published",
                    "column": "the column",
                    "corpus": "the corpus",
                    "metric": "the metric; `drop` for a cell of the column of drops",
                    "published": "number of the paper, or a text such as `not digitised`",
                    "measured": "mean over seeds",
                    "low": "lower end of the interval, where the metric has one",
                    "high": "upper end",
                    "sd": "standard deviation over seeds",
                    "difference": "measured less published; empty where they are not comparable",
                    "baseline": "the system that the cell is compared with",
                    "baseline_difference": "measured less the baseline's",
                    "p": "p-value of this difference",
                    "test": "signature of the test",
                    "values": "number of each seed",
                    "seeds": "number of seeds that were run",
                    "status": "`measured`, or why there is no number",
                    "signature": "signature of the score",
                    "random": "pretrained models that small random ones replaced",
                    "generated": "translations of others that generated lines replaced",
                    "note": "footnote of the row",
                    "not_comparable": "why measured and published number are not comparable",
                },
            ),
        ),
        {
            "index.html": "the page of the study; `results/report.html` is that of the demo",
            "ITEM.html": "a page for each table, figure and passage",
            "ITEM.json": "`title`, `caption`, `kind`, `paper`, `note`, `findings` and the `records`, whose keys depend "
            "on the kind: points of a figure have `label`, `x`, `measured` and `published`",
            "TABLE.tex, TABLE.md, FIGURE.svg, FIGURE.pdf": "the table or figure for a paper",
            "TABLE.sheet.csv, .html, .key.json": "the blind sheet for annotators, and the key that says which "
            "translation is whose",
            "documents/": "a list of all test documents and a page for each of them",
        },
    ),
)
"""The folders below `results/` in the order of the stages."""

COLLECTED_TABLE = Table(
    "scores.parquet",
    "a score of a run",
    {
        "study": "the study; a run of several studies has rows in each of them",
        "scale": "the scale",
        "corpus": "the corpus",
        "system": "the system",
        "seed": "the seed",
        "text": "`translations`, or `reference` for the scores of the reference",
        "metric": "the metric",
        "value": "the score",
        "low": "lower end of its interval, where it has one",
        "high": "upper end",
        "signature": "signature of the score",
        "n": "number of units that the score is over",
        "lower_is_better": "whether a lower score is better",
        "identity": "identity of the scores",
        "state": "`right` (what is asked for now), `other` (the next run would make it again) or `unknown`",
    },
    COLLECTED_SCHEMA,
)

SEAL = (
    Keys(
        "settings.json",
        "what was asked of the job, written before it runs: the slice of settings that it depends on, and these keys",
        {
            "asked": "`job` (the rule), `inputs` (identities by role), `files` (SHA-256 of files from outside) and "
            "`libraries` (versions that decide the output)",
            "digest": "digest of all other values; a job refuses a file that was changed by hand",
        },
    ),
    Keys(
        "record.json",
        "facts that differ between two runs of the same job",
        {
            "command": "the command of `docmt job`",
            "began": "time of the begin, in UTC",
            "finished": "time of the end, in UTC",
            "seconds": "seconds between the two",
            "hardware": "host, processor, cores, memory, GPU",
            "commit": "commit of the clone",
            "versions": "versions of docmt, Python and libraries",
            "files": "SHA-256 and size of files whose content has such facts",
            "digest": "digest of all other values",
        },
    ),
    Keys(
        "manifest.json",
        "the seal of the job, written last: a folder without it is not complete",
        {
            "format": "`docmt-manifest-1`",
            "identity": "digest of what was asked (`settings.json` without its digest)",
            "content": "digest of all files: of what came out",
            "command": "the command of `docmt job` that makes the files again",
            "inputs": "identity and content of each input, by role",
            "files": "SHA-256 and size of each file; of a table also digests of its parts",
            "records": "files whose digests are in `record.json`",
            "digest": "digest of all other values",
        },
    ),
)
"""The files that every job writes beside its outputs."""
