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

from dataclasses import dataclass

import numpy as np

from docmt.base.runs import starts
from docmt.base.vocabulary import BOS, CLS, EOS, SEP
from docmt.settings.models import Frame

NOTHING = -1
"""The sentinel for a place without a symbol; no piece has this number."""


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
    for places, symbols in ((begin[opened], before[opened]), ((begin + framed - 1)[closed], after[closed])):
        tokens[places] = symbols
        is_word[places] = False
    tokens[is_word] = words
    return tokens, framed, np.flatnonzero(is_word)
