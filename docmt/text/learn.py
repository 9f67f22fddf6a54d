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
    """Return the casing of a side; a side with pretrained pieces keeps the case."""
    if settings.text.is_pretrained(side):
        return KeepCase()
    return casing_of(settings.text, settings.language(side), lambda: Truecaser(counts[side].case_examples))


def learn_subwords(
    config: TextConfig, counts: Mapping[str, int], workers: Workers = ALONE
) -> tuple[Segmenter, Vocabulary]:
    """Return the merges and the vocabulary that are learnt from counts of training tokens.

    Departs: pieces rarer than `threshold` are left out of the vocabulary and become `<unk>`; the threshold of
    subword-nmt would cut them into smaller pieces instead. None of the papers uses a threshold.
    """
    merges = learn_merges(counts, config.merges)
    words = sorted(counts)
    firsts = range(0, len(words), WORDS_AT_ONCE)
    chunks = ([(word, counts[word]) for word in words[first : first + WORDS_AT_ONCE]] for first in firsts)
    pieces: Counter[str] = Counter()
    for chunk_pieces in workers.each("counting pieces", partial(PieceCounter, merges), chunks, len(firsts)):
        pieces.update(chunk_pieces)
    return Segmenter(merges), Vocabulary.from_counts(pieces, config.threshold)


def pipeline_of_other_corpus(settings: TokensSettings, learnt: Path | None) -> TextPipeline | None:
    """Return the pipeline in `learnt`, the `text/` folder of the corpus whose text the settings name.

    Returns None where the settings name no other corpus.
    Raises UserError where a folder is given but no other corpus is named, where a corpus is named but no folder is
    given, and where the folder has other settings or languages.
    """
    other = settings.takes_from
    if other is None:
        if learnt is not None:
            what, where = "a text folder is given, but this text learns its own pieces", "--learnt"
            raise UserError(what, where=where, found=str(learnt), expected="no --learnt where text.learnt_on is none")
        return None
    if learnt is None:
        expected = f"the text/ folder that this text has on {other}"
        raise UserError(
            "no text folder is given, but this text uses another corpus' pieces", where="--learnt", expected=expected
        )
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
