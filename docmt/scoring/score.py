"""All the scores of one system's translations in one `scores.json`."""

from pathlib import Path

from docmt.core.artifacts import read_json, write_json
from docmt.scoring.bleu import document_bleu, sentence_bleu
from docmt.scoring.consistency import consistency
from docmt.scoring.contrastive import SIGNATURE, accuracies, read_judgements
from docmt.scoring.inputs import References, Translations, positions, read_references, read_translations
from docmt.scoring.occurrences import signature, translated_chains
from docmt.scoring.unigram import unigram_dev_perplexity


def score(settings: dict, corpus: Path, tokens: Path, chains: Path, translations: Path) -> dict:
    """The content of `scores.json`; `docmt.core.metrics` says where a metric stands in it.

    `chains`: the folder of the chains of whole documents. Where a line of the translations is a document, what needs
    sentences is left out: s-BLEU, positions, consistency. Raises UserError where translations and references do not
    correspond line by line.
    """
    references = read_references(corpus, tokens)
    decoding = read_json(translations / "decoding.json")
    language = settings["target_language"]
    found = read_translations(translations, "test", references, decoding["lines"])
    by_sentence, repeated = {}, {}
    if decoding["lines"] == "sentences":
        by_sentence = sentence_bleu(found, references, language)
        repeated = score_consistency(found, tokens, chains, settings["stop_words"], settings["target_stop_words"])
    by_document = document_bleu(found, references, language, decoding["lines"])
    contrastive = translations / "contrastive.arrow"
    return {
        **{name: settings[name] for name in ("system", "corpus", "seed", "scale")},
        "bleu": {family: by_sentence.get(family, {}) | by_document[family] for family in by_document},
        "positions": score_positions(translations, references, language),
        "consistency": repeated,
        "contrastive": accuracies(read_judgements(contrastive)) if contrastive.exists() else {},
        "contrastive_signature": SIGNATURE,
        "unigram_dev_perplexity": unigram_dev_perplexity(tokens),
        "decoding": decoding,
        "settings": settings,
    }


def score_consistency(found: Translations, tokens: Path, chains: Path, stop_words: int, target_stop_words: int) -> dict:
    """LTCR and HHI of the test documents' lexical chains, which were made with so many `stop_words`."""
    translated = translated_chains(tokens, chains, found.tokenized, target_stop_words)
    return consistency(translated, signature(stop_words, target_stop_words))


def score_positions(translations: Path, references: References, language: str) -> dict:
    """s-BLEU of each position j that a sentence can have in its window: `{"j1": {family: {"s": ...}}}`."""
    return {
        f"j{j}": sentence_bleu(
            read_translations(translations, f"test.j{j}", references, "sentences"), references, language
        )
        for j in positions(translations)
    }


def write_scores(settings: Path, corpus: Path, tokens: Path, chains: Path, translations: Path, output: Path) -> None:
    """`docmt score`."""
    write_json(output, score(read_json(settings), corpus, tokens, chains, translations))
