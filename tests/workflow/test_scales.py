"""Runs at two scales share no file from the trainings on, and each refuses the targets of the other."""

import re

import pytest
from helpers.support import Project

SMOKE = ("--config", "scale=smoke")
TARGETS = {
    "results/7_comparisons/smoke/demo/quality/comparisons.json": "results/7_comparisons/smoke/demo/quality",
    "results/8_report/smoke/lexical-chains/table7.html": "results/8_report/smoke/lexical-chains/table7",
    "results/8_report/smoke/bible/index.html": "results/8_report/smoke/bible",
    "results/report@smoke.html": "results/report@smoke.html",
}
"""Targets of the scale smoke, with the path that the message of the refusal has."""


def planned_files(project: Project, *arguments: str) -> set[str]:
    """The outputs and logs of all jobs of a dry run."""
    done = project.snakemake("-n", *arguments, check=True)
    lines = re.findall(r"^ *(?:output|log): (.*)$", done.stdout + done.stderr, re.MULTILINE)
    return {file.split(" ")[0] for line in lines for file in line.split(", ")}


def test_a_smoke_run_beside_a_paper_run_shares_no_file_with_it(project):
    paper, smoke = planned_files(project, "demo"), planned_files(project, "demo", *SMOKE)
    assert paper & smoke == set()
    for files, scale, copy in ((paper, "paper", "results/report"), (smoke, "smoke", "results/report@smoke")):
        scored = {file for file in files if re.match("results/(7_scores|7_comparisons|8_report)/", file)}
        assert scored and {file.split("/")[2] for file in scored} == {scale}
        assert {file for file in files if file.startswith("results/report")} == {
            f"{copy}.html",
            f"{copy}.manifest.json",
        }


@pytest.mark.parametrize("target", TARGETS)
def test_a_file_of_another_scale_is_refused_though_it_exists(project, target):
    """The corpora of the items lack files at the scale paper: the message is about the scale all the same."""
    project.write(target, "a file")
    done = project.snakemake("-n", target)
    assert done.returncode == 2
    message = done.stderr[done.stderr.index("docmt: ") :]
    assert message == (
        f"docmt: {TARGETS[target]}: a target of another scale\n"
        "  found scale smoke; expected paper, which this run has\n"
        "  snakemake --config scale=smoke\n"
    )


def test_a_smoke_run_does_not_write_the_page_of_the_default_scale(project):
    """The names of its copies are unique: `report@paper.html` is none of them."""
    done = project.snakemake("-n", "results/report.html", *SMOKE)
    assert done.returncode == 2
    assert "found scale paper; expected smoke, which this run has\n" in done.stderr
    done = project.snakemake("-n", "results/report@paper.html")
    assert done.returncode == 1
    assert "MissingRuleException" in done.stdout + done.stderr
