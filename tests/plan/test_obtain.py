"""Targets that miss something are refused, and checkpoints are fetched with consent."""

import pytest
from helpers.small_grid import CORPUS, STUDY

from docmt.base.errors import UserError
from docmt.grid.grid import load_grid
from docmt.plan.links import jobs_of_target
from docmt.plan.obtain import check_supplies, checkpoints_to_fetch, is_single
from docmt.plan.plan import Job, Plan
from docmt.plan.run import grid_of_run

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


def scores(corpus: str, system: str) -> tuple[str, list[Job]]:
    """A target that is the scores of a system, whose folder nobody knows before a missing file is there."""
    job = Job.of("scores", corpus=corpus, system=system, seed=1)
    return f"{job.place}/0123456789/manifest.json", [job]


def check(plan: Plan, *targets: str | tuple[str, list[Job]]) -> None:
    """Check what targets need; a target is a name, or a name with its jobs."""
    pairs = (target if isinstance(target, tuple) else (target, jobs_of_target(plan, target)) for target in targets)
    check_supplies(plan, dict(pairs))


def refused(plan: Plan, *targets: str | tuple[str, list[Job]]) -> str:
    with pytest.raises(UserError) as problem:
        check(plan, *targets)
    return str(problem.value)


def plan_with(lacking, **config: object) -> Plan:
    return Plan(grid_of_run(lacking.root, config))


def test_what_is_named_alone_is_refused_and_studies_are_not(lacking):
    plan = plan_with(lacking)
    check(plan, "all", "one", PAGE.format("index"), scores("toy", "sentence"))
    assert "a.zh\n        Ask me." in refused(plan, scores("large", "sentence"))
    assert "a.zh" in refused(plan, PAGE.format("t")), "a part of the table is missing"
    both = refused(plan, scores("large", "sentence"), scores("toy", "started"))
    assert "a.zh" in both and "models/bert, a pretrained model" in both
    check(plan, "results/1_corpus/large/downloads/a.zh")


def test_with_stop_all_is_refused(lacking):
    message = refused(plan_with(lacking, missing="stop"), "one")
    assert "a.zh" in message and "models/bert, a pretrained model" in message


def test_single_targets(lacking):
    grid = load_grid(lacking.root)
    single = [PAGE.format("t"), scores("toy", "sentence")[0]]
    others = ["all", "one", "one.trainings", PAGE.format("index"), "results/report.html"]
    assert [is_single(grid, target) for target in (*single, *others)] == [True] * 2 + [False] * 5


def test_the_checkpoints_of_targets_are_fetched_with_consent(lacking):
    def fetched(consent: bool, jobs: list[Job] | None = None) -> list[str]:
        plan = plan_with(lacking, fetch_checkpoints=consent)
        return [files.folder for files in checkpoints_to_fetch(plan, jobs or jobs_of_target(plan, "one"))]

    assert (fetched(False), fetched(True)) == ([], ["models/bert"])
    assert fetched(True, scores("toy", "sentence")[1]) == []
    folder = lacking.root / "models/bert"
    folder.mkdir(parents=True)
    for name in ("config.json", "model.safetensors"):
        (folder / name).touch()
    assert fetched(True) == []
