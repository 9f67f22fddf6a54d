"""Frames: the special symbols before and after the sentences of an instance.

An instance with the sentences a, b (source) and x, y (target) has these symbols in each frame:

| frame | source | decoder input | decoder output |
| --- | --- | --- | --- |
| wrapped | `<s> a </s>` `<s> b </s>` | `<s> x` `<s> y` | `x </s>` `y </s>` |
| summarised | `<cls> a </s>` `<cls> b </s>` | `<s> x` `<s> y` | `x </s>` `y </s>` |
| joined | `a` `<sep> b </s>` | `<s> x` `<sep> y` | `x <sep>` `y </s>` |
| unmarked | `a` `b </s>` | `<s> x` `y` | `x` `y </s>` |
| closed | `<s> a </s>` `<s> b </s>` | `<s> x </s>` `<s> y </s>` | `x </s> <s>` `y </s> <sep>` |
| fairseq | `a </s>` `b </s>` | `</s> x` `</s> y` | `x </s>` `y </s>` |

The runs of the three sequences correspond, sentence by sentence; G-Transformer calls a run a group. The number of
target sentences is forced to be the number of source sentences, with two exceptions: with `joined` the model chooses
the number, and `unmarked` does not mark sentences at all.

Paper: G-Transformer (Bao et al. 2021), section 4, for `wrapped`. The frame `closed` is that of G-Transformer's code:
    the step from `</s>` to the next `<s>` is forced at probability 1 (`wrapped` has no such step), and `<sep>` replaces
    the language token that ends a document. Lexical chains (Lyu et al. 2022), section 3.1, for `summarised`. Long-short
    term masking (Zhang et al. 2020), appendix A.2, for `joined`: the separator belongs to the sentence that follows it.
    The frame `unmarked` is that of the document Transformer of G-Transformer, section 3; the frame `fairseq` is that of
    the toolkit's sentence model.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch

from docmt.base.ragged import places, starts, sums
from docmt.base.vocabulary import BOS, CLS, EOS, SEP
from docmt.nn.rows import RowChains, Rows
from docmt.nn.segments import Layout, Segments
from docmt.nn.shapes import Tokens
from docmt.nn.streams import Batch, Chains, Stream
from docmt.settings.models import Frame

NOTHING = -1  # The sentinel for a place without a symbol; no piece has this number


@dataclass(frozen=True)
class Mark:
    """The symbol before, or after, each sentence; the symbol at the edge of an instance may differ.

    The edge is the place before the first sentence of an instance, or the place after its last sentence.
    """

    inner: int
    """The symbol at all other sentences of the instance."""
    edge: int
    """The symbol at the edge of the instance."""

    def at(self, is_edge: np.ndarray) -> np.ndarray:
        """Return the symbol of each sentence; `is_edge` is true where the symbol is at the edge of an instance."""
        return np.where(is_edge, self.edge, self.inner)


@dataclass(frozen=True)
class Marks:
    """The symbols of a frame: around source sentences, around decoder inputs, and the outputs after each sentence."""

    source_before: Mark
    source_after: Mark
    input_before: Mark
    input_after: Mark
    output_after: tuple[Mark, ...]

    @property
    def openings(self) -> tuple[int, ...]:
        """The decoder inputs that open a sentence."""
        return tuple(sorted({self.input_before.inner, self.input_before.edge} - {NOTHING}))

    @property
    def forced_outputs(self) -> tuple[int, ...]:
        """The outputs after the end of a sentence that are forced at probability 1; the model does not choose them."""
        return tuple(sorted({symbol for mark in self.output_after[1:] for symbol in (mark.inner, mark.edge)}))


def always(symbol: int) -> Mark:
    """Return the mark that has the same symbol for all sentences."""
    return Mark(symbol, symbol)


NONE = always(NOTHING)

FRAMES: dict[Frame, Marks] = {
    "wrapped": Marks(always(BOS), always(EOS), always(BOS), NONE, (always(EOS),)),
    "summarised": Marks(always(CLS), always(EOS), always(BOS), NONE, (always(EOS),)),
    "joined": Marks(Mark(SEP, NOTHING), Mark(NOTHING, EOS), Mark(SEP, BOS), NONE, (Mark(SEP, EOS),)),
    "unmarked": Marks(NONE, Mark(NOTHING, EOS), Mark(NOTHING, BOS), NONE, (Mark(NOTHING, EOS),)),
    "closed": Marks(always(BOS), always(EOS), always(BOS), always(EOS), (always(EOS), Mark(BOS, SEP))),
    "fairseq": Marks(NONE, always(EOS), always(EOS), NONE, (always(EOS),)),
}
"""The symbols of each frame, as in the table of this module's docstring."""


