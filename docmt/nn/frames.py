"""Which special symbols stand around the sentences of an instance.

For an instance of the sentences a, b (source) and x, y (target):

| frame | source | decoder input | decoder output |
| --- | --- | --- | --- |
| wrapped | `<s> a </s>` `<s> b </s>` | `<s> x` `<s> y` | `x </s>` `y </s>` |
| summarised | `<cls> a </s>` `<cls> b </s>` | `<s> x` `<s> y` | `x </s>` `y </s>` |
| joined | `a` `<sep> b </s>` | `<s> x` `<sep> y` | `x <sep>` `y </s>` |
| unmarked | `a` `b </s>` | `<s> x` `y` | `x` `y </s>` |
| closed | `<s> a </s>` `<s> b </s>` | `<s> x </s>` `<s> y </s>` | `x </s> <s>` `y </s> <sep>` |
| fairseq | `a </s>` `b </s>` | `</s> x` `</s> y` | `x </s>` `y </s>` |

So the runs of the three correspond, sentence by sentence; a run is what G-Transformer calls a group. The number of
target sentences is forced to the source's, but for joined (the model's choice) and unmarked (no sentences at all).

Paper: G-Transformer (Bao et al. 2021), section 4, for `wrapped`; `closed` is what its code does, where the step from
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
"""No symbol stands there."""


@dataclass(frozen=True)
class Mark:
    """A symbol before or after each sentence: before an instance's first, or after its last, it may be another."""

    inner: int
    edge: int
    """At the instance's edge; `inner`: between its sentences."""

    def at(self, is_edge: np.ndarray) -> np.ndarray:
        """The symbol of each sentence."""
        return np.where(is_edge, self.edge, self.inner)


@dataclass(frozen=True)
class Marks:
    """The symbols of a frame."""

    source_before: Mark
    source_after: Mark
    input_before: Mark
    input_after: Mark
    output_after: tuple[Mark, ...]

    @property
    def openings(self) -> tuple[int, ...]:
        """The decoder's inputs that open a sentence."""
        return tuple(sorted({self.input_before.inner, self.input_before.edge} - {NOTHING}))

    @property
    def forced_outputs(self) -> tuple[int, ...]:
        """The outputs that follow the end of a sentence by rule, at probability 1: the model does not choose them."""
        return tuple(sorted({symbol for mark in self.output_after[1:] for symbol in (mark.inner, mark.edge)}))


def always(symbol: int) -> Mark:
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


def ends(sentences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether a sentence is the first of its instance, and whether it is the last; `sentences` counts an instance's."""
    first, last = np.zeros((2, sentences.sum()), dtype=bool)
    filled = sentences[sentences > 0]
    first[starts(filled)] = True
    last[starts(filled) + filled - 1] = True
    return first, last


def add_marks(
    words: np.ndarray, lengths: np.ndarray, before: np.ndarray, after: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sentences with their symbols, one after another; their lengths with the symbols; the place of each word."""
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
