"""Plans of a project, made in this process: what `snakemake -n` would run, and why."""

from collections import Counter
from contextlib import chdir
from itertools import product
from pathlib import Path

import pytest
from helpers.support import job_label

from docmt.base.digests import full_digest
from docmt.grid.grid import load_grid
from docmt.plan.driver import plan_run, targets_of
from docmt.plan.jobs import Job
from docmt.plan.outside import FileDigests
from docmt.plan.planning import Plan, Planner
from docmt.steps import scores, tokens, train


def planner_of(root: Path, **config) -> Planner:
    return Planner(load_grid(root, config), root)


def plan_of(root: Path, *targets: str, is_dry: bool = True, **config) -> Plan:
    """The plan of targets; the demo's without any. Paths of checkpoints in settings are relative to the project."""
    with chdir(root):
        return plan_run(planner_of(root, **config), targets or ("demo",), lambda job: False, is_dry)


def to_make(root: Path, *targets: str, **config) -> set[str]:
    """The labels of the jobs of a plan: `rule`, or `rule name` of a system, a table or an item."""
    return {job_label(job.rule, job.names) for job in plan_of(root, *targets, **config).reasons}


def closure(planner: Planner, *targets: str) -> list[Job]:
    """The jobs of targets and of all that they are made from."""
    return list(planner.closure(targets_of(planner, targets)))


def rules(plan: Plan) -> Counter[str]:
    """How many jobs of each rule a plan has."""
    return Counter(job.rule for job in plan.reasons)


def places(jobs: list[Job] | dict[Job, object]) -> set[str]:
    return {str(job) for job in jobs}


def plant_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every download and every checkpoint were there: the digest of a file is that of its name."""
    written = {
        "check_model": lambda model, folder: None,
        "checkpoint_files": lambda folder: [Path(folder) / "model.safetensors"],
        "tokenizer_file": lambda folder: f"{folder}/tokenizer.json",
        "aligner_files": lambda folder: [Path(folder) / "pytorch_model.bin"],
        "files_of_comet": lambda *folders: {f"comet{n}": Path(f) for n, f in enumerate(folders)},
    }
    for step, name in product((scores, tokens, train), written):
        if hasattr(step, name):
            monkeypatch.setattr(step, name, written[name])
    monkeypatch.setattr(FileDigests, "of", lambda self, path: full_digest(str(path)))
    monkeypatch.setattr(
        "docmt.plan.identities.Identities.download_digest", lambda self, corpus, file, path: full_digest(str(path))
    )
