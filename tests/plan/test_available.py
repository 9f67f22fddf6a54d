"""Systems whose corpus is missing are run where others have made what they need, and left out where not."""

import shutil
from collections import Counter
from contextlib import chdir
from pathlib import Path

import pytest
from helpers.planted import plan_of, plant
from helpers.small_grid import CORPUS, STUDY
from helpers.stored import new_store
from helpers.support import Project

from docmt.base.digests import sha256_file
from docmt.cli.store.exchange import give_all
from docmt.plan.links import jobs_of_target
from docmt.plan.plan import Plan
from docmt.plan.run import grid_of_run, with_available
from docmt.plan.stored import stored_for

ITEM = "results/8_report/paper/one/bleu.html"
DOWNLOADS = "results/1_corpus/toy/downloads"
SYSTEMS = {"sentence", "document", "fine", "fine.narrow", "fine.beam8"}


@pytest.fixture(scope="module")
def licensed(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that has all of a study whose corpus needs a licence, and a store with what this licence allows."""
    project = Project(tmp_path_factory.mktemp("licensed") / "first")
    shutil.copytree(finished / "first", project.root, ignore=shutil.ignore_patterns("results"))
    file = project.root / DOWNLOADS / "a.zh"
    file.parent.mkdir(parents=True)
    file.write_text("text")
    files = [{"name": "a.zh", "licence": "LDC", "obtain": "Ask the LDC.", "sha256": sha256_file(file)}]
    project.write("workflow/corpora/toy.yaml", {"corpus": "toy", **CORPUS, "files": files, "passing_on": "models"})
    with chdir(project.root):
        plan = plan_of(project.root)
        plant(project.root, plan, jobs_of_target(plan, "one"))
        give_all(plan, jobs_of_target(plan, "one"), new_store(project.root.with_name("store")))
    return project


@pytest.fixture
def lacking(licensed: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project of somebody who has no file of the corpus."""
    project = Project(tmp_path / "second")
    shutil.copytree(licensed.root, project.root, ignore=shutil.ignore_patterns("results"))
    monkeypatch.chdir(project.root)
    return project


def plan_for(project: Project, target: str, **config: object) -> Plan:
    """The plan of a run of a target."""
    plan = Plan(grid_of_run(project.root, config))
    assert plan.grid.not_run.keys() == {"toy"}
    return with_available(plan, jobs_of_target(plan, target))


def test_a_table_of_scores_needs_models_and_scores_alone(lacking, licensed):
    """Nothing of the corpus is read for a target that is named alone, which is not refused."""
    plan = plan_for(lacking, ITEM, store=str(licensed.root.with_name("store")))
    assert {name.partition("/")[2] for name in plan.grid.available} == SYSTEMS
    assert {plan.grid.left_out(entry) for entry in plan.grid.entries} == {None}
    jobs = jobs_of_target(plan, ITEM)
    plan.fetched = {*stored_for(plan, plan.to_run(jobs)).entries}
    assert Counter(job.step for job in plan.to_run(jobs) if job not in plan.fetched) == {"page": 1}


def test_an_item_that_shows_text_leaves_the_systems_out(lacking, licensed):
    """The page of the study itself leaves its examples out."""
    store = str(licensed.root.with_name("store"))
    assert len(plan_for(lacking, "one", store=store).grid.available) == len(SYSTEMS)
    cases = {"title": "T", "kind": "cases", "corpus": "toy", "baseline": "sentence", "system": "document"}
    lacking.edit(STUDY, "figures", {"figure8": cases})
    assert plan_for(lacking, "one", store=store).grid.available == ()
    assert len(plan_for(lacking, ITEM, store=store).grid.available) == len(SYSTEMS)


def test_without_a_store_nothing_is_available(lacking, tmp_path):
    assert plan_for(lacking, ITEM).grid.available == ()
    (tmp_path / "store").mkdir()
    assert plan_for(lacking, ITEM, store=str(tmp_path / "store")).grid.available == ()


def test_models_that_are_here_need_no_store(lacking, licensed):
    for stage in ("5_training", "7_scores"):
        shutil.copytree(licensed.root / "results" / stage, lacking.root / "results" / stage)
    plan = plan_for(lacking, ITEM)
    assert {name.partition("/")[2] for name in plan.grid.available} == SYSTEMS
    assert [job.step for job in plan.to_run(jobs_of_target(plan, ITEM))] == ["page"]
