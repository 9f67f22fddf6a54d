"""Frames: the special symbols before and after the sentences of an instance.

For an instance of the sentences a, b (source) and x, y (target):

| frame | source | decoder input | decoder output |
| --- | --- | --- | --- |
| wrapped | `<s> a </s>` `<s> b </s>` | `<s> x` `<s> y` | `x </s>` `y </s>` |
| summarised | `<cls> a </s>` `<cls> b </s>` | `<s> x` `<s> y` | `x </s>` `y </s>` |
| joined | `a` `<sep> b </s>` | `<s> x` `<sep> y` | `x <sep>` `y </s>` |
| unmarked | `a` `b </s>` | `<s> x` `y` | `x` `y </s>` |
| closed | `<s> a </s>` `<s> b </s>` | `<s> x </s>` `<s> y </s>` | `x </s> <s>` `y </s> <sep>` |
| fairseq | `a </s>` `b </s>` | `</s> x` `</s> y` | `x </s>` `y </s>` |

So the runs of the three sequences correspond, sentence by sentence; G-Transformer calls a run a group. The number of
target sentences is forced to be the number of source sentences, except with `joined`, where the model chooses it, and
with `unmarked`, which does not mark sentences at all.

Paper: G-Transformer (Bao et al. 2021), section 4, for `wrapped`. `closed` is what its code does: the step from
    `</s>` to the next `<s>` is forced at probability 1 (in `wrapped` it is no step), and the language token that ends a
    document is our `<sep>`. Lexical chains (Lyu et al. 2022), section 3.1, for `summarised`. Long-short term masking
    (Zhang et al. 2020), appendix A.2, for `joined`: the separator belongs to the sentence that follows it. `unmarked`
    is the document Transformer of G-Transformer's section 3; `fairseq` is that toolkit's sentence model.
"""

from dataclasses import dataclass

import numpy as np

from docmt.base.runs import starts
from docmt.base.vocabulary import BOS, CLS, EOS, SEP
from docmt.settings.models import Frame

NOTHING = -1
"""Sentinel: no symbol is put in this place. It is the number of no piece."""


@dataclass(frozen=True)
class Mark:
    """A symbol before or after each sentence, which may differ at the edge of an instance.

    The edge is before the first sentence of the instance, or after its last.
    """

    inner: int
    """Symbol between two sentences of an instance."""
    edge: int
    """Symbol at the edge of the instance."""

    def at(self, is_edge: np.ndarray) -> np.ndarray:
        """Return the symbol of each sentence; `is_edge` is true for the sentence at the edge of its instance."""
        return np.where(is_edge, self.edge, self.inner)


@dataclass(frozen=True)
class Marks:
    """The symbols of a frame: around the source, around the decoder input, and the outputs after each sentence."""

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
        """The outputs after the end of a sentence that are forced at probability 1: the model does not choose them."""
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
"""The symbols of each frame, as in the table above."""


def ends(sentences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each sentence is the first of its instance, and whether it is the last.

    `sentences` has the number of sentences of each instance.
    """
    first, last = np.zeros((2, sentences.sum()), dtype=bool)
    # An instance without sentences has neither; its start would be the first sentence of the next instance.
    filled = sentences[sentences > 0]
    first[starts(filled)] = True
    last[starts(filled) + filled - 1] = True
    return first, last


def add_marks(
    words: np.ndarray, lengths: np.ndarray, before: np.ndarray, after: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sentences with their symbols, their lengths with the symbols, and the place of each word.

    `words` are the sentences one after another, `lengths` their numbers of words; `before` and `after` have the symbol
    of each sentence, or NOTHING.
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
