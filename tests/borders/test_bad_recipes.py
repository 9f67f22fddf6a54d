"""Recipes (job.json) and settings that no job can obey: each job ends with status 2 and one message, and writes
nothing."""

import json
import re
from pathlib import Path

import pytest
from helpers.recipes import write_recipe
from helpers.refusals import refused

from docmt.base.artifacts import write_json
from docmt.base.recipe import JOB, REMEDY, Recipe
from docmt.steps import all_steps

STEPS = sorted(all_steps())
ROLES = ("corpus", "tokens", "view", "chains", "model", "words", "init", "translations")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch) -> Path:
    """The folder in which a job is called, beside an empty folder that stands for every input."""
    monkeypatch.chdir(tmp_path)
    for name in ("DOCMT_DEBUG", "DOCMT_DEVICE", "DOCMT_COMPILE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.fixture
def message(monkeypatch, capsys):
    """What a command line says, which is refused."""
    return lambda *words: refused(list(words), monkeypatch, capsys)


def recipe(step: str, settings: object = (), folder: str = "results/job", **hints: object) -> list[str]:
    """A recipe whose inputs are all empty."""
    return write_recipe(Path(folder), step, dict(settings), {role: Path("folder") for role in ROLES}, **hints)


NEEDED = {
    "aligner": "tokens.arrow: file not found",
    "inspect": "model.json: file not found",
    "compare": "job.json: keys are missing\n  found no study, scale, pairs, folders",
    "passage": "job.json: keys are missing\n  found no decode, documents",
    "scores": "job.json: keys are missing\n  found no system, corpus, seed, scale",
    "train": "job.json: keys are missing\n  found no study, corpus, system, scale, seed",
    "word_vectors": "job.json: keys are missing\n  found no vectors",
    **dict.fromkeys(("corpus", "fixture"), "job.json corpus: key is missing"),
}
"""What a job says of settings without keys; the message of the others is of job.json too."""


@pytest.mark.parametrize("step", STEPS)
def test_settings_without_keys(message, step):
    told = message(*recipe(step))
    head, _, more = told.removeprefix("docmt: ").partition("\n")
    assert NEEDED.get(step, "job.json") in f"{head}\n{more}", told


def test_a_folder_without_a_recipe(message):
    missing = "docmt: {}: file not found\n  check the path\n"
    assert message("job", "folder") == missing.format("folder/job.json")
    assert message("job", "nowhere") == missing.format("nowhere/job.json")
    assert message("job", "-") == missing.format("-/job.json"), "a folder is no standard input"


def test_the_job_of_another_folder(message, tmp_path, monkeypatch):
    words = recipe("views")
    monkeypatch.chdir("folder")
    words[1] = str(tmp_path / words[1])
    told = message(*words)
    what = "docmt job has to be called in the folder that has results/"
    assert told == f"docmt: {words[1]}: {what}\n  cd {tmp_path}, and call it again\n"
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to(tmp_path)
    words[1] = str(tmp_path / "link" / Path(words[1]).relative_to(tmp_path))
    assert "job.json" in message(*words), "a link leads to the same folder"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"settings": {"view": 1}}, f"the file was changed by hand\n  found .*; expected .*\n  {REMEDY}\n"),
        ({"identity": "0" * 64}, f"the file was changed by hand\n  found .*; expected 0000000000\n  {REMEDY}\n"),
        ({"inputs": ["tokens"]}, f"not the description of a job\n.*\n  {REMEDY}\n"),
        ({"hints": "none"}, "the JSON is not an object\n"),
        ({"step": "tokens"}, "the file was changed by hand\n"),
    ],
)
def test_a_recipe_that_a_person_has_changed(message, change, expected):
    words = recipe("views")
    path = Path(words[-1], JOB)
    write_json(path, {**json.loads(path.read_text()), **change})
    told = message(*words)
    assert re.match(f"docmt: {path}: {expected}", told), told


def test_the_recipe_of_another_job(message):
    """Of another docmt's step, of another version, and of another folder; tests/cli/test_job.py has finished ones."""
    unknown = Recipe("word_counts", 1, {}, Path("results/job"))
    unknown.write()
    told = message("job", str(unknown.folder))
    assert told == f"docmt: {unknown.path}: unknown step\n  found word_counts; expected a step of this docmt\n"
    *_, folder = recipe("tokens")
    old = Recipe("views", 0, {}, Path("results/job"))
    old.write()
    told = message("job", str(old.folder))
    assert told.startswith(
        f"docmt: {old.path}: the job was planned for another version of the step views\n  found 0; expected "
    )
    assert told.endswith("\n  run snakemake again, which plans with the present version\n")
    moved = Path(folder).rename(Path(folder).with_name("0" * 10))
    told = message("job", str(moved))
    expected = f"the folder {Path(folder).name}\n  {REMEDY}\n"
    assert told == f"docmt: {moved}/job.json: the file describes the job of another folder\n  expected {expected}"


