"""Chains of whole corpora: random documents against loops alone, and any number of shards and processes."""

from collections import Counter
from itertools import accumulate, pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt.base.artifacts import read_json
from docmt.base.columns import CHAINS_WORDS, SEGMENT_CHAINS, SEGMENTS, TOKENS
from docmt.base.errors import UserError
from docmt.base.tables import arrow_writer, read_arrow
from docmt.base.workers import ALONE, Workers
from docmt.chains.documents import WordsSettings, build_words
from docmt.chains.segments import SegmentsSettings, build_segments
from docmt.chains.statistics import COUNTED, card
from docmt.settings.data import CutConfig, ViewConfig
from docmt.views.build import ViewsSettings, build_view

PIECES = {"的": ["的"], "ab": ["a@@", "b"], "科学家们": ["科学@@", "家@@", "们"], "x": ["x"], "a": ["a"]}
CUTS = [
    CutConfig(window=1),
    CutConfig(window=3),
    CutConfig(window=3, openings=True),
    CutConfig(max_tokens=14),
    CutConfig(max_sentences=2),
    CutConfig(documents=True),
]
SENTENCES = st.lists(st.sampled_from(list(PIECES)), min_size=1, max_size=6)
DOCUMENTS = st.lists(st.tuples(st.sampled_from(["train", "dev", "test"]), st.lists(SENTENCES, min_size=1, max_size=6)))
"""Documents with their splits, as words of sentences."""


def write_tokens(folder: Path, documents: list, each: int) -> Path:
    """tokens.arrow with a shard for each so many documents."""
    with arrow_writer(folder / "tokens.arrow", TOKENS) as writer:
        for first in range(0, len(documents), each):
            rows = [
                {
                    "split": split,
                    "document": f"d{first + number}",
                    "sentence": sentence,
                    "source_tokens": " ".join(words),
                    "source_pieces": " ".join(piece for word in words for piece in PIECES[word]),
                    "source_ids": [7 for word in words for _ in PIECES[word]],
                    "target_ids": [7],
                }
                for number, (split, sentences) in enumerate(documents[first : first + each])
                for sentence, words in enumerate(sentences)
            ]
            writer.write_table(pa.Table.from_pylist(rows, TOKENS))
    return folder


def chains_of_words(documents: list, stopped: set[str]) -> set[tuple]:
    """Paper: section 3 and appendix A. Every word that a document says twice, at all its places (a_k, b_k)."""
    chains = set()
    for number, (split, sentences) in enumerate(documents):
        for word in set(PIECES) - stopped:
            places = []
            for a, words in enumerate(sentences):
                for b, other in enumerate(words):
                    if other == word:
                        places.append((a, b))
            if len(places) >= 2:
                chains.add((split, f"d{number}", word, tuple(places)))
    return chains


def chains_of_pieces(sentences: list[list[str]], stopped: set[str]) -> set[tuple[int, ...]]:
    """Places of pieces: a chain for each word that is said twice and each number of a piece in it."""
    chains = set()
    for word in set(PIECES) - stopped:
        for piece in range(len(PIECES[word])):
            places, start = [], 0
            for words in sentences:
                for other in words:
                    if other == word:
                        places.append(start + piece)
                    start += len(PIECES[other])
            if len(places) >= 2:
                chains.add(tuple(places))
    return chains


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("corpora")


@settings(max_examples=40)
@given(documents=DOCUMENTS, each=st.integers(1, 4), stop_words=st.integers(0, 2))
def test_chains_of_documents_are_those_of_loops(folder, documents, each, stop_words):
    tokens = write_tokens(folder / "tokens", documents, each)
    build_words(WordsSettings(1, stop_words), tokens, folder / "words")
    stopped = set((folder / "words" / "stop_words.txt").read_text(encoding="utf-8").split())
    rows = read_arrow(folder / "words" / "chains.arrow", CHAINS_WORDS).to_pylist()
    chains = [(r["split"], r["document"], r["word"], tuple(zip(r["sentences"], r["words"], strict=True))) for r in rows]
    assert len(chains) == len(set(chains))
    assert set(chains) == chains_of_words(documents, stopped)
    # In the order of the documents, then of first places.
    assert chains == sorted(chains, key=lambda chain: (int(chain[1][1:]), chain[3][0]))
    cards = read_json(folder / "words" / "card.json")["splits"]
    for split, split_card in cards.items():
        texts = [[word for words in sentences for word in words] for name, sentences in documents if name == split]
        sizes = [n for text in texts for word, n in Counter(text).items() if n > 1 and word not in stopped]
        numbers = (len(texts), sum(map(len, texts)), len(sizes), sum(sizes))
        assert split_card == card(dict(zip(COUNTED, numbers, strict=True)))


