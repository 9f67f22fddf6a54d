"""Length penalties and the rules of the frames by themselves."""

import pytest
import torch

from docmt.base.vocabulary import BOS, EOS, SEP
from docmt.nn.rows import Rows
from docmt.search.rules import (
    RULES,
    ClosedRules,
    FairseqRules,
    JoinedRules,
    UnmarkedRules,
    WrappedRules,
    instance_limits,
    most_pieces,
)
from docmt.search.translations import length_penalty
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import PositionTable


@pytest.mark.parametrize(
    "penalty, alpha, length, factor",
    [
        ("average", 1.0, 7, 7.0),
        ("average", 0.5, 9, 3.0),
        ("average", 0.0, 9, 1.0),
        ("gnmt", 1.0, 7, 2.0),
        ("gnmt", 0.6, 1, 1.0),
        ("unified_dnmt", 1.0, 7, 5 + 7 / 6),
        ("unified_dnmt", 0.5, 24, 3.0),
        ("none", 1.0, 7, 1.0),
    ],
)
def test_length_penalty(penalty, alpha, length, factor):
    config = DecodeConfig(length_penalty=penalty, length_alpha=alpha)
    assert length_penalty(length, config) == pytest.approx(factor)


def test_the_maximum_may_be_that_of_the_longest_sentence_of_the_batch():
    """As in fairseq, whose `counted_besides` is 1."""
    rows = Rows.from_lists([[[7] * 3, [7]], [[7] * 4]])
    config = DecodeConfig(max_length_a=1.0, max_length_b=2, max_length_of="batch")
    assert instance_limits(rows, config) == [[6, 6], [6]]
    assert instance_limits(rows, config, 1) == [[7, 7], [7]]


def test_no_maximum_is_above_the_positions_of_a_trained_table():
    """One position is that of the symbol before the first piece; `closed` reads the symbol after the last one too."""
    rows, config = Rows.from_lists([[[7] * 3, [7]]]), DecodeConfig(max_length_a=2.0, max_length_b=1)
    tables = PositionTable("wrapped", "running", 6), PositionTable("closed", "restarting", 6), None
    assert [instance_limits(rows, config, 0, most_pieces(table)) for table in tables] == [[[5, 3]], [[4, 3]], [[7, 3]]]


@pytest.mark.parametrize(
    ("sentences", "marked", "closed"),
    [(10, 690, 700), (20, 760, 780), (30, 870, 900), (40, 920, 960), (60, 1080, 1140), (80, 1200, 1280)],
)
def test_the_limits_of_sentences_never_go_beyond_the_table_together(sentences, marked, closed):
    """At the size of the papers' segments, with the maximum lengths that are the default."""
    rows = Rows.from_lists([[[7] * ((511 - 2 * sentences) // sentences)] * sentences])
    for frame, outputs in (("wrapped", marked), ("closed", closed)):
        limits = instance_limits(rows, DecodeConfig(), 0, 1023)
        for most, expected in ((None, outputs), (outputs, outputs), (1024, min(outputs, 1024))):
            table = None if most is None else PositionTable(frame, "running", most)
            assert RULES[frame](limits, torch.device("cpu"), table).capacity == expected


def test_what_counts_for_the_maximum_is_never_less_than_nothing():
    rows, config = Rows.from_lists([[[7] * 3, []]]), DecodeConfig(max_length_a=2.0, max_length_b=1)
    assert [instance_limits(rows, config, besides) for besides in (-1, 0, 1)] == [[[5, 1]], [[7, 1]], [[9, 3]]]


@pytest.mark.parametrize(
    "rules, outputs, sentences",
    [
        (WrappedRules, [8, 9, EOS, 7, EOS], [[8, 9], [7]]),
        (JoinedRules, [8, 9, SEP, 7, EOS], [[8, 9], [7]]),
        (JoinedRules, [8, EOS], [[8]]),
        (FairseqRules, [8, 9, EOS, 7, EOS], [[8, 9], [7]]),
        (ClosedRules, [8, 9, EOS, BOS, 7, EOS, SEP], [[8, 9], [7]]),
        (UnmarkedRules, [8, 9, 7, EOS], [[8, 9, 7]]),
    ],
)
def test_outputs_are_split_at_the_ends_of_sentences(rules, outputs, sentences):
    assert rules.split(outputs) == sentences