def ends(sentences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each sentence is the first of its instance, and whether it is the last.

    `sentences` has the number of sentences of each instance.
    """
    first, last = np.zeros((2, sentences.sum()), dtype=bool)
    # An instance without sentences has no ends; its start would be the first sentence of the next instance.
    filled = sentences[sentences > 0]
    first[starts(filled)] = True
    last[starts(filled) + filled - 1] = True
    return first, last


def add_marks(
    words: np.ndarray, lengths: np.ndarray, before: np.ndarray, after: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sentences with their symbols, the lengths of the sentences with symbols, and the place of each word.

    `words` are the sentences one after another, and `lengths` are their numbers of words. `before` and `after` have the
    symbol of each sentence, or NOTHING.
    """
    opened, closed = before != NOTHING, after != NOTHING
    framed = lengths + opened + closed
    begin = starts(framed)
    tokens = np.empty(framed.sum(), dtype=np.int64)
    is_word = np.ones(len(tokens), dtype=bool)
    for where, symbols in ((begin[opened], before[opened]), ((begin + framed - 1)[closed], after[closed])):
        tokens[where] = symbols
        is_word[where] = False
    tokens[is_word] = words
    return tokens, framed, np.flatnonzero(is_word)


def frame_batch(rows: Rows, frame: Frame) -> Batch:
    """Return the source, decoder input and decoder output of instances, with the symbols of the frame."""
    target_in, target_out = frame_target(rows, frame)
    return Batch(frame_source(rows, frame), target_in, target_out)


def frame_source(rows: Rows, frame: Frame) -> Stream:
    """Return the source stream of instances, with their lexical chains where `rows` has them."""
    marks = FRAMES[frame]
    first, last = ends(rows.sentences)
    before, after = marks.source_before.at(first), marks.source_after.at(last)
    tokens, lengths, words = add_marks(rows.source_ids.flat(), rows.source_lengths.flat(), before, after)
    stream = _stream(tokens, lengths, rows.sentences)
    if rows.chains is None:
        return stream
    members = words[rows.chains.words(rows.source_words)]
    return replace(stream, chains=chains_of(rows.chains, members, lengths))


def chains_of(rows: RowChains, members: np.ndarray, sentence_lengths: np.ndarray) -> Chains:
    """Return lexical chains as places in a stream.

    `members` has the place of each member in the stream; `sentence_lengths` has the number of tokens of each sentence
    of the stream.
    """
    sizes, sentences = rows.lengths.flat(), len(sentence_lengths)
    chain_count = len(sizes)
    sentence_of_member = np.searchsorted(np.cumsum(sentence_lengths), members, side="right")
    # A chain may have several members in a sentence; `pairs` has each pair of a sentence and a chain once, sorted.
    pairs = np.unique(np.stack((sentence_of_member, np.repeat(np.arange(chain_count), sizes))), axis=1)
    chains_per_sentence = np.bincount(pairs[0], minlength=sentences)
    relevant = np.full((sentences, chains_per_sentence.max(initial=0)), chain_count)
    relevant[pairs[0], places(chains_per_sentence)] = pairs[1]
    # The sort is stable, so that the members of a sentence are in the order of their chains.
    order = np.argsort(sentence_of_member, kind="stable")
    return Chains(
        torch.from_numpy(members),
        Segments.from_lengths(sizes.tolist()),
        torch.from_numpy(relevant),
        torch.from_numpy(order),
        Segments.from_lengths(np.bincount(sentence_of_member, minlength=sentences).tolist()),
        rows.lengths.lengths,
    )


def frame_target(rows: Rows, frame: Frame) -> tuple[Stream, Tokens]:
    """Return the decoder's input as a stream, and the tokens of the decoder's output."""
    marks = FRAMES[frame]
    first, last = ends(rows.sentences)
    before, after = marks.input_before.at(first), marks.input_after.at(last)
    output, lengths_with_marks = rows.target_ids.flat(), rows.target_lengths.flat()
    tokens, lengths, _ = add_marks(output, lengths_with_marks, before, after)
    nothing = np.full(len(lengths_with_marks), NOTHING)
    for mark in marks.output_after:
        output, lengths_with_marks, _ = add_marks(output, lengths_with_marks, nothing, mark.at(last))
    return _stream(tokens, lengths, rows.sentences), torch.from_numpy(output.astype(np.int64))


def output_lengths(rows: Rows, frame: Frame) -> np.ndarray:
    """Return the number of outputs of each target sentence: its words and the symbols after them."""
    # The sentences of the decoder's input may have other lengths: with the frame `unmarked` the first word of a
    # sentence is predicted from the last token of the sentence before it.
    _, last = ends(rows.sentences)
    symbols = sum((mark.at(last) != NOTHING).astype(np.int64) for mark in FRAMES[frame].output_after)
    return rows.target_lengths.flat() + symbols


def _stream(tokens: np.ndarray, lengths: np.ndarray, sentences: np.ndarray) -> Stream:
    instances = sums(lengths, sentences)
    layout = Layout(Segments.from_lengths(lengths.tolist()), Segments.from_lengths(instances.tolist()))
    return Stream(torch.from_numpy(tokens), layout)
