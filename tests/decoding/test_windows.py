"""Sliding windows and their fallback, with a translator whose outputs say where they come from."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.decoding.segments import SegmentTable
from docmt.decoding.strategy import Decoded, Fallbacks, Position, places
from docmt.decoding.strategy import slide as slide_outputs
from docmt.decoding.translator import SearchResults
from docmt.nn.rows import Rows
from docmt.search.beam import Translation

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
        words = iter(rows.source_ids.tolist())
        windows = [[next(words) for _ in range(count)] for count in rows.sentences.tolist()]
        again = len(self.calls) > 1
        outputs = [[[n, n + ALONE if again else window[0]] for n in window] for window in windows]
        return results_of(outputs if again else [self.broken(output) for output in outputs])


documents = st.lists(st.integers(1, 7), min_size=1, max_size=5)


@given(documents, st.integers(1, 4))
def test_every_sentence_once_for_each_position_and_never_across_documents(lengths, k):
    segments, windows = windows_of(lengths, k)
    owner = [document for document, length in enumerate(lengths) for _ in range(length)]
    for j in range(1, k + 1):
        numbers = [windows[window][place] for window, place in places(segments, j)]
        assert numbers == list(range(sum(lengths)))
        for sentence, (window, place) in enumerate(places(segments, j)):
            assert {owner[n] for n in windows[window]} == {owner[sentence]}
            exists = any(len(other) >= j and other[j - 1] == sentence for other in windows)
            assert place == j - 1 or not exists


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


def test_a_document_shorter_than_the_window_is_one_window():
    slid = slide(windows_of([2, 4], 3)[0], 3, FakeTranslator())
    assert [[window for _, window in take] for take in slid.translations] == [
        [0, 0, 2, 3, 3, 3],
        [0, 0, 2, 2, 3, 3],
        [0, 0, 2, 2, 2, 3],
    ]
    assert slid.positions == [Position(3, 3), Position(3, 3), Position(2, 4)]


@pytest.mark.parametrize(
    "broken", [lambda output: output[:-1], lambda output: [*output, [5]], lambda output: output[:1]]
)
def test_sentences_of_a_window_with_another_count_are_translated_alone(broken):
    segments, _ = windows_of([5], 3)
    translator = FakeTranslator(lambda output: broken(output) if output[0][1] == 1 else output)
    slid = slide(segments, 3, translator)
    assert slid.translations[1] == [[0, 0], [1, 0], [2, ALONE + 2], [3, 2], [4, 2]]
    assert translator.calls == [[3, 3, 3], [1, 1, 1]]
    assert slid.positions == [Position(2, 2, 1)] * 3
    assert slid.fallbacks == Fallbacks(windows=1, sentences=3, merged=0)


def test_a_sentence_of_several_failed_windows_is_translated_again_once():
    segments, _ = windows_of([4, 4], 3)
    translator = FakeTranslator(lambda output: output[:1])
    slid = slide(segments, 3, translator)
    assert slid.translations[2] == [[n, ALONE + n] for n in range(8)]
    assert translator.calls[1] == [1] * 8
    assert slid.fallbacks == Fallbacks(windows=4, sentences=8, merged=0)


def test_several_sentences_for_one_become_one_line():
    """Windows of one sentence are not translated again: the output would be the same."""
    segments, _ = windows_of([3], 1)
    translator = FakeTranslator(lambda output: [*output, [77]] if output[0][0] == 1 else output)
    slid = slide(segments, 1, translator)
    assert slid.translations == [[[0, 0], [1, 1, 77], [2, 2]]]
    assert len(translator.calls) == 1
    assert slid.positions == [Position(3, 0, 0)]
    assert slid.fallbacks == Fallbacks(windows=1, sentences=0, merged=1)


class StubbornTranslator(FakeTranslator):
    """Gives two sentences for everything."""

    def translate(self, rows: Rows) -> SearchResults:
        self.calls.append(rows.sentences.tolist())
        return results_of([[[8], [9]]] * len(rows))


@given(documents, st.integers(1, 4))
def test_one_line_a_sentence_whatever_the_model_gives(lengths, k):
    segments, windows = windows_of(lengths, k)
    slid = slide(segments, k, StubbornTranslator())
    assert [len(take) for take in slid.translations] == [sum(lengths)] * k
    assert slid.fallbacks.windows == sum(len(window) != 2 for window in windows)
    for j, take in enumerate(slid.translations, start=1):
        fits = [(len(windows[window]) == 2, place) for window, place in places(segments, j)]
        assert take == [[(8, 9)[place]] if fit else [8, 9] for fit, place in fits]
