"""`docmt` itself: what can be asked for, and how a mistake is told."""

import sys
from pathlib import Path

import pytest
from helpers.support import ROOT, placeholder_mirror, run

DOCMT = Path(sys.executable).parent / "docmt"


def test_help_names_every_command():
    shown = run([DOCMT, "--help"], cwd=ROOT, check=True).stdout
    commands = ("corpus", "tokens", "views", "chains", "train", "decode", "contrastive", "translate", "score", "report")
    more = ("compare", "contrastive-system", "score-system", "compare-table", "import-fairseq", "status", "inspect")
    for command in (*commands, *more, "human"):
        assert f"  {command} " in shown


def test_systems_are_a_line_each(project):
    lines = run([DOCMT, "systems"], cwd=project.root, check=True).stdout.splitlines()
    assert any(line.startswith("demo: ") for line in lines)
    (found,) = [line for line in run([DOCMT, "systems", "--study", "demo"], cwd=project.root).stdout.splitlines()
                if line.split()[0] == "g_transformer"]  # fmt: skip
    assert "extends sentence" in found and "starts from sentence" in found and "view tokens512" in found


@pytest.mark.parametrize(
    ("study", "options", "target"),
    [
        ("demo", (), "results/7_scores/paper/toy_zh-en/g_transformer/seed1/scores.json"),
        ("lexical-chains", ("--no-scores",), "results/8_report/lexical-chains/table7.html"),
    ],
)
def test_targets_are_what_the_workflow_makes(project, study, options, target):
    lines = run([DOCMT, "targets", "--study", study, *options], cwd=project.root, check=True).stdout.splitlines()
    targets = [line.split()[0] for line in lines]
    assert {"all", study, target} <= set(targets)
    # Beside files of corpora, `all` wants pretrained models, which are not there.
    planned = project.snakemake("-n", *targets, "--config", f"mirror={placeholder_mirror(project)}", "missing=skip")
    assert planned.returncode == 0, planned.stderr


def test_targets_say_what_is_made(project):
    path = project.root / "results/1_corpus/toy_zh-en/card.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    lines = run([DOCMT, "targets"], cwd=project.root, check=True).stdout.splitlines()
    made = {line.split()[0]: line.split()[1] for line in lines}
    about = {line.split()[0]: line for line in lines}
    assert made["results/1_corpus/toy_zh-en/card.json"] == "made"
    assert made["results/1_corpus/ted_fr-en/card.json"] == "-"
    assert made["results/1_corpus/ted_zh-en/card.json"] == "missing", "files that only a person can bring"
    assert made["results/8_report/lexical-chains/table2.html"] == "missing"
    assert "4 of 4 trainings to make, device-hours about" in about["results/8_report/demo/learning.html"]
    assert about["results/8_report/lexical-chains/table5.html"].endswith("; no training")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("systems", "--root", "nowhere"), "nowhere/config.yaml: file not found"),
        (("systems", "--study", "nothing"), "no study 'nothing'"),
        (("tokens", "--settings", "none.json", "--corpus", ".", "--output", "out"), "none.json"),
        (("train", "--settings", "none.json", "--view", ".", "--text", ".", "--output", "o", "--state", "s"),
         "none.json"),
        (("decode", "--settings", "none.json", "--model", "m", "--view", ".", "--output", "o"), "docmt: "),
        (("chains", "words", "--settings", "none.json", "--tokens", ".", "--output", "o"), "none.json"),
        (("score-system", "--settings", "none.json", "--corpus", ".", "--tokens", ".", "--view", ".",
          "--translations", ".", "--output", "o"), "none.json"),
        (("contrastive", "none.tsv", "--model", "m"), "m/model.json: file not found"),
        (("contrastive-system", "--settings", "none.json", "--model", "m", "--view", ".", "--output", "o"),
         "none.json"),
        (("score", "--hypotheses", "none.txt", "--reference", "none.txt"), "none.txt: file not found"),
        (("compare", "--baseline", "a", "--system", "b", "--reference", "none.txt"), "none.txt: file not found"),
        (("compare-table", "--settings", "none.json", "--results", ".", "--output", "o"), "none.json"),
        (("report", "--settings", "none.json", "--results", ".", "--output", "o"), "none.json"),
        (("human", "read", "filled.csv", "--key", "none.json"), "none.json: file not found"),
        (("human", "sheet", "--source", "a", "--reference", "none.txt", "--baseline", "b", "--system", "c",
          "--output", "o", "--key", "k"), "none.txt: file not found"),
        (("inspect", "--model", "none", "--view", ".", "--chains", ".", "--output", "o"), "none"),
        (("status", "--results", "nowhere"), "nowhere: folder not found"),
        (("nonsense",), "No such command"),
    ],
)  # fmt: skip
def test_a_mistake_ends_with_status_2_and_no_trace(project, arguments, message):
    done = run([DOCMT, *arguments], cwd=project.root)
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project.root / "o").exists() and not (project.root / "out").exists()
