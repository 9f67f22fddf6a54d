"""A study whose systems start from a pretrained checkpoint: what is made, what a change makes anew, what is refused."""

import shutil
from pathlib import Path

import pytest
from helpers.checkpoints import fields, reference_model, write_checkpoint
from helpers.pieces import write_tokenizer
from helpers.places import target
from helpers.plans import to_make
from helpers.planted import at
from helpers.support import Project, shared_folder, small_demo

from docmt.base.artifacts import read_json
from docmt.base.errors import UserError

STUDY = "workflow/studies/pretrained.yaml"
SYSTEMS = ("start", "start.fine")


def targets(project: Project) -> list[str]:
    """The manifests of the translations of both systems."""
    return [target(project, f"6_translations/toy_zh-en/{system}/seed1") for system in SYSTEMS]


def pretrained_study(root: Path) -> Project:
    """A sentence model that starts from BART, and a G-Transformer that starts from that."""
    project = small_demo(root)
    checkpoint = project.root / "models" / "small bart"
    tokenizer = write_tokenizer("bart", checkpoint)
    write_checkpoint(reference_model("bart", tokenizer.get_vocab_size()), checkpoint)
    project.edit("config.yaml", "texts/pieces", {"pretrained": "models/small bart"})
    model = {**fields("bart"), "max_positions": 300}
    systems = {
        "start": {
            "text": "pieces",
            "pretrained": "models/small bart",
            "model": model,
            "train": {"lr_transferred": 1e-5},
        },
        "start.fine": {
            "extends": "start",
            "init_from": "start",
            "view": {"max_tokens": 128},
            "model": {"kind": "g_transformer", "combined_layers": 1},
        },
    }
    study = {"study": "pretrained", "title": "Pretrained", "corpora": ["toy_zh-en"], "systems": systems}
    project.write(STUDY, study)
    return project


@pytest.fixture(scope="module")
def finished(tmp_path_factory, programs: Path) -> Project:
    """Its translations, made once for all workers of a run."""
    with shared_folder(tmp_path_factory, "pretrained") as root:
        project = Project(root)
        if not root.exists():
            pretrained_study(root)
            project.snakemake("--cores", "2", *targets(project), check=True, programs=programs)
    return project


@pytest.fixture
def project(finished, tmp_path) -> Project:
    """A copy that a test may change."""
    shutil.copytree(finished.root, tmp_path / "copy", symlinks=True)
    return Project(tmp_path / "copy")


def test_the_study_runs_from_the_checkpoint_on(finished):
    start, other = (finished.root / at(finished, f"5_training/toy_zh-en/{system}/seed1") for system in SYSTEMS)
    assert read_json(start / "job.json")["settings"]["pretrained"] == "given"
    record, fine = read_json(start / "record.json"), read_json(other / "record.json")
    assert record["start"]["new"] == []
    # Those of attention have other names there (`group`), so that how many they are is compared.
    assert (fine["start"]["weights"], len(fine["start"]["transferred"])) == ({}, len(record["start"]["transferred"]))
    folders = [(finished.root / manifest).parent for manifest in targets(finished)]
    lines = [(folder / "test.txt").read_text(encoding="utf-8").count("\n") for folder in folders]
    assert lines[0] == lines[1] > 0


def test_a_finished_study_plans_nothing(project):
    assert to_make(project.root, *targets(project)) == set()


def test_other_weights_train_again_and_another_tokenizer_makes_the_text_again(project):
    folder = project.root / "models" / "small bart"
    write_checkpoint(reference_model("bart", read_json(folder / "config.json")["vocab_size"], seed=2), folder)
    jobs = {"train start", "train start.fine", "translate start", "translate start.fine"}
    assert to_make(project.root, *targets(project)) == jobs
    (folder / "tokenizer.json").write_text((folder / "tokenizer.json").read_text() + "\n")
    assert to_make(project.root, *targets(project)) == {"tokens", "views", *jobs}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda project: shutil.rmtree(project.root / "models"), "small bart: no folder of a pretrained model"),
        (
            lambda project: project.edit(STUDY, "systems/start/model/heads", 2),
            "found model: {heads: 2}; expected model: {heads: 4}",
        ),
    ],
)
def test_planning_refuses_a_checkpoint_that_does_not_fit(project, spoil, message):
    spoil(project)
    with pytest.raises(UserError) as problem:
        targets(project)
    assert message in str(problem.value)
