"""A scale with fixtures makes pretrained checkpoints too, and neither needs nor reads those of the user."""

import json

import pytest
from helpers.plans import plan_of
from helpers.support import planned_jobs, quick_smoke

from docmt.base.artifacts import read_json
from docmt.base.errors import UserError
from docmt.grid.grid import Grid, load_grid

SCALE = "workflow/scales/smoke.yaml"
SMOKE = ("--config", "scale=smoke")
TRAINED = ("sentence.mbart", "g_transformer.bert")
RECORD = "results/5_training/smoke/ted_en-de/{}/seed1/record.json"


def test_studies_with_pretrained_systems_are_planned_from_nothing(project):
    project.edit("config.yaml", "studies", ["g-transformer"])
    jobs = plan_of(project.root, "all", scale="smoke").reasons
    checkpoints = {job.names["checkpoint"] for job in jobs if job.rule == "checkpoint"}
    assert checkpoints == {"mbart25@smoke", "bert-base-cased@smoke"}
    trained = {job.names["system"] for job in jobs if job.rule == "train"}
    assert trained >= {*TRAINED, "document.mbart", "g_transformer.mbart"}


@pytest.mark.slow
def test_systems_train_from_small_random_checkpoints_and_say_so(project):
    """A folder of the user's that is no checkpoint stands where the real one would: nothing looks at it."""
    quick_smoke(project)
    project.write("models/mbart25/config.json", "not read")
    records = [RECORD.format(system) for system in TRAINED]
    project.snakemake("--cores", "1", *records, *SMOKE, check=True)
    mbart, bert = (read_json(project.root / record) for record in records)
    assert (mbart["start"]["stands_for"], bert["start"]["stands_for"]) == ("mbart25", "bert-base-cased")
    assert mbart["updates"] == bert["updates"] == 6
    assert mbart["start"]["new"] == []
    assert mbart["parameters"] < 1e6
    log = (project.root / "logs/5_training/smoke/ted_en-de/sentence.mbart/seed1.log").read_text()
    assert "a small random checkpoint, which stands for mbart25" in log
    # Nothing is left to do, and nothing stands beside the user's file.
    assert planned_jobs(project, *records, *SMOKE) == []
    assert [path.name for path in (project.root / "models").rglob("*")] == ["mbart25", "config.json"]


def test_the_scale_says_which_folders(project):
    smoke, paper = (load_grid(project.root, {"scale": scale}) for scale in ("smoke", "paper"))
    folders = {}
    for grid in (smoke, paper):
        entries = {entry.system.name: entry.system for entry in grid.of_study("g-transformer")}
        system = entries["g_transformer.mbart"]
        folders[grid.scale] = system.pretrained, grid.texts[system.text].pretrained, system.model.width
        assert Grid.from_json(json.loads(grid.to_json()), "frozen").checkpoints == grid.checkpoints
    folder = "results/0_models/mbart25@smoke"
    assert folders == {"smoke": (folder, folder, 32), "paper": ("models/mbart25", "models/mbart25", 1024)}
    assert paper.checkpoints == {}


@pytest.mark.parametrize(
    ("section", "value", "message"),
    [
        ("fixtures", None, "a scale generates checkpoints only where it generates corpora"),
        ("pretrained", {"models/x": "gpt"}, "found gpt"),
        ("pretrained", {"a/x": "bert", "b/x": "bert"}, "two folders have one name"),
        ("model", {"width": 32}, "expected encoder_layers, decoder_layers, inner, heads under model"),
    ],
)
def test_mistakes_are_named(project, section, value, message):
    project.edit(SCALE, section, value)
    with pytest.raises(UserError) as problem:
        load_grid(project.root, {"scale": "smoke"})
    assert message in str(problem.value)


def test_awesome_aligns_model_is_made_where_scores_ask_for_it(project):
    project.edit("config.yaml", "scoring/aligner", {"kind": "awesome-align", "model": "models/awesome-align"})
    scores = "results/7_scores/smoke/toy_zh-en/sentence/seed1/scores.json"
    rules = {job.rule for job in plan_of(project.root, scores, scale="smoke").reasons}
    assert "aligner_checkpoint" in rules and "aligner" not in rules
    rules = {
        job.rule
        for job in plan_of(project.root, scores, scale="smoke", scoring={"aligner": {"kind": "default"}}).reasons
    }
    assert "aligner_checkpoint" not in rules and "aligner" in rules
