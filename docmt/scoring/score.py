"""All the scores of one system's translations in one `scores.json`, and what they are sums of in `details.arrow`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pyarrow as pa

from docmt.base.artifacts import as_object, read_object, write_json
from docmt.base.columns import OCCURRENCES, write_arrow
from docmt.base.errors import check_known
from docmt.base.parse import parse
from docmt.scoring.adjacent import adjacent_tally
from docmt.scoring.bleu_scores import bleu_by_document, bleu_scores, bleu_tallies
from docmt.scoring.chain_scores import Corpus, StopFiles, stop_lists
from docmt.scoring.coherence import coherence, similarities
from docmt.scoring.cohesion import NextSentence, cohesion, probabilities
from docmt.scoring.consistency import consistency, consistency_tallies
from docmt.scoring.contrastive import accuracies, accuracy_tallies, contrastive_signature, read_judgements
from docmt.scoring.corpus_aligner import corpus_aligner
from docmt.scoring.inputs import (
    Lines,
    References,
    Translations,
    positions,
    read_instances,
    read_references,
    read_translations,
    runs,
)
from docmt.scoring.occurrences import occurrences, signature, translated_chains
from docmt.scoring.tallies import Tally, write_tallies
from docmt.scoring.unigram import unigram_dev_perplexity
from docmt.scoring.word_vectors import read_word_vectors
from docmt.settings.data import ViewConfig
from docmt.settings.scoring import AlignerConfig, ConsistencyConfig, ContrastiveConfig

if TYPE_CHECKING:
    from docmt.nn.device import DeviceName


NEEDED = (
    *("system", "corpus", "seed", "scale", "target_language", "resolved"),
    *("consistency", "aligner", "contrastive", "coherence", "cohesion"),
)
"""Keys of the stage's `settings.json`."""


@dataclass(frozen=True)
class Inputs:
    """What stages 1 to 6 have left, the folder of the corpus' aligner, if it is the default one, and what settings
    name: word vectors, the folder of a BERT, stop lists."""

    corpus: Path
    tokens: Path
    view: Path
    translations: Path
    aligner: Path | None = None
    word_vectors: Path | None = None
    next_sentence_model: Path | None = None
    stop_files: StopFiles = field(default_factory=StopFiles)


@dataclass(frozen=True)
class Scored:
    """`scores`: the content of `scores.json`; `tallies`: that of `details.arrow`, for comparing systems; `occurrences`:
    of lexical chains, for case studies, where lines are sentences."""

    scores: dict
    tallies: list[Tally]
    occurrences: pa.Table = field(default_factory=OCCURRENCES.empty_table)


def score(settings: dict, inputs: Inputs, device: "DeviceName" = "auto") -> Scored:
    """Every score; `docmt.settings.metrics` says where a metric stands.

    Where a line of the translations is a document, what needs sentences is left out: s-BLEU, positions, consistency,
    coherence, cohesion. `device` is that of BERT. Raises UserError where translations and references do not correspond
    line by line.
    """
    decoding = read_decoding(inputs.translations / "decoding.json")
    references = read_test(settings, inputs)
    parts = [
        score_bleu(inputs, references, settings["target_language"], decoding["lines"]),
        score_positions(inputs, references, settings["target_language"]),
        score_contrastive(settings["contrastive"], inputs),
    ]
    if decoding["lines"] == "sentences":
        found = read_translations(inputs.translations, "test", references, "sentences")
        parts += [
            score_consistency(settings, inputs, found, references),
            score_coherence(settings["coherence"], inputs, found, references),
            score_cohesion(settings["cohesion"], inputs, found, references, device),
        ]
    scores = {
        **{name: settings[name] for name in ("system", "corpus", "seed", "scale")},
        **{name: {} for name in ("consistency", "coherence", "cohesion", "contrastive")},
        **{name: value for part in parts for name, value in part.scores.items()},
        "unigram_dev_perplexity": unigram_dev_perplexity(inputs.tokens),
        "decoding": decoding,
        "settings": settings,
    }
    chains = pa.concat_tables(part.occurrences for part in parts)
    return Scored(scores, [tally for part in parts for tally in part.tallies], chains)


def read_decoding(path: Path) -> dict:
    """The account of stage 6. Raises UserError where it is none."""
    decoding = read_object(path, "lines")
    check_known("kind of lines", decoding["lines"], get_args(Lines), str(path))
    return decoding


