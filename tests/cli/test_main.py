"""`docmt` itself: its help, and how a mistake is told."""

import sys
from pathlib import Path

import pytest
from helpers.support import ROOT, docmt, run

from docmt.cli.commands import FOR_YOU, STORE
from docmt.cli.options import repeat_config

DOCMT = Path(sys.executable).parent / "docmt"


@pytest.mark.parametrize(
    ("group", "sections"),
    [((), FOR_YOU), (("store",), STORE)],
    ids=["docmt", "docmt store"],
)
def test_help_names_every_command_below_its_heading(group, sections):
    lines = run([DOCMT, *group, "--help"], cwd=ROOT, check=True).stdout.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert [heading.rstrip(":") for heading in headings if heading.rstrip(":") in sections] == [*sections]
    for heading, commands in sections.items():
        listed = lines[lines.index(f"{heading}:") + 1 :]
        listed = listed[: listed.index("") if "" in listed else None]
        assert [line.split()[0] for line in listed if line.startswith("  ") and line[2] != " "] == [*commands]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("list-systems", "--root", "nowhere"), "nowhere/config.yaml: file not found"),
        (("list-systems", "--study", "nothing"), "unknown study\n  found nothing"),
        (("job", "none"), "none/job.json: file not found"),
        (("job", "workflow"), "workflow/job.json: file not found"),
        (("job", "config.yaml"), "config.yaml/job.json: a file, where a folder is needed"),
        (("score-contrastive", "none.tsv", "--model", "m"), "m: no trained model is in this folder"),
        (("score", "--hypotheses", "none.txt", "--reference", "none.txt"), "none.txt: file not found"),
        (("compare", "--baseline", "a", "--hypotheses", "b", "--reference", "none.txt"), "none.txt: file not found"),
        (("read-sheets", "filled.csv", "--key", "none.json"), "none.json: file not found"),
        (("draw-sheet", "--source", "a", "--reference", "none.txt", "--baseline", "b", "--hypotheses", "c",
          "--output", "o", "--key", "k"), "none.txt: file not found"),
        (("inspect", "--model", "none", "--view", ".", "--chains", ".", "--output", "o"), "none"),
        (("list-trainings", "--results", "nowhere"), "nowhere: folder not found"),
        (("scores",), "unknown command\n  found scores\n  did you mean 'score'?"),
        (("store", "LS"), "docmt store: unknown command\n  found LS\n  did you mean 'ls'?"),
    ],
)  # fmt: skip
def test_a_mistake_ends_with_status_2_and_no_trace(project, arguments, message):
    done = docmt(*arguments, cwd=project.root)
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project.root / "o").exists() and not (project.root / "out").exists()


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("--config a=1 b=2 c=[3]", "--config a=1 --config b=2 --config c=[3]"),
        ("demo --config a=1 --json b=2", "demo --config a=1 --json b=2"),
        ("--config a=1 demo", "--config a=1 demo"),
        ("demo a=1", "demo a=1"),
        ("--config a=1 --config b=2 results/x=1/y", "--config a=1 --config b=2 results/x=1/y"),
    ],
)
def test_several_settings_stand_behind_one_config_as_in_snakemake(typed, expected):
    assert repeat_config(typed.split()) == expected.split()
