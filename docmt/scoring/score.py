"""All the scores of one system's translations in one `scores.json`."""

from pathlib import Path

from docmt.core.artifacts import read_json, write_json
from docmt.scoring.bleu import document_bleu, sentence_bleu
from docmt.scoring.contrastive import SIGNATURE, accuracies, read_judgements
from docmt.scoring.inputs import References, positions, read_references, read_translations
from docmt.scoring.unigram import unigram_dev_perplexity


def score(settings: dict, corpus: Path, tokens: Path, translations: Path) -> dict:
    """The content of `scores.json`; `docmt.core.metrics` says where a metric stands in it.

    Raises UserError where translations and references do not correspond line by line.
    """
    references = read_references(corpus, tokens)
    language = settings["target_language"]
    lines = read_translations(translations, "test", len(references.raw))
    by_sentence = sentence_bleu(lines, references, language)
    by_document = document_bleu(lines, references, language)
    contrastive = translations / "contrastive.arrow"
    return {
        **{name: settings[name] for name in ("system", "corpus", "seed", "scale")},
        "bleu": {family: by_sentence[family] | by_document[family] for family in by_sentence},
        "positions": score_positions(translations, references, language),
        "contrastive": accuracies(read_judgements(contrastive)) if contrastive.exists() else {},
        "contrastive_signature": SIGNATURE,
        "unigram_dev_perplexity": unigram_dev_perplexity(tokens),
        "decoding": read_json(translations / "decoding.json"),
        "settings": settings,
    }


def score_positions(translations: Path, references: References, language: str) -> dict:
    """s-BLEU of each position j that a sentence can have in its window: `{"j1": {family: {"s": ...}}}`."""
    return {
        f"j{j}": sentence_bleu(read_translations(translations, f"test.j{j}", len(references.raw)), references, language)
        for j in positions(translations)
    }


def write_scores(settings: Path, corpus: Path, tokens: Path, translations: Path, output: Path) -> None:
    """`docmt score`."""
    write_json(output, score(read_json(settings), corpus, tokens, translations))
