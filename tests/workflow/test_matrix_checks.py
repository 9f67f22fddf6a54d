"""What is checked of a finished run of studies does fail: for a NaN, a gap, a word in a number's place, a flat loss."""

import copy
import json
import math
import shutil
from collections.abc import Callable

import pytest
from helpers.matrix import Matrix, cell_problems, dev_losses, finished_jobs, flat_losses, missing_pages, run_problems
from helpers.matrix_cells import wrong_cells
from helpers.planted import at
from helpers.support import Project

from docmt.base.artifacts import read_json

PAGES = "results/8_report/smoke/demo"


def test_a_missing_page_an_empty_one_and_files_that_differ_are_found(demo: Project):
    matrix = Matrix.of(demo, ["demo"])
    (demo.root / PAGES / "latent.html").unlink()
    for name in ("index.html", "learning.json", "quality.csv"):
        (demo.root / PAGES / name).unlink()
        (demo.root / PAGES / name).touch()
    assert sorted(missing_pages(matrix)) == [
        *(f"no {PAGES}/{name}" for name in ("index.html", "latent.html", "learning.json", "quality.csv"))
    ]
    (demo.root / PAGES / "learning.json").write_text('{"records": []}')
    problems = cell_problems(matrix)
    assert "demo/learning: no records" in problems
    assert any(problem.startswith("demo/quality: 0 lines in CSV") for problem in problems)


def test_runs_are_those_of_the_grid_and_what_a_page_was_made_from_is_there(demo: Project):
    training, scores = (f"{at(demo, f'{stage}/toy_zh-en/han/seed1')}" for stage in ("5_training", "7_scores"))
    other = training.replace("han", "nobody")
    shutil.copytree(demo.root / training, demo.root / other)
    shutil.rmtree(demo.root / training)
    (demo.root / scores / "manifest.json").unlink()
    matrix = Matrix.of(demo, ["demo"])
    assert run_problems(matrix) == [f"not made: {training}", f"made and not declared: {other}"]
    assert f"demo/quality: made without {scores}/manifest.json" in cell_problems(matrix)


def change(**values: object) -> Callable[[list[dict]], None]:
    return lambda records: records[0].update(values)


DAMAGED = {
    "a NaN": ("quality", change(difference=math.nan), "difference is nan"),
    "an infinite seed": ("quality", change(values=[1.0, math.inf]), "values is [1.0, inf]"),
    "a number that is a word": ("quality", change(measured="20"), "the number is 20"),
    "a cell that is not run": ("quality", change(status="not run"), "not run"),
    "a cell that is not scored": ("quality", change(status="not scored"), "not scored"),
    "a cell that lacks": ("quality", lambda records: records.pop(), "no cell ("),
    "a cell too many": ("quality", change(row="nobody"), "a cell too many: ('nobody'"),
    "a curve with an infinite point": ("learning", change(y=math.inf), "y is inf"),
    "no map at all": ("latent", list.clear, "no records"),
}


@pytest.mark.parametrize(("item", "damage", "said"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_cell_is_found(finished_demo, item, damage, said):
    matrix = Matrix.of(finished_demo, ["demo"])
    records = copy.deepcopy(read_json(finished_demo.root / PAGES / f"{item}.json")["records"])
    assert wrong_cells(matrix.grid, "demo", item, records) == []
    damage(records)
    assert any(said in problem for problem in wrong_cells(matrix.grid, "demo", item, records))


@pytest.mark.parametrize(
    ("losses", "is_flat"),
    [((5.0, 5.0), True), ((5.0, 4.1), True), ((5.0, math.nan, 3.0), True), ((5.0,), True), ((5.0, 3.9, 4.9), False)],
)
def test_a_flat_loss_is_found(demo, losses, is_flat):
    folder = at(demo, "5_training/toy_zh-en/sentence/seed1")
    rows = [{"kind": "dev", "update": 30 * number, "loss": loss} for number, loss in enumerate(losses)]
    rows.append({"kind": "train", "update": 1, "loss": math.inf})
    (demo.root / folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert len(dev_losses(demo.root / folder)) == len(losses)
    problems = [problem for problem in flat_losses(Matrix.of(demo, ["demo"])) if problem.startswith(folder)]
    assert len(problems) == is_flat


def test_jobs_are_counted():
    said = "docmt: 12 of 1809 jobs; page demo\ndocmt: 1809 of 1809 jobs\n"
    assert (finished_jobs(said), finished_jobs("Nothing to be done.\n")) == (1809, 0)
