"""The identities of all jobs: no two are equal, and every machine computes the same ones."""

import dataclasses
import json
import subprocess
import sys

import pytest
from helpers.plans import closure, plan_of, plant_files
from helpers.support import ROOT, Project, copy_project, environment, keep_studies

from docmt.plan.plan import Job
from docmt.steps import get_step

OTHERS = ("demo", "failure", "bible", "tvsub", "tvsub-record", "voita", "precision", "lexical-chains-open")
"""The studies that are not active."""


@pytest.fixture
def files_everywhere(monkeypatch):
    plant_files(monkeypatch)


def collisions(*targets: str, **config) -> list[list[Job]]:
    """The jobs of targets that share an identity with another job."""
    plan = plan_of(ROOT, **config)
    jobs: dict[str, list[Job]] = {}
    for job in closure(plan, *targets):
        jobs.setdefault(plan.recipe(job).identity, []).append(job)
    every = {job.step for sharing in jobs.values() for job in sharing}
    assert every >= {"corpus", "tokens", "views", "train", "translate", "scores", "page"}
    assert ("checkpoint" in every) == (plan.grid.scale == "smoke")
    return [sharing for sharing in jobs.values() if len(sharing) > 1]


@pytest.mark.some(1)
@pytest.mark.usefixtures("files_everywhere")
@pytest.mark.parametrize("scale", ["paper", "smoke"])
def test_no_two_jobs_share_an_identity(scale):
    """Only then has each of them a folder of its own."""
    assert not collisions("all", *OTHERS, scale=scale, seeds=[1, 2])


@pytest.mark.usefixtures("files_everywhere")
@pytest.mark.parametrize("name, left_out", [("train", "seed"), ("views", "view")])
def test_a_setting_that_is_left_out_is_noticed(name, left_out, monkeypatch):
    step = get_step(name)
    whole = step.settings

    def without(grid, names):
        return {key: value for key, value in whole(grid, names).items() if key != left_out}

    monkeypatch.setattr("docmt.plan.plan.get_step", lambda other: without_it if other == name else get_step(other))
    without_it = dataclasses.replace(step, settings=without)
    assert {job.step for sharing in collisions("demo", seeds=[1, 2]) for job in sharing} == {name}


SCRIPT = """
import json, sys
from pathlib import Path
from helpers.plans import closure, plan_of
plan = plan_of(Path(sys.argv[1]), scale="smoke")
print(json.dumps({str(job): plan.recipe(job).identity for job in closure(plan, "all")}))
"""


def test_the_same_grid_elsewhere_has_the_same_identities(tmp_path):
    """Another folder, another order of hashes, another user, another zone of time and language."""
    answers = []
    for number, name in enumerate(("one", "a much longer/name of a folder")):
        root = tmp_path / name
        root.parent.mkdir(parents=True, exist_ok=True)
        project = keep_studies(copy_project(root), "long-short", "lexical-chains", "g-transformer")
        if number:
            project.write("config.yaml", dict(reversed(project.read("config.yaml").items())))
        machine = {"HOME": str(root), "USER": name[:3], "PYTHONHASHSEED": str(number)}
        machine |= {"TZ": ("UTC", "Asia/Tokyo")[number], "LC_ALL": ("C", "C.UTF-8")[number]}
        command = [sys.executable, "-c", SCRIPT, str(root)]
        done = subprocess.run(command, cwd=root, env=environment() | machine, stdout=subprocess.PIPE, check=True)
        answers.append(json.loads(done.stdout))
    first, second = answers
    assert first == second and len(first) > 900


@pytest.mark.usefixtures("files_everywhere")
def test_no_path_of_the_user_is_in_an_identity(tmp_path):
    """Neither of a checkpoint, nor of word vectors, nor of stop lists, nor of judgements."""
    folder = tmp_path / "of the user"
    folder.mkdir()
    scoring = {
        "consistency": {"source_stop_lists": {"zh": f"{folder}/stop.zh"}},
        "coherence": {"vectors": {"en": f"{folder}/vectors.txt"}},
        "cohesion": {"models": {"en": f"{folder}/bert"}},
        "aligner": {"kind": "awesome-align", "model": f"{folder}/align"},
        "comet": {
            "command": f"{sys.executable} {folder}/python",
            "model": f"{folder}/comet",
            "encoder": f"{folder}/xlm",
        },
    }
    texts = Project(ROOT).read("config.yaml")["texts"]
    for text in texts.values():
        if text.get("pretrained"):
            text["pretrained"] = f"{folder}/{text['pretrained']}"
    plan = plan_of(ROOT, scoring=scoring, human={"lexical-chains": f"{folder}/judged.json"}, texts=texts)
    for job in closure(plan, "demo", "g-transformer", "lexical-chains"):
        assert str(folder) not in json.dumps(plan.recipe(job).asked), job
