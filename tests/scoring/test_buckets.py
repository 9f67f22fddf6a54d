"""s-BLEU by bucket: each sentence in one bucket of each kind, and the buckets together the whole test set."""

import numpy as np
import pyarrow as pa
import pytest

from docmt.base.columns import TOKENS
from docmt.base.tables import write_arrow
from docmt.scoring.bleu_scores import BOUNDS, bucket_names, bucket_tallies, bucket_values
from docmt.scoring.tallies import Tally

TRAIN = ["a b"] * 12 + ["a c"]
TEST = [("x", 0, "a b"), ("x", 1, "a c"), ("x", 2, " ".join("a" * 25)), ("y", 0, "a unseen"), ("y", 1, "")]


@pytest.fixture
def tokens(tmp_path):
    rows = [("train", "t", number, line) for number, line in enumerate(TRAIN)]
    rows += [("test", *row) for row in TEST]
    names = ("split", "document", "sentence", "source_tokens")
    table = [dict(zip(names, row, strict=True)) | dict.fromkeys(TOKENS.names[4:]) for row in rows]
    write_arrow(tmp_path / "tokens.arrow", pa.Table.from_pylist(table, TOKENS))
    return tmp_path


def tally() -> Tally:
    """Five sentences of nine right words each, but the second, which has six of nine."""
    right = [9, 9, 9, 8, 7, 6, 9, 8, 7, 6]
    counts = np.array([right, [9, 9, 6, 3, 1, 1, 9, 8, 7, 6], right, right, right], dtype=float)
    return Tally("s-BLEU", "bleu:exp", "sentences", tuple("01234"), counts, "tok:13a")


def test_the_numbers_are_those_of_the_source_and_of_training(tokens):
    assert bucket_values(tokens) == {
        "length": [2, 2, 25, 2, 1],
        "frequency": [12, 1, 13, 0, 0],
        "position": [1, 2, 3, 1, 2],
    }


def test_each_sentence_is_in_one_bucket_of_each_kind(tokens):
    buckets = {bucket.group: bucket.names for bucket in bucket_tallies(tokens, tally())}
    assert buckets == {
        "@length.1-10": ("0", "1", "3", "4"),
        "@length.21-30": ("2",),
        "@frequency.0": ("3", "4"),
        "@frequency.1-9": ("1",),
        "@frequency.10-99": ("0", "2"),
        "@position.1": ("0", "3"),
        "@position.2-5": ("1", "2", "4"),
    }


def test_the_score_of_a_bucket_is_that_of_its_sentences_alone(tokens):
    buckets, whole = {bucket.group: bucket for bucket in bucket_tallies(tokens, tally())}, tally()
    assert buckets["@frequency.1-9"].score == float(whole.scores(whole.counts[1:2])[0]) < 60
    assert buckets["@frequency.0"].score == pytest.approx(100)
    assert buckets["@position.2-5"].signature == "tok:13a|bucket:position:2-5"


def test_buckets_follow_each_other_without_a_gap():
    for bounds in BOUNDS.values():
        ends = [name.rstrip("+").split("-") for name in bucket_names(bounds)]
        assert [int(low) for low, *_ in ends] == list(bounds)
        assert [int(end[-1]) + 1 for end in ends[:-1]] == list(bounds[1:])
