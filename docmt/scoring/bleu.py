"""BLEU in the families that the papers use, by sacreBLEU's library, each number with its signature.

    13a              cased, smoothed; sacreBLEU's default
    13a_lower        lower-cased, smoothed; what mteval-v13a.pl prints without -c
    tokenized_lower  the tokens as they are, lower-cased, not smoothed; what multi-bleu.perl -lc prints

Each over sentences (unit s: s-BLEU) and over real documents (unit d: d-BLEU), against all references that the corpus
has; the signature says how many (nrefs).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sacrebleu.metrics import BLEU

from docmt.scoring.inputs import Lines, References, Stream, Translations


@dataclass(frozen=True)
class Family:
    """`tokenize` None: the tokeniser of the target language; then raw lines are scored, else tokenised ones."""

    lowercase: bool
    smooth: str
    tokenize: str | None = None

    def metric(self, target_language: str) -> BLEU:
        return BLEU(
            lowercase=self.lowercase,
            tokenize=self.tokenize or TOKENIZERS.get(target_language, "13a"),
            smooth_method=self.smooth,
            # Tokenised input is meant where it is given, so sacreBLEU need not warn of it.
            force=True,
        )


FAMILIES = {
    "13a": Family(lowercase=False, smooth="exp"),
    "13a_lower": Family(lowercase=True, smooth="exp"),
    "tokenized_lower": Family(lowercase=True, smooth="none", tokenize="none"),
}

TOKENIZERS = {"zh": "zh"}
"""Target languages for which 13a has no words to count; the signature says which tokeniser it was."""


def bleu(metric: BLEU, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]], unit: str) -> dict:
    """`{"score", "signature"}`: BLEU from 0 to 100, against one or several references a line (None = one less).

    `unit` ends the signature: `s`, or `d|documents:N`.
    """
    score = metric.corpus_score(list(hypotheses), [list(lines) for lines in references]).score
    return {"score": score, "signature": f"{metric.get_signature()}|unit:{unit}"}


def join_documents(lines: Sequence[str], documents: Sequence[str]) -> list[str]:
    """The sentences of each document as one line, joined by a space.

    Departs: the G-Transformer code joins the sentences of an instance of at most 512 tokens, which is no document.
    """
    return [" ".join(sentences) for sentences in _by_document(lines, documents)]


def _join_references(stream: Stream, documents: Sequence[str]) -> list[str | None]:
    """None for a document that this reference does not cover from the first sentence to the last."""
    joined = _by_document(stream, documents)
    return [None if None in sentences else " ".join(sentences) for sentences in joined]


def _by_document(lines: Sequence[str | None], documents: Sequence[str]) -> list[list[str | None]]:
    pairs = zip(documents, lines, strict=True)
    return [[line for _, line in group] for _, group in groupby(pairs, key=lambda pair: pair[0])]


def sentence_bleu(translations: Translations, references: References, target_language: str) -> dict:
    """s-BLEU of every family: `{family: {"s": {"score", "signature"}}}`."""
    return {
        name: {"s": bleu(family.metric(target_language), hypotheses, streams, "s")}
        for name, family, hypotheses, streams in _lines(translations, references)
    }


def document_bleu(
    translations: Translations, references: References, target_language: str, lines: Lines = "sentences"
) -> dict:
    """d-BLEU of every family over the documents of the corpus: `{family: {"d": {"score", "signature"}}}`.

    `lines`: what a line of the translations is.
    """
    scores = {}
    for name, family, hypotheses, streams in _lines(translations, references):
        documents = [_join_references(stream, references.documents) for stream in streams]
        found = hypotheses if lines == "documents" else join_documents(hypotheses, references.documents)
        unit = f"d|documents:{len(found)}"
        scores[name] = {"d": bleu(family.metric(target_language), found, documents, unit)}
    return scores


def _lines(translations: Translations, references: References):
    """Every family with the lines it looks at."""
    for name, family in FAMILIES.items():
        if family.tokenize == "none":
            yield name, family, translations.tokenized, references.tokenized
        else:
            yield name, family, translations.raw, references.raw
