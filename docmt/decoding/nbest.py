"""The best translations of every search with their scores: `test.nbest.tsv`.

A row is a hypothesis, those of one search together, the best first:

- `line`: the line of `test.txt`, from 1 on, where the first sentence of what was searched for stands
- `segment`: the number of the segment of the test view, from 1 on
- `rank`: from 1 on
- `score`: by the length penalty, what hypotheses are ranked by
- `log_probability`: the plain sum over all outputs, nats; it is the text's forced score
- `tokens`, `text`: sentences are joined by ` _eos `; a model may give another number of them than the segment has

What is searched for is a segment (a sentence, a window, an instance) or, where a model is synchronous, a sentence of
one. Windows are listed as they were found, without the fallbacks for those with another number of sentences.
"""

from collections.abc import Iterator, Sequence

from docmt.decoding.segments import Restore
from docmt.decoding.strategy import Decoded
from docmt.search import Translation

COLUMNS = ("line", "segment", "rank", "score", "log_probability", "tokens", "text")
BETWEEN_SENTENCES = " _eos "


def nbest_lines(decoded: Decoded, restore: Restore, numbers: Sequence[int] | None = None) -> Iterator[str]:
    """The rows as text, without line feeds, the header first.

    `numbers`: those to be shown for the lines of the translations, where they are not 1, 2, 3 ...
    """
    yield "\t".join(COLUMNS)
    segments = zip(decoded.first_lines, decoded.searches, strict=True)
    for segment, (first, searches) in enumerate(segments, start=1):
        for line, ranked in enumerate(searches, start=first):
            shown = line + 1 if numbers is None else numbers[line]
            for rank, one in enumerate(ranked, start=1):
                yield "\t".join((f"{shown}\t{segment}\t{rank}", *_cells(one, restore)))


def _cells(one: Translation, restore: Restore) -> tuple[str, ...]:
    restored = zip(*map(restore, one.sentences), strict=True)
    return f"{one.normalised:.6f}", f"{one.score:.6f}", *(BETWEEN_SENTENCES.join(texts) for texts in restored)
