"""`docmt check-findings` on a study with numbers."""

import pytest
from helpers.command_line import invoke
from helpers.finished import finish, plan_of
from helpers.score_files import write_scores
from helpers.small_grid import STUDY, small_project

from docmt.base.errors import UserError
from docmt.plan.links import jobs_of_target
from docmt.plan.plan import Job

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
    plan = plan_of(tmp_path)
    finish(plan, plan.closure(jobs_of_target(plan, "one")))
    entry = next(entry for entry in plan.grid.entries if entry.system.name == "sentence")
    for seed in entry.seeds if score is not None else ():
        job = Job.of("scores", corpus="toy", system="sentence", seed=seed)
        write_scores(tmp_path / plan.recipe(job).folder, {"s-BLEU": score})
    result = invoke("check-findings", "one", "--root", tmp_path)
    assert line in result.output
    assert result.exit_code == status


def test_a_page_that_is_not_finished_is_refused(small):
    with pytest.raises(UserError, match="the page of this study is not finished"):
        invoke("check-findings", "one", "--root", small.root)
