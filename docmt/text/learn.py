"""What is learnt from the training split, and from nothing else: cases, merge operations, vocabularies.

Or it is taken from another corpus that has learnt it, so that models of both have the same pieces under the same
numbers.
"""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.vocabulary import Vocabulary
from docmt.base.workers import ALONE, Workers
from docmt.settings.data import TextConfig
from docmt.text.bpe import PieceCounter, Segmenter, learn_merges
from docmt.text.casing import KeepCase, Truecaser, casing_of
from docmt.text.pipeline import SIDES, TextPipeline, TokensSettings
from docmt.text.pretrained import PretrainedSide
from docmt.text.side import Side
from docmt.text.tokenise import SideCounts, tokenizer_of

WORDS_AT_ONCE = 50_000
"""Words that one process cuts into pieces at a time; what comes out does not depend on it."""


def learn(settings: TokensSettings, counts: SideCounts, file: str, workers: Workers = ALONE) -> TextPipeline:
    """From the counts of all of the training split. Raises UserError where there are none; `file` is named."""
    text = settings.text
    if not (counts["source"].words or counts["source"].openings):
        raise UserError("no training sentences to learn pieces from", where=file, expected="rows of split 'train'")
    casings = {side: _casing(settings, side, counts) for side in SIDES}
    words = {side: counts[side].cased(casings[side]) for side in SIDES}
    if text.bpe == "joint":
        words = dict.fromkeys(SIDES, words["source"] + words["target"])
    sides: dict[str, Side | PretrainedSide] = {}
    subwords = None
    for side in SIDES:
        tokenizer = tokenizer_of(settings, side)
        if text.is_pretrained(side):
            sides[side] = PretrainedSide.learn(tokenizer, words[side], text.threshold)
            continue
        if subwords is None or text.bpe == "separate":
            subwords = learn_subwords(text, words[side], workers)
        sides[side] = Side(tokenizer, casings[side], *subwords)
    return TextPipeline(settings.pipeline, **sides)


def _casing(settings: TokensSettings, side: str, counts: SideCounts) -> KeepCase:
    """A pretrained tokenizer's pieces stay as they are."""
    if settings.text.is_pretrained(side):
        return KeepCase()
    return casing_of(settings.text, settings.language(side), lambda: Truecaser(counts[side].case_examples))


def learn_subwords(
    config: TextConfig, counts: Mapping[str, int], workers: Workers = ALONE
) -> tuple[Segmenter, Vocabulary]:
    """From counts of training tokens.

    Departs: `threshold` leaves rare pieces out of the vocabulary (they become `<unk>`); subword-nmt's own
    threshold would split them again. None of the papers uses either.
    """
    merges = learn_merges(counts, config.merges)
    words = sorted(counts)
    firsts = range(0, len(words), WORDS_AT_ONCE)
    shares = ([(word, counts[word]) for word in words[first : first + WORDS_AT_ONCE]] for first in firsts)
    pieces: Counter[str] = Counter()
    for found in workers.each("counting pieces", partial(PieceCounter, merges), shares, len(firsts)):
        pieces.update(found)
    return Segmenter(merges), Vocabulary.from_counts(pieces, config.threshold)


def pipeline_of_other_corpus(settings: TokensSettings, learnt: Path | None) -> TextPipeline | None:
    """The pipeline in `learnt`, the `text/` of the corpus that the settings name; None where they name no other corpus.

    Raises UserError where a folder is given that is not asked for, or none that is, and where what was learnt there is
    of other settings or languages.
    """
    other = settings.takes_from
    if other is None:
        if learnt is not None:
            what, where = "a text is given, and none is to be taken", "--learnt"
            raise UserError(what, where=where, found=str(learnt), expected="nothing, where text.learnt_on is none")
        return None
    if learnt is None:
        expected = f"the text/ that this text has on {other}"
        raise UserError("the text of another corpus is to be taken", where="--learnt", expected=expected)
    pipeline, wanted = TextPipeline.load(learnt), settings.pipeline
    if pipeline.config != wanted:
        names = [name for name, value in vars(wanted).items() if getattr(pipeline.config, name) != value]
        found, expected = (
            ", ".join(f"{name} {getattr(config, name)}" for name in names) for config in (pipeline.config, wanted)
        )
        raise UserError("another text was learnt there", where=str(learnt), found=found, expected=expected)
    return pipeline
