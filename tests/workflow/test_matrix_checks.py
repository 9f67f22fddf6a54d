"""What is checked of a finished run of studies does fail: for a NaN, a gap, a word in a number's place, a flat loss."""

import copy
import dataclasses
import math
import shutil
from collections.abc import Callable

import pytest
from helpers.complete_matrix import RECORDS, complete_run, number, row, word, write_losses
from helpers.matrix import Matrix, cell_problems, disk_mib, finished_jobs, flat_losses, missing_pages, run_problems
from helpers.matrix_cells import wrong_cells
from helpers.planted import at
from helpers.support import Project, copy_project

SENTENCE, CHAINS = (f"5_training/toy_zh-en/{system}/seed1" for system in ("sentence", "lexical_chain"))
PAGES = "results/8_report/smoke/mine"
OF_CONCAT_3 = ("quality", "falls", "positions", "cases")
"""The items that show its scores."""
OF_CONCAT_3 = ("quality", "falls", "positions", "cases")
"""The items that show its scores."""


@pytest.fixture(scope="module")
def complete(tmp_path_factory) -> Matrix:
    return complete_run(copy_project(tmp_path_factory.mktemp("made") / "project"))


def output_of(matrix: Matrix, place: str) -> str:
    """The folder of the only artifact of a place."""
    return at(Project(matrix.root), place)


@pytest.fixture
def matrix(complete, tmp_path) -> Matrix:
    """A copy that a test may damage."""
    shutil.copytree(complete.root / "results", tmp_path / "results")
    return dataclasses.replace(complete, root=tmp_path)


def test_a_complete_run_has_no_problems(matrix):
    assert [check(matrix) for check in (missing_pages, cell_problems, run_problems, flat_losses)] == [[], [], [], []]


def test_every_kind_of_item_is_made_up(matrix):
    assert {name for _, name in matrix.items} == set(RECORDS)


@pytest.mark.parametrize("file", ["quality.html", "points.json", "latent.csv", "index.html", "human.sheet.key.json"])
@pytest.mark.parametrize("left", [None, ""])
def test_a_missing_or_empty_page_is_found(matrix, file, left):
    path = matrix.root / PAGES / file
    path.unlink()
    if left is not None:
        path.write_text(left)
    assert missing_pages(matrix) == [f"no {PAGES}/{file}"]


def change(place: int, **values: object) -> Callable[[list[dict]], None]:
    return lambda records: records[place].update(values)


def drop(place: int) -> Callable[[list[dict]], None]:
    return lambda records: records.pop(place)


def add(record: dict) -> Callable[[list[dict]], None]:
    return lambda records: records.append(record)


DAMAGED = {
    "a NaN": ("quality", change(0, measured=math.nan), ["measured is nan", "the number is nan"]),
    "an infinite seed": ("ablation", change(1, values=[1.0, math.inf]), ["values is [1.0, inf]"]),
    "a number that is a word": ("quality", change(0, measured="20"), ["the number is 20"]),
    "a cell that is not run": ("quality", change(0, **word("not run")), ["not run, expected measured"]),
    "a cell that is not scored": ("speed", change(1, **word("not scored")), ["not scored, expected measured"]),
    "a cell that lacks": ("quality", drop(1), ["no cell ('concat_3', 'toy_zh-en', 's-BLEU')"]),
    "a cell too many": ("quality", add(number(**row("han"))), ["a cell too many"]),
    "a seed that lacks": ("ablation", change(1, values=[1.0]), ["1 of 2 seeds"]),
    "a p-value that lacks": ("quality", change(1, p=None), ["p is None (), against sentence"]),
    "a p-value above 1": ("quality", change(1, p=1.5), ["p is 1.5"]),
    "a mark that says random": ("quality", change(0, random=["models/bert"]), ["expected []"]),
    "a published number alone": (
        "quality",
        change(0, published=19.5, difference=None, not_comparable=""),
        ["difference None, not comparable because ''"],
    ),
    "a mark and a difference": (
        "quality",
        change(0, published=19.5, difference=0.5, not_comparable="other words"),
        ["difference 0.5, not comparable because 'other words'"],
    ),
    "a drop that lacks": ("falls", drop(2), ["concat_3: no drop"]),
    "a drop without a number": ("falls", change(2, measured=None), ["concat_3: no drop"]),
    "sentences of documents": ("documents", change(0, **number()), ["measured, expected documents only"]),
    "a number that is only published": ("documents", change(2, **number()), ["measured, expected published only"]),
    "a gap that lacks": ("gaps", drop(0), ["no cell ('sentence.smoother',)"]),
    "a gap without a number": ("gaps", change(0, difference=None), ["difference is None"]),
    "a gap of one seed": ("gaps", change(0, system_values=[2.0]), ["system has 1 of 2 seeds"]),
    "a count that lacks": ("counts", drop(0), ["no cell ('toy_zh-en', 'train', 'sentences', '')"]),
    "a count of NaN": ("counts", change(0, measured=math.nan), ["measured is nan", "the number is nan"]),
    "judgements of nobody": ("human", change(0, **number()), ["measured, expected not run"]),
    "a judgement that lacks": ("human", drop(5), ["no cell ('Average', 'worse')"]),
    "a point that lacks": ("points", drop(0), ["no cell ('Sentence', 1.0, 's-BLEU')"]),
    "a point of one seed": ("points", change(0, values=[1.0]), ["1 of 2 seeds"]),
    "a position that lacks": ("positions", drop(2), ["no cell ('k = 3', 3, 's-BLEU@j3')"]),
    "a position that is not scored": ("positions", change(2, **word("not scored")), ["expected measured"]),
    "a curve of one point": ("curves", drop(3), ["no curve ('sentence.beam1', 1, 'dev_loss'): 1 points"]),
    "a curve of nobody": ("curves", change(3, seed=2), ["a curve too many", "no curve"]),
    "a curve with a NaN": ("curves", change(3, y=math.nan), ["y is nan", "no curve"]),
    "a map that lacks": ("attention", drop(0), ["no cell alignment"]),
    "a map without numbers": ("latent", change(0, value=None), ["no number"]),
    "no map at all": ("latent", drop(0), ["no cell similarity"]),
    "a case without a system": ("cases", drop(2), ["expected {"]),
    "a case without words": ("cases", change(0, translations=""), ["reference has no translations"]),
    "a sentence that lacks": ("passages", drop(1), ["no cell (1, 'Sys0', 2)"]),
    "a passage that is not run": ("passages", change(0, status="not run"), ["not run"]),
}


