"""The papers' studies at smoke scale, from nothing, the one on open text and that of contrastive sets: at night.

A broken model fails alone.

`pytest -m nightly` runs `snakemake --cores 2 all --config scale=smoke` of these studies and checks all of it.
"""

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.forks import forks
from helpers.matrix import (
    CONTRASTIVE,
    OPEN,
    Matrix,
    cell_problems,
    disk_mib,
    finished_jobs,
    flat_losses,
    missing_pages,
    run_problems,
)
from helpers.papers import FILES as STUDIES
from helpers.support import Project, changed_package, copy_project

from docmt.settings.models import MODEL_CONFIGS

HOURS = 3600


def run_studies(project: Project, studies: list[str], timeout: int) -> tuple[Matrix, dict[str, float]]:
    """The real command, and what it took: jobs, minutes, MiB of results."""
    began = time.monotonic()
    chosen = f"studies=[{','.join(studies)}]"
    options = ("--cores", "2", "--config", "scale=smoke", chosen)
    done = project.snakemake("all", *options, check=True, timeout=timeout)
    took = {
        "jobs": finished_jobs(done.stdout + done.stderr),
        "minutes": (time.monotonic() - began) / 60,
        "disk_mib": disk_mib(project.root / "results"),
    }
    return Matrix.of(project, studies, scale="smoke", studies=studies), {
        name: round(value, 1) for name, value in took.items()
    }


@pytest.mark.nightly
@pytest.mark.timeout(6 * HOURS)
def test_the_whole_matrix(tmp_path, capsys):
    """All of its problems are shown at once; what it took is printed, and stands in matrix.json beside the project."""
    matrix, took = run_studies(copy_project(tmp_path / "project"), [*STUDIES, OPEN, CONTRASTIVE], timeout=6 * HOURS)
    took |= {"trainings": len(matrix.trainings), "decodings": len(matrix.translated)}
    took |= {"items": len(list(matrix.items))}
    (tmp_path / "matrix.json").write_text(json.dumps(took))
    with capsys.disabled():
        print(f"\n{tmp_path / 'matrix.json'}: {took}")
    assert [*missing_pages(matrix), *run_problems(matrix), *cell_problems(matrix), *flat_losses(matrix)] == []


def test_a_training_of_every_kind_of_model(finished_demo):
    """Which the demo has."""
    matrix = Matrix.of(finished_demo, ["demo"])
    assert [*missing_pages(matrix), *run_problems(matrix), *cell_problems(matrix)] == []
    assert {entry.system.model.kind for entry in matrix.entries} == set(MODEL_CONFIGS)


PAGE = "results/8_report/smoke/two/{}.html"
STAGES = ("5_training", "6_translations", "7_scores")
BROKEN = [
    pytest.param("raise RuntimeError('broken')", id="raises"),
    pytest.param("return states * float('nan')", id="is not finite", marks=pytest.mark.nightly),
]


@pytest.fixture(params=BROKEN)
def broken_han(request, tmp_path, monkeypatch) -> Iterator[Path]:
    """The programs of a package with a HAN whose attention to the context does this; every command has it."""
    broken = f"def _broken(self, states, stream):\n    {request.param}\n"
    more = f"\n\n{broken}\n\nHierarchicalAttention.forward = _broken\n"
    changed_package(tmp_path / "broken", "models/han.py", lambda code: code + more, monkeypatch)
    with forks(tmp_path / "broken") as programs:
        yield programs


def test_a_broken_model_fails_its_targets_and_no_others(demo, broken_han):
    """Two items of two systems each: one of them has a HAN. All of the demo but the last two models is there."""
    names = ("han", "w_link")
    for folder in (demo.root / f"results/{stage}/toy_zh-en/{name}" for stage in STAGES for name in names):
        shutil.rmtree(folder)
    study = {"study": "two", "title": "Two items", "corpora": ["toy_zh-en"]}
    study["systems"] = demo.read("workflow/studies/demo.yaml")["systems"]
    rows = {name: [{"system": "sentence"}, {"system": name}] for name in names}
    study["tables"] = {name: {"title": name, "metrics": ["s-BLEU"], "rows": rows[name]} for name in names}
    demo.write("two.yaml", study)
    demo.edit("config.yaml", "studies", ["demo", "two.yaml"])
    done = demo.snakemake("--cores", "2", "--keep-going", *map(PAGE.format, names), programs=broken_han)
    assert done.returncode == 1
    assert {name: left(demo, name) for name in names} == {"han": [], "w_link": [*STAGES, "page"]}


def left(project: Project, name: str) -> list[str]:
    """The stages that have something of a system, and its page."""
    results = project.root / "results"
    stages = [stage for stage in STAGES if list(results.glob(f"{stage}/toy_zh-en/{name}/seed1/*/manifest.json"))]
    return stages + ["page"] * (project.root / PAGE.format(name)).exists()
