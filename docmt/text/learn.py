"""The learning of cases, merges and vocabularies from the training split alone.

A corpus may instead use the cases, merges and vocabularies of another corpus, so that the models of both corpora have
the same pieces with the same ids.
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

CountsBySide = Mapping[str, Counter[str]]
"""The number of occurrences of each word, or of each piece, by the name of the side."""

WORDS_AT_ONCE = 50_000
"""The number of words that a process cuts into pieces at a time; the result does not depend on this number."""


def learn(settings: TokensSettings, counts: SideCounts, file: str, workers: Workers = ALONE) -> TextPipeline:
    """Return the pipeline that is learnt from the counts of the whole training split.

    Raises UserError, whose message names the corpus as `file`, where there are no counts.
    """
    text = settings.text
    if not (counts["source"].words or counts["source"].openings):
        raise UserError("no training sentences to learn pieces from", where=file, expected="rows of split 'train'")
    casings = {side: _casing(settings, side, counts) for side in SIDES}
    words = {side: counts[side].cased(casings[side]) for side in SIDES}
    learnt = learn_subwords(text, {side: words[side] for side in SIDES if not text.is_pretrained(side)}, workers)
    # The words of a side with pretrained pieces are the names of its pieces.
    pieces = _together(words) if text.vocabulary == "shared" else words
    sides: dict[str, Side | PretrainedSide] = {}
    for side in SIDES:
        tokenizer = tokenizer_of(settings, side)
        if side in learnt:
            sides[side] = Side(tokenizer, casings[side], *learnt[side])
        else:
            sides[side] = PretrainedSide.learn(tokenizer, pieces[side], text.threshold, settings.language("target"))
    return TextPipeline(settings.pipeline, **sides)


def _casing(settings: TokensSettings, side: str, counts: SideCounts) -> KeepCase:
    # A side with pretrained pieces keeps its case.
    if settings.text.is_pretrained(side):
        return KeepCase()
    return casing_of(settings.text, settings.language(side), lambda: Truecaser(counts[side].case_examples))


def learn_subwords(
    config: TextConfig, words: CountsBySide, workers: Workers = ALONE
) -> dict[str, tuple[Segmenter, Vocabulary]]:
    """Return the segmenter and the vocabulary of each side in `words`, which has the counts of its training words.

    Departs: a shared vocabulary has the pieces that reach the threshold in both sides together; subword-nmt counts the
    pieces of each side alone.
    """
    merges = _learn_merges(config, words)
    known = _vocabularies(config, words, {side: (merges[side],) for side in words}, workers)
    if not config.threshold:
        return {side: (Segmenter(merges[side]), known[side]) for side in words}
    # With a threshold, pieces that are rarer are cut again, as `subword-nmt apply-bpe --vocabulary-threshold` does, and
    # characters that are rarer even then are left out of the vocabulary.
    cut = {side: (merges[side], known[side].pieces) for side in words}
    vocabularies = _vocabularies(config, words, cut, workers)
    return {side: (Segmenter(merges[side], vocabularies[side].pieces), vocabularies[side]) for side in words}


def _learn_merges(config: TextConfig, words: CountsBySide) -> dict[str, tuple[str, ...]]:
    if config.bpe == "separate":
        return {side: learn_merges(words[side], config.merges) for side in words}
    # Joint merges are learnt once, from the words of both sides.
    return dict.fromkeys(words, learn_merges(sum(words.values(), Counter()), config.merges))


def _together(counts: CountsBySide) -> CountsBySide:
    return dict.fromkeys(counts, sum(counts.values(), Counter()))


def _vocabularies(
    config: TextConfig, words: CountsBySide, segmenters: Mapping[str, tuple], workers: Workers
) -> dict[str, Vocabulary]:
    """Return the vocabulary of each side; `segmenters` has the arguments of its segmenter."""
    pieces = {side: _count_pieces(words[side], segmenters[side], workers) for side in words}
    pieces = _together(pieces) if config.vocabulary == "shared" else pieces
    return {side: Vocabulary.from_counts(pieces[side], config.threshold) for side in words}


def _count_pieces(counts: Counter[str], segmenter: tuple, workers: Workers) -> Counter[str]:
    words = sorted(counts)
    firsts = range(0, len(words), WORDS_AT_ONCE)
    chunks = ([(word, counts[word]) for word in words[first : first + WORDS_AT_ONCE]] for first in firsts)
    pieces: Counter[str] = Counter()
    for chunk_pieces in workers.each("counting pieces", partial(PieceCounter, *segmenter), chunks, len(firsts)):
        pieces.update(chunk_pieces)
    return pieces


def pipeline_of_other_corpus(settings: TokensSettings, learnt: Path | None) -> TextPipeline | None:
    """Return the pipeline in `learnt`, the `text/` folder of the corpus whose text the settings name.

    Returns None where the settings name no other corpus. Raises UserError where a folder is given but no other corpus
    is named, where a corpus is named but no folder is given, and where the folder has other settings or languages.
    """
    other = settings.takes_from
    if other is None:
        if learnt is not None:
            what = "a text folder is given, but this text learns its own pieces"
            raise UserError(what, found=str(learnt), expected="none where text.learnt_on is none")
        return None
    if learnt is None:
        expected = f"the text/ folder that this text has on {other}"
        raise UserError("no text folder is given, but this text uses another corpus' pieces", expected=expected)
    pipeline, wanted = TextPipeline.load(learnt), settings.pipeline
    if pipeline.config != wanted:
        names = [name for name, value in vars(wanted).items() if getattr(pipeline.config, name) != value]
        actual, expected = (
            ", ".join(f"{name} {getattr(config, name)}" for name in names) for config in (pipeline.config, wanted)
        )
        raise UserError(
            "the text folder was learnt with different settings", where=str(learnt), found=actual, expected=expected
        )
    return pipeline