@pytest.mark.parametrize(("item", "damage", "said"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_cell_is_found(complete, item, damage, said):
    records = copy.deepcopy(RECORDS[item])
    damage(records)
    problems = wrong_cells(complete.grid, "mine", item, records)
    assert len(problems) == len(said)
    for part, problem in zip(said, problems, strict=True):
        assert problem.startswith(f"mine/{item}: ") and part in problem


def test_json_and_csv_that_differ_are_found(matrix):
    (matrix.root / PAGES / "quality.csv").write_text("row,measured\nsentence,20.0\n")
    assert cell_problems(matrix) == ["mine/quality: 1 lines in CSV, 2 records in JSON"]


def test_a_file_that_an_item_should_have_had_is_named(matrix):
    """Cases of nothing look like cases without a difference."""
    path = matrix.root / output_of(matrix, "7_scores/toy_zh-en/concat_3/seed1") / "manifest.json"
    path.unlink()
    lacking = {f"mine/{item}: made without {path.relative_to(matrix.root)}" for item in OF_CONCAT_3}
    assert {*cell_problems(matrix)} == lacking


@pytest.mark.parametrize("stage", ["5_training", "6_translations"])
def test_runs_are_those_of_the_grid(matrix, stage):
    lacking = matrix.root / output_of(matrix, f"{stage}/toy_zh-en/sentence.smoother/seed2") / "manifest.json"
    lacking.unlink()
    assert run_problems(matrix) == [f"not made: {lacking.parent.relative_to(matrix.root)}"]
    lacking.write_text("{}")
    more = matrix.root / f"results/{stage}/toy_zh-en/han/seed1/0123456789/manifest.json"
    more.parent.mkdir(parents=True)
    more.write_text("{}")
    assert run_problems(matrix) == [f"made and not declared: {more.parent.relative_to(matrix.root)}"]


def test_a_system_that_differs_in_decoding_alone_is_no_training(matrix):
    """Nor translated where its training alone is shown, as of sentence.beam1; sentence.smoother has two seeds."""
    assert (len(matrix.trainings), len(matrix.translated)) == (6, 6)


@pytest.mark.parametrize(
    ("folder", "losses", "said"),
    [
        (SENTENCE, (5.0, 5.0, 5.0), "dev loss from 5.000 to 5.000, 0.0 % less"),
        (SENTENCE, (5.0, 4.1, 4.2), "dev loss from 5.000 to 4.100, 18.0 % less"),
        (SENTENCE, (5.0, math.nan, 3.0), "dev losses {0: 5.0, 30: nan, 60: 3.0}"),
        (SENTENCE, (5.0,), "dev losses {0: 5.0}"),
        (SENTENCE, (), "dev losses {}"),
        (CHAINS, (3.6, 3.0, 3.1), "dev loss from 3.600 to 3.000, 16.7 % less"),
    ],
)
def test_a_flat_loss_is_found(matrix, folder, losses, said):
    """Of a training of its own, and of one that starts from it."""
    folder = output_of(matrix, folder)
    write_losses(matrix, folder, *losses)
    (problem,) = flat_losses(matrix)
    assert problem.startswith(f"{folder}: {said}")


def test_a_fall_that_begins_after_some_updates_is_none(matrix):
    write_losses(matrix, output_of(matrix, SENTENCE), 5.0, 3.0, first=30)
    assert flat_losses(matrix) == [
        f"{output_of(matrix, SENTENCE)}: dev losses {{30: 5.0, 60: 3.0}}, expected one of update 0 and later ones"
    ]


def test_a_training_without_a_course_is_found(matrix):
    folder = output_of(matrix, CHAINS)
    (matrix.root / folder / "metrics.jsonl").unlink()
    assert flat_losses(matrix) == [f"{folder}: dev losses {{}}, expected one of update 0 and later ones"]


def test_a_fall_of_a_fifth_is_enough_whatever_comes_after(matrix):
    write_losses(matrix, output_of(matrix, SENTENCE), 5.0, 3.99, 4.9)
    assert flat_losses(matrix) == []


def test_jobs_and_disk_are_counted(tmp_path):
    said = "docmt: 12 of 1809 jobs; page demo\ndocmt: 1809 of 1809 jobs\n"
    assert (finished_jobs(said), finished_jobs("Nothing to be done.\n")) == (1809, 0)
    (tmp_path / "folder").mkdir()
    before = disk_mib(tmp_path)
    (tmp_path / "folder/file").write_bytes(bytes(2**20))
    assert 1 <= disk_mib(tmp_path) - before < 1.1