@settings(max_examples=40)
@given(documents=DOCUMENTS, each=st.integers(1, 4), stop_words=st.integers(0, 2), cut=st.sampled_from(CUTS))
def test_chains_of_segments_are_those_of_loops(folder, documents, each, stop_words, cut):
    tokens = write_tokens(folder / "tokens", documents, each)
    view = ViewConfig(cut, CutConfig(documents=True))
    build_words(WordsSettings(1, stop_words), tokens, folder / "words")
    build_view(ViewsSettings(1, view), tokens, folder / "view")
    build_segments(SegmentsSettings(1, view), tokens, folder / "words", folder / "view", folder / "chains")
    stopped = set((folder / "words" / "stop_words.txt").read_text(encoding="utf-8").split())
    for split in ("train", "dev", "test"):
        segments = read_arrow(folder / "view" / f"{split}.arrow", SEGMENTS).to_pylist()
        rows = read_arrow(folder / "chains" / f"{split}.arrow", SEGMENT_CHAINS).to_pylist()
        for segment, row in zip(segments, rows, strict=True):
            sentences = documents[int(segment["document"][1:])][1][segment["first"] :][: len(segment["source_lengths"])]
            ends = accumulate(row["lengths"], initial=0)
            chains = [tuple(row["members"][start:end]) for start, end in pairwise(ends)]
            assert chains == sorted(chains_of_pieces(sentences, stopped))


TOLD = [("train", [["ab", "x"], ["科学家们", "ab"], ["x"]]), ("dev", [["x", "x"]]), ("train", [["a"], ["a", "ab"]])] * 2


LEAVES_OUT = {"min_document_sentences": 3, "sample": 3}
"""Documents of three sentences remain, with two windows each, of which one is not drawn."""


def built(folder: Path, tokens: Path, workers: Workers, **train: int) -> Path:
    view = ViewConfig(CutConfig(window=2, **train), CutConfig(documents=True))
    build_view(ViewsSettings(1, view), tokens, folder / "view", workers)
    build_words(WordsSettings(1, 1), tokens, folder / "words", workers)
    build_segments(SegmentsSettings(1, view), tokens, folder / "words", folder / "view", folder / "chains", workers)
    return folder


@pytest.mark.slow
def test_shards_and_workers_change_nothing_but_the_record_batches(tmp_path):
    tokens = write_tokens(tmp_path / "tokens", TOLD, 2)
    first, second = (built(tmp_path / str(n), tokens, Workers(n)) for n in (1, 2))
    whole = built(tmp_path / "whole", write_tokens(tmp_path / "tokens1", TOLD, 9), Workers(1))
    for path in sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file()):
        assert (first / path).read_bytes() == (second / path).read_bytes()
        if path.suffix != ".arrow":
            assert (first / path).read_bytes() == (whole / path).read_bytes()
        elif path.parent.name != "view":
            schema = CHAINS_WORDS if path.parent.name == "words" else SEGMENT_CHAINS
            assert read_arrow(first / path, schema) == read_arrow(whole / path, schema)


def test_what_a_view_leaves_out_of_training_has_no_chains(tmp_path):
    tokens = write_tokens(tmp_path / "tokens", TOLD, 1)
    every, some = built(tmp_path / "every", tokens, ALONE), built(tmp_path / "some", tokens, ALONE, **LEAVES_OUT)
    chains: dict[Path, list] = {}
    for folder in (every, some):
        segments = read_arrow(folder / "view" / "train.arrow", SEGMENTS).to_pylist()
        rows = read_arrow(folder / "chains" / "train.arrow", SEGMENT_CHAINS).to_pylist()
        chains[folder] = [(s["document"], s["first"], row) for s, row in zip(segments, rows, strict=True)]
    assert len(chains[some]) == 3
    assert chains[some] == [row for row in chains[every] if row in chains[some]]
    assert read_json(some / "chains" / "card.json")["splits"]["train"]["texts"] == 3
    for split in ("dev", "test"):
        files = [folder / "chains" / f"{split}.arrow" for folder in (every, some)]
        assert files[0].read_bytes() == files[1].read_bytes()


def test_a_view_with_other_shards_is_refused(tmp_path):
    view = built(tmp_path, write_tokens(tmp_path / "tokens", TOLD, 2), Workers(1)) / "view"
    tokens = write_tokens(tmp_path / "other", TOLD, 1)
    told = SegmentsSettings(1, ViewConfig(CutConfig(window=2), CutConfig(documents=True)))
    message = (
        r"train\.arrow: the view was cut from different tokens\n  found 3 shards; expected 4 .*\n  build the view again"
    )
    with pytest.raises(UserError, match=message):
        build_segments(told, tokens, tmp_path / "words", view, tmp_path / "out")
