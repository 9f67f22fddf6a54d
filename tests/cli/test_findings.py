"""`docmt check-findings` on a study with numbers."""

import json

import pytest
from helpers.command_line import invoke
from helpers.recipes import settings
from helpers.small_grid import STUDY, small_project

from docmt.base.artifacts import write_json
from docmt.grid.grid import load_grid

FINDING = {
    "says": "It is {a}.",
    "cells": {"a": {"table": "t", "system": "sentence", "metric": "s-BLEU"}},
    "when": [{"cell": "a", "above": 30}],
}


@pytest.mark.parametrize(
    ("score", "on_record", "status", "line"),
    [
        (31.0, True, 0, "supported (on record): It is 31.00.\n"),
        (29.0, True, 1, "not supported (on record): It is 29.00. [s-BLEU of sentence is not above 30"),
        (29.0, False, 0, "not supported: It is 29.00."),
        (None, True, 0, "not run (on record): It is …. [sentence]\n"),
    ],
)
def test_a_finding_on_record_that_the_numbers_do_not_support_is_a_failure(tmp_path, score, on_record, status, line):
    project = small_project(tmp_path)
    project.edit(STUDY, "tables", {"t": {"title": "T", "metrics": ["s-BLEU"], "rows": [{"system": "sentence"}]}})
    project.edit(STUDY, "findings", [FINDING])
    project.edit(STUDY, "on_record", on_record)
    page, grid = "8_report/paper/one", load_grid(tmp_path)
    write_json(tmp_path / "results" / page / "settings.json", json.loads(json.dumps(settings(grid, page))))
    if score is not None:
        bleu = {"13a": {"s": {"score": score, "signature": "s"}}}
        scores = {"bleu": bleu, "decoding": {"lines": "sentences"}}
        for seed in next(entry for entry in grid.entries if entry.system.name == "sentence").seeds:
            write_json(tmp_path / f"results/7_scores/paper/toy/sentence/seed{seed}/scores.json", scores)
    result = invoke("check-findings", "one", "--root", tmp_path)
    assert line in result.output
    assert result.exit_code == status
