"""Sliding windows and their fallback, with a translator whose outputs say where they come from."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from docmt.decoding.segments import SegmentTable
from docmt.decoding.strategy import Decoded, Fallbacks, Position
from docmt.decoding.strategy import slide as slide_outputs
from docmt.decoding.translator import SearchResults
from docmt.nn.rows import Rows
from docmt.search.translations import Translation

ALONE = 1000
"""Added to a sentence's number where it was translated alone."""


def windows_of(lengths: list[int], k: int) -> tuple[SegmentTable, list[list[int]]]:
    """The windows of documents of so many sentences, and their sentences; sentence n of all is the one word n."""
    windows, first, start = [], [], 0
    for length in lengths:
        for begin in range(max(length - k, 0) + 1):
            windows.append(list(range(start + begin, start + min(begin + k, length))))
            first.append(begin)
        start += length
    return SegmentTable(Rows.from_lists([[[n] for n in window] for window in windows]), first), windows


def slide(segments: SegmentTable, k: int, translator, copies: int = 0) -> Decoded:
    outputs = [translation.sentences for translation in translator.translate(segments.rows).best]
    translations, positions, fallbacks = slide_outputs(outputs, segments, k, translator, copies)
    return Decoded("sliding windows", translations, len(translations[-1]), [], [], fallbacks, positions)


def results_of(outputs: list[list[list[int]]]) -> SearchResults:
    return SearchResults([Translation(output, 0.0, 0.0, 0) for output in outputs], [])


class FakeTranslator:
    """Gives [sentence, first sentence of its window]; `broken` may change the output of a window of several."""

    def __init__(self, broken: Callable[[list[list[int]]], list[list[int]]] = lambda output: output) -> None:
        self.broken, self.calls = broken, []

    def translate(self, rows: Rows) -> SearchResults:
        self.calls.append(rows.sentences.tolist())
        words = iter(rows.source_ids.flat().tolist())
        windows = [[next(words) for _ in range(count)] for count in rows.sentences.tolist()]
        again = len(self.calls) > 1
        outputs = [[[n, n + ALONE if again else window[0]] for n in window] for window in windows]
        return results_of(outputs if again else [self.broken(output) for output in outputs])


documents = st.lists(st.integers(1, 7), min_size=1, max_size=5)


def filled_windows_of(lengths: list[int], k: int) -> SegmentTable:
    """A window for each sentence of documents of so many; copies are negative."""
    starts = [sum(lengths[:number]) for number in range(len(lengths))]
    filled = [[*range(-k + 1, 0), *range(start, start + n)] for start, n in zip(starts, lengths, strict=True)]
    windows = [(begin, document[begin : begin + k]) for document in filled for begin in range(len(document) - k + 1)]
    return SegmentTable(Rows.from_lists([[[w] for w in window] for _, window in windows]), [n for n, _ in windows])


@given(documents, st.integers(2, 4), st.booleans())
def test_of_filled_windows_each_sentence_is_the_last_of_its_own_and_copies_have_no_line(lengths, k, is_broken):
    segments = filled_windows_of(lengths, k)
    translator = FakeTranslator((lambda output: output[:1]) if is_broken else (lambda output: output))
    slid = slide(segments, k, translator, k - 1)
    numbers = [*range(sum(lengths))]
    assert all([line[0] for line in take] == numbers for take in slid.translations)
    assert slid.positions[-1] == (Position(alone=len(numbers)) if is_broken else Position(exact=len(numbers)))
    assert slid.fallbacks.sentences == (len(numbers) if is_broken else 0)
    assert segments.first_sentences(k - 1) == [max(n - k + 1, 0) + start for start, n in numbers_in_documents(lengths)]


def numbers_in_documents(lengths: list[int]) -> list[tuple[int, int]]:
    """Of each sentence the number of the first sentence of its document, and its number in the document."""
    return [(sum(lengths[:number]), n) for number, length in enumerate(lengths) for n in range(length)]


def test_the_positions_of_one_document():
    """Five sentences, windows 012, 123, 234: the nearest window stands in for one that does not exist."""
    slid = slide(windows_of([5], 3)[0], 3, FakeTranslator())
    windows = [[window for _, window in take] for take in slid.translations]
    assert windows == [[0, 1, 2, 2, 2], [0, 0, 1, 2, 2], [0, 0, 0, 1, 2]]
    assert slid.positions == [Position(exact=3, nearest=2)] * 3
    assert slid.fallbacks == Fallbacks()