@pytest.mark.parametrize(
    ("step", "role"),
    [
        ("aligner", "tokens"),
        ("chain_segments", "tokens"),
        ("inspect", "model"),
        ("scores", "corpus"),
        ("tokens", "corpus"),
        ("train", "view"),
        ("word_vectors", "tokens"),
    ],
)
def test_a_recipe_without_an_input(message, step, role):
    words = write_recipe(Path("results/job"), step, {})
    expected = f"docmt: {words[-1]}/job.json: an input is missing\n  found no {role}\n  {REMEDY}\n"
    assert message(*words) == expected


def test_an_input_of_another_identity(message):
    """Its folder has the manifest of another artifact, as after a copy by hand."""
    recipe("views")
    other = Path("results/2_tokens/toy/word/0123456789")
    other.mkdir(parents=True)
    (other / "manifest.json").write_bytes(next(Path("ids").glob("*/*/manifest.json")).read_bytes())
    changed = Recipe("views", all_steps()["views"].version, {}, Path("results/job"), {"tokens": other})
    changed.write()
    told = message("job", str(changed.folder))
    assert told.startswith(f"docmt: {other}/manifest.json: the manifest is that of another job\n")
    assert told.endswith(f"\n  remove the folder {other}, and run snakemake again\n")


HINTS = (
    ("train", {"hang_minutes": float("inf")}, "hang_minutes: not a finite number\n  found inf"),
    ("train", {"hang_minutes": -1}, "hang_minutes: value not allowed\n  found -1.0; expected 0 to 10,000,000\n"),
    ("train", {"save_minutes": "often"}, "save_minutes: wrong type\n  found 'often' (a text); expected a number\n"),
    ("train", {"checkpoints": 1}, "checkpoints: value not allowed\n  found 1; expected at least 2\n"),
    ("train", {"deterministic": 1}, "deterministic: wrong type\n  found 1 (a whole number); expected true or false\n"),
    ("train", {"save_minute": 1}, "save_minute: unknown key\n  found save_minute\n  did you mean 'save_minutes'?\n"),
    ("views", {"positions": "wrapped:running:9"}, "positions: wrong type\n"),
    ("views", {"positions": [{"frame": "x", "positions": "running", "rows": 9}]}, "positions.0.frame: unknown name\n"),
)
"""Hints that a person has written, and what the message says of them."""


@pytest.mark.parametrize(("step", "hints", "expected"), HINTS)
def test_hints_that_are_wrong(message, step, hints, expected):
    words = recipe(step, **hints)
    told = message(*words)
    assert told.startswith(f"docmt: {words[-1]}/job.json hints.{expected}")


def test_a_switch_in_the_environment_that_is_none(message, monkeypatch):
    monkeypatch.setenv("DOCMT_COMPILE", "perhaps")
    assert message(*recipe("train")).startswith("docmt: DOCMT_COMPILE: unknown value\n  found perhaps\n")


NO_PARTS = "none: the jobs of this step have no parts"
PARTS = "expected tokenised.2of8, learnt.2of8, encoded.2of8, joined.2of8\n"


@pytest.mark.parametrize(
    ("step", "part", "expected"),
    [
        ("tokens", "tokenise.1of2", f"--part: not a part of this job\n  found tokenise.1of2; {PARTS}"),
        ("tokens", "1/2", f"--part: not a part of this job\n  found 1/2; {PARTS}"),
        ("tokens", "tokenised.9of8", "not a part\n  found 9of8; expected a part such as 2of8, the second of eight\n"),
        ("tokens", "learnt.2", "not a part\n  found 2; expected a part such as 2of8, the second of eight\n"),
        (
            "views",
            "tokenised.1of2",
            f"--part: not a part of this job\n  found tokenised.1of2; expected {NO_PARTS}\n",
        ),
    ],
)
def test_a_part_that_the_job_does_not_have(message, step, part, expected):
    assert message(*recipe(step, {"version": 1}), "--part", part) == f"docmt: {expected}"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("--threads 1000000000", "'--threads'"),
        ("--deadline-minutes -1", "'--deadline-minutes'"),
        ("--ranks 1000000", "'--ranks'"),
        ("--node-rank -1", "'--node-rank'"),
        ("--device tpu", "'--device'"),
        ("--settings settings.json", "No such option"),
    ],
)
def test_options_without_such_values(message, options, named):
    assert named in message(*recipe("train"), *options.split())


def test_a_call_without_a_folder(message):
    assert "Missing argument 'FOLDER'" in message("job")
    Path("text").write_text("one two\n")
    assert message("job", "text").startswith("docmt: text/job.json: a file, where a folder is needed\n")
