"""Targets that miss something are refused, and checkpoints are fetched with consent."""

import pytest
from helpers.small_grid import CORPUS, STUDY

from docmt.base.errors import UserError
from docmt.grid.grid import Grid, load_grid
from docmt.plan.obtain import check_supplies, checkpoints_to_fetch, is_single
from docmt.plan.planning import Planner
from docmt.plan.run import grid_of_run

SCORES = "results/7_scores/paper/{}/{}/seed1/scores.json"
PAGE = "results/8_report/paper/one/{}.html"
HUB = "https://huggingface.co/a/resolve/main/config.json"


@pytest.fixture
def lacking(small, monkeypatch):
    """A study on two corpora: `large` needs a person, and `started` starts from a checkpoint that is not there."""
    files = [{"name": "a.zh", "obtain": "Ask me."}]
    small.write("workflow/corpora/large.yaml", {**CORPUS, "corpus": "large", "files": files})
    small.edit(STUDY, "corpora", ["toy", "large"])
    small.edit("config.yaml", "texts/pieces", {"pretrained": "models/bert"})
    started = {"extends": "sentence", "text": "pieces", "pretrained": "models/bert", "corpora": ["toy"]}
    small.edit(STUDY, "systems/started", started)
    rows = [{"system": "sentence"}]
    small.edit(STUDY, "tables", {"t": {"title": "T", "metrics": ["s-BLEU"], "rows": rows}})
    facts = {"kind": "checkpoint", "about": "a", "licence": "l", "citation": "c", "gigabytes": 0.5}
    config = {"set": "bert", **facts, "folder": "models/bert", "files": [{"name": "config.json", "sources": [HUB]}]}
    small.write("workflow/downloads/bert.yaml", config)
    monkeypatch.chdir(small.root)
    return small


def refused(grid: Grid, *targets: str) -> str:
    with pytest.raises(UserError) as problem:
        check_supplies(grid, targets)
    return str(problem.value)


def test_what_is_named_alone_is_refused_and_studies_are_not(lacking):
    grid = grid_of_run(lacking.root, {})
    check_supplies(grid, ["all", "one", PAGE.format("index"), SCORES.format("toy", "sentence")])
    assert "a.zh\n        Ask me." in refused(grid, SCORES.format("large", "sentence"))
    assert "a.zh" in refused(grid, PAGE.format("t")), "a part of the table is missing"
    both = refused(grid, SCORES.format("large", "sentence"), SCORES.format("toy", "started"))
    assert "a.zh" in both and "models/bert, a pretrained model" in both
    check_supplies(grid, ["results/1_corpus/large/downloads/a.zh"])


def test_with_stop_all_is_refused(lacking):
    message = refused(grid_of_run(lacking.root, {"missing": "stop"}), "one")
    assert "a.zh" in message and "models/bert, a pretrained model" in message


def test_single_targets(lacking):
    grid = load_grid(lacking.root)
    single = [PAGE.format("t"), SCORES.format("toy", "sentence"), "results/1_corpus/toy/card.json"]
    others = ["all", "one", PAGE.format("index"), "results/report.html", "results/1_corpus/toy/downloads/x"]
    assert [is_single(grid, target) for target in (*single, *others)] == [True] * 3 + [False] * 5


def test_the_checkpoints_of_targets_are_fetched_with_consent(lacking):
    for consent, folders in ((False, []), (True, ["models/bert"])):
        planner = Planner(grid_of_run(lacking.root, {"fetch_checkpoints": consent}))
        assert [files.folder for files in checkpoints_to_fetch(planner, ["one"])] == folders
        assert checkpoints_to_fetch(planner, [SCORES.format("toy", "sentence")]) == []
    folder = lacking.root / "models/bert"
    folder.mkdir(parents=True)
    for name in ("config.json", "model.safetensors"):
        (folder / name).touch()
    planner = Planner(grid_of_run(lacking.root, {"fetch_checkpoints": True}))
    assert checkpoints_to_fetch(planner, ["one"]) == []
