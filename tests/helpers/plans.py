"""Plans of a project, made in this process: what is asked of its jobs, and which of them `snakemake -n` would run."""

from collections import Counter
from collections.abc import Iterable
from contextlib import chdir
from itertools import product
from pathlib import Path

import pytest
from helpers.support import job_label

from docmt.base.digests import full_digest
from docmt.plan.links import jobs_of_target
from docmt.plan.plan import FileDigests, Job, Plan
from docmt.plan.run import grid_of_run
from docmt.steps import scores, tokens, train


def plan_of(root: Path, **config: object) -> Plan:
    """The plan of a project, made in its folder; paths in settings are relative to it."""
    with chdir(root):
        return Plan(grid_of_run(Path.cwd(), config), Path.cwd())


def closure(plan: Plan, *targets: str) -> list[Job]:
    """The jobs of targets (the demo's without any) and of all that they are made from."""
    with chdir(plan.root):
        return list(plan.closure(job for target in targets or ("demo",) for job in jobs_of_target(plan, target)))


def to_make(root: Path, *targets: str, **config: object) -> set[str]:
    """The labels of the jobs that would run: the step, or `step name` of a system, a table or an item."""
    return {job_label(job.step, job.names) for job in jobs_to_run(plan_of(root, **config), *targets)}


def jobs_to_run(plan: Plan, *targets: str) -> list[Job]:
    """The jobs of targets (the demo's without any) that would run."""
    with chdir(plan.root):
        return list(plan.to_run(job for target in targets or ("demo",) for job in jobs_of_target(plan, target)))


def steps(jobs: Iterable[Job]) -> Counter[str]:
    """How many jobs of each step there are."""
    return Counter(job.step for job in jobs)


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
    monkeypatch.setattr(FileDigests, "of", lambda self, path, file=None: full_digest(str(path)))
    monkeypatch.setattr(Plan, "stated_digest", lambda self, corpus, file: full_digest(file.name))
