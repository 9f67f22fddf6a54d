"""The identities of all jobs: no two are equal, and every machine finds the same ones."""

import json
import subprocess
import sys
from collections import Counter

import pytest
from helpers.matrix import OPEN
from helpers.plans import closure, planner_of, plant_files
from helpers.support import ROOT, Project, copy_project, environment

from docmt.plan.jobs import GridJobs, Job


@pytest.fixture
def files_everywhere(monkeypatch):
    plant_files(monkeypatch)


def collisions(*targets: str, **config) -> list[list[Job]]:
    """The jobs of targets that share an identity with another job."""
    planner = planner_of(ROOT, **config)
    jobs: dict[str | None, list[Job]] = {}
    for job in closure(planner, *targets):
        jobs.setdefault(planner.identities.identity(job), []).append(job)
    assert None not in jobs
    return [sharing for sharing in jobs.values() if len(sharing) > 1]


@pytest.mark.usefixtures("files_everywhere")
@pytest.mark.parametrize("scale", ["paper", "smoke"])
def test_no_two_jobs_share_an_identity(scale):
    others = "demo", "failure", "bible", "tvsub", "voita", "precision", OPEN
    assert not collisions("all", *others, scale=scale, seeds=[1, 2, 3])


@pytest.mark.usefixtures("files_everywhere")
@pytest.mark.parametrize("rule, left_out", [("train", "seed"), ("views", "view")])
def test_a_setting_that_is_left_out_is_found(rule, left_out, monkeypatch):
    whole = GridJobs.settings

    def without(self, job):
        settings = whole(self, job)
        return settings if job.rule != rule else {name: settings[name] for name in settings if name != left_out}

    monkeypatch.setattr(GridJobs, "settings", without)
    assert {job.rule for sharing in collisions("all", seeds=[1, 2]) for job in sharing} == {rule}


@pytest.mark.usefixtures("files_everywhere")
def test_every_stage_has_identities():
    planner = planner_of(ROOT, scale="smoke")
    rules = Counter(job.rule for job in closure(planner, "all"))
    assert {
        "fixture",
        "checkpoint",
        "corpus",
        "tokens",
        "views",
        "train",
        "translate",
        "scores",
        "item",
    } <= rules.keys()


SCRIPT = """
import json, sys
from pathlib import Path
from helpers.plans import closure, plant_files, planner_of
planner = planner_of(Path(sys.argv[1]), scale="smoke")
print(json.dumps({str(job): planner.identities.identity(job) for job in closure(planner, "all")}))
"""


def test_the_same_grid_elsewhere_has_the_same_identities(tmp_path):
    """Another folder, another order of hashes, another user, another zone of time and language."""
    answers = []
    for number, name in enumerate(("one", "a much longer/name of a folder")):
        root = tmp_path / name
        root.parent.mkdir(parents=True, exist_ok=True)
        project = copy_project(root)
        if number:
            project.write("config.yaml", dict(reversed(project.read("config.yaml").items())))
        machine = {"HOME": str(root), "USER": name[:3], "PYTHONHASHSEED": str(number)}
        machine |= {"TZ": ("UTC", "Asia/Tokyo")[number], "LC_ALL": ("C", "C.UTF-8")[number]}
        command = [sys.executable, "-c", SCRIPT, str(root)]
        done = subprocess.run(command, cwd=root, env=environment() | machine, stdout=subprocess.PIPE, check=True)
        answers.append(json.loads(done.stdout))
    first, second = answers
    assert first == second and len(first) > 900 and None not in first.values()


@pytest.mark.usefixtures("files_everywhere")
def test_no_path_of_the_user_is_in_a_question(tmp_path):
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
    planner = planner_of(ROOT, scoring=scoring, human={"lexical-chains": f"{folder}/judged.json"}, texts=texts)
    for job in closure(planner, "demo", "g-transformer", "lexical-chains"):
        assert str(folder) not in planner.identities.asked(job).text(), job
