"""Which jobs share an allocation of a cluster: bounded, of one kind of device, and never waiting for themselves."""

import os
from collections import Counter, defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from helpers.plans import closure, planner_of
from helpers.small_grid import STUDY
from helpers.support import Project, small_demo

from docmt.base.artifacts import write_json
from docmt.base.digests import FileDigest
from docmt.base.manifest import Manifest, sealed
from docmt.plan.driver import write_settings
from docmt.plan.groups import GROUPED, KINDS, Bounds, groups_of, is_finished
from docmt.plan.jobs import Job

EVERY_KIND = dict.fromkeys(KINDS, 3)
SINCE = Path("results/frozen_grid.json")


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """The jobs of the demo with two seeds, and of a system on another corpus that starts from one of the demo."""
    project = small_demo(tmp_path_factory.mktemp("groups") / "project")
    planner = planner_of(project.root, seeds=[1, 2])
    return planner, closure(planner, "demo")


def grouped(planned, sizes=EVERY_KIND, longest=10_000.0, minutes=lambda job: 60.0) -> dict[Job, str]:
    planner, order = planned
    return groups_of(planner.jobs, order, Bounds(sizes, minutes, longest))


def needs_of(planned, groups: dict[Job, str]) -> dict[str, set[str]]:
    """The groups, and jobs without one, that each of them waits for."""
    planner, order = planned
    needs: dict[str, set[str]] = defaultdict(set)
    for job in order:
        for read in planner.jobs.inputs(job).values():
            needs[groups.get(job, str(job))].add(groups.get(read, str(read)))
    return {unit: read - {unit} for unit, read in needs.items()}


@pytest.mark.parametrize("size", [2, 3, 7, 1000])
def test_no_group_waits_for_itself_whatever_its_size(planned, size):
    groups = grouped(planned, dict.fromkeys(KINDS, size), longest=1e9)
    TopologicalSorter(needs_of(planned, groups)).prepare()  # raises CycleError
    assert max(Counter(groups.values()).values()) <= size


def test_members_are_of_one_kind_so_that_no_gpu_waits_for_a_processor(planned):
    kinds = defaultdict(set)
    for job, group in grouped(planned).items():
        kinds[group].add(GROUPED[job.rule])
    assert {len(of_group) for of_group in kinds.values()} == {1}
    assert {kind for of_group in kinds.values() for kind in of_group} == {*KINDS}


def test_only_the_kinds_that_a_profile_states_have_groups(planned):
    assert {job.rule for job in grouped(planned, {"scores": 9})} == {"scores"}
    assert grouped(planned, {}) == {}


def test_a_group_takes_no_longer_than_it_may_and_a_longer_job_is_alone(planned):
    counts = Counter(grouped(planned, {"scores": 100}, longest=150).values())
    assert max(counts.values()) == 2, "of 60 minutes each"
    counts = Counter(grouped(planned, {"scores": 100}, longest=59).values())
    assert {*counts.values()} == {1}


def test_what_reads_one_model_is_together(planned):
    """A group that waits for few trainings starts early."""
    planner, _ = planned
    groups = grouped(planned, {"decode": 2})
    models = defaultdict(list)
    for job, group in groups.items():
        models[group].append(planner.jobs.inputs(job)["model"])
    assert sum(len({*read}) for read in models.values()) < len(groups), "some share a model"


def test_a_training_is_together_with_its_start_only_where_both_are_of_one_corpus(small: Project):
    small.write("workflow/corpora/other.yaml", {**small.read("workflow/corpora/toy.yaml"), "corpus": "other"})
    small.edit("config.yaml", "texts/joint/learnt_on", "toy")
    small.edit(STUDY, "corpora", ["toy", "other"])
    for system in ("sentence", "document"):
        small.edit(STUDY, f"systems/{system}/corpora", ["toy"])
    start = {"system": "sentence", "corpus": "toy"}
    small.edit(STUDY, "systems/moved", {"extends": "sentence", "corpora": ["other"], "init_from": start})
    planner = planner_of(small.root)
    runs = ("toy/fine", "toy/sentence", "other/moved")
    order = closure(planner, *(f"results/5_training/paper/{run}/seed1/record.json" for run in runs))
    groups = grouped((planner, order), {"train": 9, "data": 9})
    of_training = {job.names["system"]: group for job, group in groups.items() if job.is_training}
    assert of_training["fine"] == of_training["sentence"] != of_training["moved"]
    TopologicalSorter(needs_of((planner, order), groups)).prepare()


def test_shards_of_stage_2_stay_alone_with_the_corpus_that_they_read(tmp_path):
    planner = planner_of(small_demo(tmp_path / "project").root, shards=2)
    groups = grouped((planner, closure(planner, "demo")), {"data": 100})
    assert "corpus" not in {job.rule for job in groups} and "tokens" in {job.rule for job in groups}


@pytest.fixture
def finished(small: Project) -> tuple[Job, Project]:
    """A view that was made after the start of the run."""
    planner = planner_of(small.root)
    job = Job.of("views", corpus="toy", text="joint", view="window1")
    (small.root / job.folder).mkdir(parents=True)
    write_json(small.root / SINCE, {})
    write_settings(planner, job)
    card = small.root / job.file("card.json")
    card.write_text("{}")
    write_json(small.root / job.file("record.json"), sealed({"files": {}}))
    files = {"card.json": FileDigest.of(card)}
    manifest = Manifest(planner.identities.identity(job), "views", {}, files, ("record.json",))
    write_json(small.root / job.manifest, manifest.to_json())
    return job, small


def test_a_job_is_finished_where_its_outputs_are_complete_and_of_this_run(finished):
    job, project = finished
    assert is_finished(job, SINCE, project.root)
    (project.root / job.file("card.json")).unlink()
    assert not is_finished(job, SINCE, project.root)


def test_outputs_of_an_earlier_run_are_not_finished_in_this_one(finished):
    """A user may force what is right already."""
    job, project = finished
    later = (project.root / job.manifest).stat().st_mtime_ns + 1
    os.utime(project.root / SINCE, ns=(later, later))
    assert not is_finished(job, SINCE, project.root)


@pytest.mark.parametrize("lost", ["manifest.json", "settings.json"])
def test_outputs_without_manifest_or_settings_are_not_finished(finished, lost):
    job, project = finished
    (project.root / job.file(lost)).unlink()
    assert not is_finished(job, SINCE, project.root)


def test_outputs_of_other_settings_are_not_finished(finished):
    job, project = finished
    manifest = Manifest("another", "views", {}, {}, ("record.json",))
    write_json(project.root / job.manifest, manifest.to_json())
    assert not is_finished(job, SINCE, project.root)
