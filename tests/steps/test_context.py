"""The instances by which CXMI is measured are those of views: a window of each size, with its lexical chains."""

from pathlib import Path

import pyarrow as pa
import pytest
from helpers.small_corpus import PAIRS, document_rows, small_rows, write_corpus

from docmt.base.columns import SEGMENT_CHAINS, SEGMENTS, TOKENS
from docmt.base.tables import arrow_writer, read_arrow
from docmt.chains.documents import WordsSettings, build_words
from docmt.chains.segments import SegmentsSettings, build_segments
from docmt.settings.data import CutConfig, TextConfig, ViewConfig
from docmt.steps.context import instances
from docmt.text.pipeline import TokensSettings
from docmt.text.process import process_corpus
from docmt.views.build import ViewsSettings, build_view

MOST = 3


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> tuple[Path, Path]:
    """Tokens and the words that form no chain, of documents of four sentences, one, and one that repeats words."""
    folder = tmp_path_factory.mktemp("data")
    repeating = [PAIRS[0], PAIRS[1], PAIRS[0], PAIRS[2], PAIRS[0]]
    documents = document_rows("test", "d1", PAIRS[:1]), document_rows("test", "d2", repeating)
    corpus = write_corpus(folder / "corpus", [*small_rows(), *documents[0], *documents[1]])
    settings = TokensSettings(1, "small", "zh", "en", TextConfig(bpe="separate", vocabulary="separate", merges=3))
    process_corpus(settings, corpus, folder / "tokens")
    build_words(WordsSettings(1, 2), folder / "tokens", folder / "words")
    return folder / "tokens", folder / "words"


def rows_of(tables: tuple[pa.Table, pa.Table]) -> list[dict]:
    segments, chains = (table.to_pylist() for table in tables)
    return [segment | chain for segment, chain in zip(segments, chains, strict=True)]


def test_instances_are_the_windows_of_views_with_their_chains(data, tmp_path):
    """A chain of a longer window whose words are not repeated in a shorter one is none there."""
    found = rows_of(instances(*data, MOST))
    chained = []
    for size in range(1, MOST + 2):
        cut = CutConfig(window=size)
        view = ViewConfig(cut, cut)
        folders = [tmp_path / f"{name}{size}" for name in ("view", "chains")]
        build_view(ViewsSettings(1, view), data[0], folders[0])
        build_segments(SegmentsSettings(1, view), *data, *folders)
        view, chains = (folder / "test.arrow" for folder in folders)
        built = rows_of((read_arrow(view, SEGMENTS), read_arrow(chains, SEGMENT_CHAINS)))
        whole = [row for row in built if len(row["source_lengths"]) == size]
        assert [row for row in found if len(row["source_lengths"]) == size] == whole
        chained.append(sum(len(row["lengths"]) for row in whole) / len(whole))
    assert chained == sorted(chained) and chained[0] < chained[-1]


def test_instances_do_not_depend_on_shards(data, tmp_path):
    """Shards are runs of whole documents; one without a sentence of test is passed over."""
    rows = read_arrow(data[0] / "tokens.arrow", TOKENS)
    opens = [number for number, sentence in enumerate(rows["sentence"].to_pylist()) if sentence == 0]
    with arrow_writer(tmp_path / "tokens.arrow", TOKENS) as writer:
        for first, end in zip(opens, [*opens[1:], len(rows)], strict=True):
            writer.write_table(rows.slice(first, end - first).combine_chunks())
    assert rows_of(instances(tmp_path, data[1], MOST)) == rows_of(instances(*data, MOST))


def test_without_words_there_are_no_chains(data):
    segments, chains = instances(data[0], None, MOST)
    assert chains is None and segments.equals(instances(*data, MOST)[0])
