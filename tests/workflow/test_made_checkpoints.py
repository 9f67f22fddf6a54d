"""A scale with fixtures makes pretrained checkpoints too, and neither needs nor reads those of the user."""

import pytest
from helpers.places import target
from helpers.plans import closure, plan_of
from helpers.planted import at
from helpers.support import Project, keep_studies, planned_jobs, quick_smoke

from docmt.base.artifacts import read_json
from docmt.base.errors import UserError
from docmt.grid.grid import load_grid

SCALE = "workflow/scales/smoke.yaml"
SMOKE = ("--config", "scale=smoke")
TRAINED = ("sentence.mbart", "g_transformer.bert")
TRAINING = "5_training/ted_en-de/{}/seed1"


@pytest.fixture
def project(project: Project) -> Project:
    return keep_studies(project, "demo", "g-transformer")


def test_studies_with_pretrained_systems_are_planned_from_nothing(project):
    project.edit("config.yaml", "studies", ["g-transformer"])
    jobs = closure(plan_of(project.root, scale="smoke"), "all")
    checkpoints = {job.names["checkpoint"] for job in jobs if job.step == "checkpoint"}
    assert checkpoints == {"mbart25@smoke", "bert-base-cased@smoke"}
    trained = {job.names["system"] for job in jobs if job.step == "train"}
    assert trained >= {*TRAINED, "document.mbart", "g_transformer.mbart"}


@pytest.mark.slow
def test_systems_train_from_small_random_checkpoints_and_say_so(project):
    """A folder of the user's that is no checkpoint stands where the real one would: nothing looks at it."""
    quick_smoke(project)
    project.write("models/mbart25/config.json", "not read")
    places = [TRAINING.format(system) for system in TRAINED]
    manifests = [target(project, place, scale="smoke") for place in places]
    project.snakemake("--cores", "1", *manifests, *SMOKE, check=True)
    folders = [project.root / at(project, place) for place in places]
    mbart, bert = (read_json(folder / "record.json") for folder in folders)
    assert (mbart["start"]["stands_for"], bert["start"]["stands_for"]) == ("mbart25", "bert-base-cased")
    assert mbart["updates"] == bert["updates"] == 6
    assert mbart["start"]["new"] == []
    assert mbart["parameters"] < 1e6
    log = (folders[0] / "log.1.txt").read_text()
    assert "a small random checkpoint, which stands for mbart25" in log
    # Nothing is left to do, and nothing stands beside the user's file.
    assert planned_jobs(project, *manifests, *SMOKE) == []
    assert [path.name for path in (project.root / "models").rglob("*")] == ["mbart25", "config.json"]


def test_the_scale_says_which_folders(project):
    smoke, paper = (load_grid(project.root, {"scale": scale}) for scale in ("smoke", "paper"))
    folders = {}
    for grid in (smoke, paper):
        entries = {entry.system.name: entry.system for entry in grid.of_study("g-transformer")}
        system = entries["g_transformer.mbart"]
        folders[grid.scale] = system.pretrained, grid.texts[system.text].pretrained, system.model.width
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
    default = {"scoring": {"aligner": {"kind": "default"}}}
    for config, has_model in (({}, True), (default, False)):
        scores = target(project, "7_scores/toy_zh-en/sentence/seed1", scale="smoke", **config)
        jobs = closure(plan_of(project.root, scale="smoke", **config), scores)
        checkpoints = {job.names["checkpoint"] for job in jobs if job.step == "checkpoint"}
        assert ("awesome-align@smoke" in checkpoints) == has_model
        assert ("aligner" in {job.step for job in jobs}) != has_model
