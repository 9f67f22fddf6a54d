"""The translations of an instance: its finished hypotheses, ranked by their scores and lengths."""

from dataclasses import dataclass

from docmt.base.errors import UserError
from docmt.search.rules import Rules
from docmt.settings.decode import DecodeConfig

EndedHypotheses = list[tuple[float, list[int]]]
"""The scores and the outputs of the finished hypotheses of an instance, in the order in which they ended."""


@dataclass(frozen=True)
class Translation:
    """A finished hypothesis of an instance."""

    sentences: list[list[int]]
    """The piece ids of each target sentence, without special symbols (`<unk>` may occur); no sentence is empty.

    In the frame `unmarked`, a single list has the pieces of all sentences of the instance.
    """
    score: float
    """The sum of the log-probabilities (nats) of all outputs, ends of sentences included.

    The sum equals the forced score of the sentences (`docmt.search.forced`); in the frame `closed` only where no
    sentence was cut at its maximum length.
    """
    normalised: float
    """The value of `score` divided by the length penalty; hypotheses are ranked by it."""
    forced_ends: int
    """The number of sentences that reached their maximum length, or the end of a learned table of positions.

    In the frames `joined` and `unmarked` it is 1 where the whole instance reached its maximum length, and else 0.
    """


def rank_translations(
    ended: EndedHypotheses, limits: list[int], rules: Rules, config: DecodeConfig
) -> list[Translation]:
    """Return the translations of an instance, best first; equally good translations are in the order of their ends.

    Raises UserError where no hypothesis is finished, which happens where the model's scores are not numbers.
    """
    if not ended:
        raise UserError(
            "the model gives no translation",
            found="scores that are not numbers",
            remedy="training has probably diverged: look at the losses in metrics.jsonl",
        )
    translations = []
    for score, outputs in ended:
        sentences = rules.split(outputs)
        normalised = score / length_penalty(len(outputs), config)
        translations.append(Translation(sentences, score, normalised, rules.forced_ends(sentences, limits)))
    return sorted(translations, key=lambda translation: -translation.normalised)


def length_penalty(length: int, config: DecodeConfig) -> float:
    """Return the length penalty that divides a hypothesis' log-probability.

    `length` is the number of all outputs, ends of sentences included.
    """
    if config.length_penalty == "average":
        return length**config.length_alpha
    if config.length_penalty == "gnmt":
        # Wu et al. 2016, eq. 14, without the coverage penalty: ((5 + |Y|) / (5 + 1))^alpha.
        return ((5 + length) / 6) ** config.length_alpha
    if config.length_penalty == "unified_dnmt":
        # A variant that rewards length less, from the public code of the author of the lexical-chains paper
        # (unified-dnmt, onmt/beam.py).
        return (5 + length / 6) ** config.length_alpha
    return 1.0


def join_translations(translations: list[Translation]) -> Translation:
    """Join the translations of consecutive sentences to one translation, whose scores are the sums of their scores."""
    return Translation(
        [words for translation in translations for words in translation.sentences],
        sum(translation.score for translation in translations),
        sum(translation.normalised for translation in translations),
        sum(translation.forced_ends for translation in translations),
    )