def read_test(settings: dict, inputs: Inputs) -> References:
    """The test split, with the instances that the system's view packs it into."""
    cut = parse(
        ViewConfig,
        as_object(settings["resolved"], "settings.json resolved", ("view",))["view"],
        "settings.json",
        ("resolved", "view"),
    ).test
    return read_instances(inputs.view, cut, read_references(inputs.corpus, inputs.tokens))


def score_bleu(inputs: Inputs, references: References, language: str, lines: Lines) -> Scored:
    found = read_translations(inputs.translations, "test", references, lines)
    tallies = bleu_tallies(found, references, language, lines)
    scores = {
        "bleu": bleu_scores(tallies),
        "by_document": bleu_by_document(tallies, references.documents),
    }
    return Scored(scores, tallies)


def score_positions(inputs: Inputs, references: References, language: str) -> Scored:
    """s-BLEU of each position j that a sentence can have in its window: `{"j1": {family: {"s": ...}}}`."""
    only_sentences = References(None, references.raw, references.tokenized)
    tallies = {}
    for name in (f"j{j}" for j in positions(inputs.translations)):
        found = read_translations(inputs.translations, f"test.{name}", references, "sentences")
        tallies[name] = bleu_tallies(found, only_sentences, language, position=name)
    scores = {name: bleu_scores(own) for name, own in tallies.items()}
    return Scored({"positions": scores}, [tally for own in tallies.values() for tally in own])


def score_consistency(settings: dict, inputs: Inputs, found: Translations, references: References) -> Scored:
    """LTCR and HHI of the test documents' lexical chains."""
    config = parse(ConsistencyConfig, settings["consistency"], "settings.json", ("consistency",))
    chosen = parse(AlignerConfig, settings["aligner"], "settings.json", ("aligner",))
    corpus = Corpus.read(inputs.tokens, config)
    lists = stop_lists(config, inputs.stop_files, corpus.source_words, corpus.target)
    aligner = corpus_aligner(chosen, inputs.aligner, corpus)
    texts = [corpus.texts(lines) for lines in (found.tokenized, references.tokenized[0])]
    aligned = [aligner.align(one.sources, one.hypotheses) for one in texts]
    system, reference = [(one, links.lines) for one, links in zip(texts, aligned, strict=True)]
    translated = translated_chains(*system, lists, config)
    how = signature(config, lists, aligned[0].signature)
    return Scored(
        {"consistency": consistency(translated, config, how)},
        consistency_tallies(translated, runs(references.documents), config),
        occurrences(system, reference, lists, config),
    )


def score_coherence(chosen: dict | None, inputs: Inputs, found: Translations, references: References) -> Scored:
    """Coherence of the translations' tokens, where settings name word vectors."""
    if chosen is None:
        return Scored({}, [])
    vectors = read_word_vectors(inputs.word_vectors, found.tokenized, chosen["case"])
    values = similarities(found.tokenized, references.documents, vectors)
    tallies = adjacent_tally("coherence", values, references.documents)
    return Scored({"coherence": coherence(values, found.tokenized, vectors)}, tallies)


def score_cohesion(
    chosen: dict | None, inputs: Inputs, found: Translations, references: References, device: "DeviceName"
) -> Scored:
    """Cohesion of the translations as a reader has them, where settings name a BERT."""
    if chosen is None:
        return Scored({}, [])
    model = NextSentence(inputs.next_sentence_model, device)
    values, cut = probabilities(found.raw, references.documents, model, chosen["batch_pairs"])
    tallies = adjacent_tally("cohesion", values, references.documents)
    return Scored({"cohesion": cohesion(values, cut, model.name)}, tallies)


def score_contrastive(chosen: dict | None, inputs: Inputs) -> Scored:
    """Accuracies, where the corpus has contrastive sets."""
    if chosen is None:
        return Scored({}, [])
    config = parse(ContrastiveConfig, chosen, "settings.json", ("contrastive",))
    judgements = read_judgements(inputs.translations / config.file, config)
    scores = {"contrastive": accuracies(judgements), "contrastive_signature": contrastive_signature(config)}
    return Scored(scores, accuracy_tallies(judgements))


def write_scores(settings: Path, inputs: Inputs, output: Path, device: "DeviceName" = "auto") -> None:
    """`docmt score-system`: `scores.json`, with `details.arrow` and `occurrences.arrow` beside it."""
    found = score(read_object(settings, *NEEDED), inputs, device)
    write_tallies(output.with_name("details.arrow"), found.tallies)
    write_arrow(output.with_name("occurrences.arrow"), found.occurrences)
    write_json(output, found.scores)
