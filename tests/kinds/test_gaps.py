"""Tables of gaps: two systems a row, their difference and its interval over seeds."""

import csv
import dataclasses
import io
import math
import re

import pytest
from helpers.single_item import page_of
from scipy.stats import ttest_ind

from docmt.kinds.gaps import welch_interval
from docmt.reporting.exports import to_csv
from docmt.reporting.pieces import Piece, pieces

CORPUS = "toy_zh-en"
GAPS = {"title": "Gaps", "kind": "gaps", "corpus": CORPUS, "metric": "dev NLL", "baseline": "Ours"}
ROW = {"label": "64 tokens", "system": "sentence", "baseline": "concat_3"}

WITHIN = 0.95 / math.sqrt(2 * 0.975 * 0.025)
"""Of t with two degrees of freedom 95 % lie this near to 0: its quantile is (2p - 1) / sqrt(2p (1 - p))."""


def gaps(world, *rows: dict, **table: object) -> Piece:
    world.settings["study"]["tables"] = {"t": {**GAPS, "rows": list(rows), **table}}
    (piece,) = pieces(world.load())
    return piece


def train(world, system: str, *losses: float) -> None:
    for seed, loss in enumerate(losses, 1):
        world.train(system, seed, dev_perplexity=math.exp(loss))


@pytest.fixture
def seeds(world):
    """Three seeds a system."""
    world.settings["entries"] = [dataclasses.replace(entry, seeds=(1, 2, 3)) for entry in world.settings["entries"]]
    return world


def test_degrees_of_freedom_are_those_of_welch():
    """Variances 18 and 3 of two and three values: standard error sqrt(9 + 1), (9 + 1)^2 / (81 / 1 + 1 / 2) degrees.

    Pooled as Student has it, there would be 3 degrees, and an interval less than half as wide.
    """
    system, baseline = [0, 6], [4 - 3**0.5, 4, 4 + 3**0.5]
    low, high = welch_interval(system, baseline, 0.95)
    assert (low + high) / 2 == pytest.approx(-1)
    assert 2 * 12.71 * math.sqrt(10) > high - low > 2 * 4.303 * math.sqrt(10), "between 1 and 2 degrees"
    known = ttest_ind(system, baseline, equal_var=False).confidence_interval(0.95)
    assert (low, high) == pytest.approx((known.low, known.high))


def test_a_row_has_both_systems_their_difference_and_its_interval(seeds):
    train(seeds, "sentence", 1.0, 3.0, 5.0)
    train(seeds, "concat_3", 1.0, 1.0, 1.0)
    piece = gaps(seeds, {"group": "By length"}, ROW)
    (record,) = piece.records
    assert (record["system"], record["baseline"], record["metric"]) == ("sentence", "concat_3", "dev NLL")
    numbers = ("system_measured", "baseline_measured", "system_sd", "difference", "low", "high")
    ends = (2 - WITHIN * math.sqrt(4 / 3), 2 + WITHIN * math.sqrt(4 / 3))
    assert [record[name] for name in numbers] == pytest.approx([3.0, 1.0, 2.0, 2.0, *ends])
    text = re.sub(r"<[^>]*>|\s+", " ", page_of(seeds))
    assert "3.000 ± 2.000 1.000 ± 0.000 +2.000 −2.968 to +6.968" in " ".join(text.split())
    assert "Welch's t interval over seeds, 95 %, two-sided" in piece.content.test
    row = next(csv.DictReader(io.StringIO(to_csv(piece))))
    assert (row["row"], float(row["difference"])) == ("64 tokens", pytest.approx(2.0))


def test_headings_and_names_of_the_two_columns_stand_on_the_page(seeds):
    train(seeds, "sentence", 1.0)
    gaps(seeds, {"group": "By length"}, ROW, system="Theirs")
    html = page_of(seeds)
    assert ">By length</th>" in html
    assert re.findall(r'<th class="first" scope="col">([^<]*)', html) == [
        "Theirs",
        "Ours",
        "difference",
        "95 % interval",
    ]
    assert "dev NLL (nats a target piece)" in html


def test_what_was_not_run_says_so_and_one_seed_has_no_interval(world):
    train(world, "sentence", 1.0)
    train(world, "concat_3", 0.5)
    never = {"label": "never", "system": "sentence", "baseline": "g_transformer"}
    first, second = gaps(world, ROW, never).records
    assert (first["difference"], first["low"], first["high"]) == (pytest.approx(0.5), None, None)
    assert (second["difference"], second["low"], second["baseline_status"]) == (None, None, "not run")
    gaps(world, ROW, never)
    html = page_of(world)
    assert "1 of 2 seeds" in html and '<span class="absent">not run</span>' in html
