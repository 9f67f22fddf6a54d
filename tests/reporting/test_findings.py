"""What the findings of a study come to, and the first screen of a page."""

import re

import pytest

from docmt.base.artifacts import read_json
from docmt.reporting.findings import judged_findings
from docmt.reporting.page import absent_runs, write_report

CELLS = {
    "a": {"table": "t", "system": "concat_3", "metric": "s-BLEU"},
    "b": {"table": "t", "system": "sentence", "metric": "s-BLEU"},
}


@pytest.fixture
def two(world):
    """A table of two systems with 22.5 and 20.0, whose difference is significant."""
    world.table("t", [{"system": "sentence"}, {"system": "concat_3"}], ["s-BLEU"], baseline="sentence")
    world.score("sentence")
    world.score("concat_3", bleu=22.5)
    world.compare("concat_3", 0.01)
    return world


def judge(world, says="{a} is {a-b} above {b}.", **when):
    stated = {"says": says, "cells": CELLS, "when": [{"cell": "a", **when}]}
    world.settings["study"]["findings"] = [stated]
    (finding,) = judged_findings(world.load())
    return finding


def test_a_sentence_has_the_numbers_of_its_cells(two):
    assert judge(two, above="b").sentence == "22.50 is 2.50 above 20.00."
    assert judge(two, says="{b-a}", above="b").sentence == "−2.50"


@pytest.mark.parametrize(
    "when",
    [
        {"above": "b"},
        {"above": "b", "by": 2.5, "p": 0.05},
        {"below": 23},
        {"near": "b", "by": 2.5},
        {"near": 22.5},
    ],
)
def test_a_finding_is_supported_where_its_conditions_hold(two, when):
    assert judge(two, **when).state == "supported"


@pytest.mark.parametrize(
    ("when", "reason"),
    [
        ({"below": "b"}, "s-BLEU of concat_3 is not below sentence (difference +2.50)"),
        ({"above": "b", "by": 3.0}, "s-BLEU of concat_3 is not above sentence by 3 (difference +2.50)"),
        ({"near": "b", "by": 2.0}, "s-BLEU of concat_3 is not near sentence by 2 (difference +2.50)"),
        ({"above": 22.5}, "s-BLEU of concat_3 is not above 22.5 (difference 0.00)"),
        (
            {"above": "b", "p": 0.01},
            "no significant difference between s-BLEU of concat_3 and sentence (p = 0.0100, level 0.01)",
        ),
    ],
)
def test_a_finding_is_not_supported_where_a_condition_fails(two, when, reason):
    finding = judge(two, **when)
    assert (finding.state, finding.reasons) == ("not supported", (reason,))


def test_a_difference_without_a_test_is_no_finding(world):
    world.table("t", [{"system": "sentence"}, {"system": "concat_3"}], ["s-BLEU"], baseline="sentence")
    world.score("sentence")
    world.score("concat_3", bleu=22.5)
    assert judge(world, above="b", p=0.05).reasons == ("no test of s-BLEU of concat_3 and sentence was run",)


def test_a_finding_without_a_number_names_what_was_not_run(world):
    world.table("t", [{"system": "sentence"}, {"system": "concat_3"}], ["s-BLEU"])
    world.score("sentence")
    finding = judge(world, above="b")
    assert (finding.sentence, finding.state, finding.reasons) == ("… is … above 20.00.", "not run", ("concat_3",))


def test_numbers_of_generated_text_support_nothing(two):
    two.settings["data"] = {"toy_zh-en": "toy_zh-en@smoke"}
    assert judge(two, above="b").state == "not judged"
    write_report(two.settings_file, two.folders, two.output)
    text = two.output.read_text(encoding="utf-8")
    assert "decide none of the 1 findings" in text and judge(two, above="b").sentence not in text
    assert "The best system" not in text


def test_the_first_screen_says_what_was_found_and_what_was_not_run(two):
    judge(two, below="b")
    two.settings["not_run"] = {"toy_zh-en/never_run": "its text is not here"}
    two.load()
    write_report(two.settings_file, two.folders, two.output)
    text = two.output.read_text(encoding="utf-8")
    header = re.sub(r"\s+", " ", text[text.index("<header>") : text.index("</header>")])
    assert "<b>Not supported here: </b>22.50 is 2.50 above 20.00." in header
    assert "best is concat_3 by s-BLEU (22.50, +2.50, p = 0.0100). Differences are from sentence." in header
    assert "4 of 8 runs: not run yet" in header
    assert "2 of 8 runs: its text is not here" in header
    assert header.index("What was found") < header.index("What was not run") < header.index("corpora")


def test_the_json_of_a_table_has_its_findings(two):
    judge(two, above="b")
    two.only("t", "scores", "comparisons")
    two.load()
    write_report(two.settings_file, two.folders, two.output)
    (finding,) = read_json(two.output.with_suffix(".json"))["findings"]
    assert (finding["sentence"], finding["state"]) == ("22.50 is 2.50 above 20.00.", "supported")


def test_a_training_without_scores_is_not_called_a_run_that_is_missing(world):
    world.table("t", [{"system": "sentence"}], ["dev NLL"])
    world.train("sentence")
    # never_run differs from sentence in decoding alone, and has the same training.
    assert absent_runs(world.load()) == {"not run yet": "6 of 8 runs", "trained, without scores": "2 of 8 runs"}


def test_a_difference_that_is_not_significant_is_not_called_better(two):
    two.table("u", [{"system": "sentence"}, {"system": "concat_3"}], ["s-BLEU"], baseline="sentence")
    two.compare("concat_3", 0.4, table="u")
    two.load()
    write_report(two.settings_file, two.folders, two.output)
    assert "s-BLEU (22.50, no significant difference, p = 0.4000)" in two.output.read_text(encoding="utf-8")
