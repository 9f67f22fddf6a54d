"""Recipes (job.json) and settings that no job can obey: each job ends with status 2 and one message, and writes
nothing."""

import json
from pathlib import Path

import pytest
from helpers.damage import damaged
from helpers.recipes import write_recipe
from helpers.refusals import refused

from docmt.base.artifacts import write_json
from docmt.base.asked import Asked
from docmt.base.manifest import SETTINGS
from docmt.base.recipe import JOB, REMEDY
from docmt.steps import NAMES

ROLES = ("corpus", "tokens", "view", "chains", "model", "words", "init", "translations")
AGAIN = f"\n  {REMEDY}\n"
BY_HAND = "change them there, delete this file, and run snakemake, which writes it again"


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
    hints = {"state": "state", **hints}
    return write_recipe(Path(folder), step, dict(settings), {role: Path("folder") for role in ROLES}, **hints)


NEEDED = {
    "aligner": "folder/tokens.arrow: file not found",
    "inspect": "folder/model.json: file not found",
    "compare": "results/job/settings.json: keys are missing\n  found no study, scale, pairs, folders",
    "passage": "results/job/settings.json: keys are missing\n  found no decode, documents",
    "scores": "results/job/settings.json: keys are missing\n  found no system, corpus, seed, scale",
    "train": "results/job/settings.json: keys are missing\n  found no version, study, corpus, system, scale, seed",
    "word_vectors": "results/job/settings.json: keys are missing\n  found no vectors",
    **dict.fromkeys(("corpus", "fixture"), "results/job/settings.json corpus: key is missing"),
    **dict.fromkeys(("checkpoint", "aligner_checkpoint"), "results/job/settings.json stands_for: key is missing"),
    **dict.fromkeys(("report", "demo_report", "item"), "results/job/settings.json study: wrong type"),
}
"""What a job says of settings without keys; the others miss the key `version`."""


@pytest.mark.parametrize("step", NAMES)
def test_settings_without_keys(message, step):
    expected = NEEDED.get(step, "results/job/settings.json version: key is missing")
    assert message(*recipe(step)).startswith(f"docmt: {expected}")


@pytest.mark.parametrize("step", NAMES)
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("{", "not a JSON file\n  found Expecting property name enclosed in double quotes"),
        ("[1]", "the JSON is not an object\n  found list [1]; expected an object"),
    ],
)
def test_settings_that_are_no_settings(message, step, content, expected):
    words = recipe(step)
    Path("results/job", SETTINGS).write_text(content)
    assert message(*words).startswith(f"docmt: results/job/settings.json: {expected}")


def test_settings_that_were_changed_by_hand(message):
    words = recipe("views", {"version": 1})
    text = Asked("views", {"version": 1}).text()
    for changed, expected in ((text.replace('"version": 1', '"version": 2'), ""), (text + "\n", "found other spaces")):
        Path("results/job", SETTINGS).write_text(changed)
        told = message(*words)
        assert told.startswith("docmt: results/job/settings.json: the file was changed after docmt wrote it\n")
        assert expected in told and told.endswith(f"{BY_HAND}\n")


@pytest.mark.parametrize("step", NAMES)
def test_a_folder_without_a_recipe(message, step):
    missing = "docmt: {}: file not found\n  check the path\n"
    assert message("job", step, "folder") == missing.format("folder/job.json")
    assert message("job", step, "nowhere") == missing.format("nowhere")
    assert message("job", step, "-") == missing.format("-"), "a folder is no standard input"


@pytest.mark.parametrize("step", NAMES)
def test_the_recipe_of_another_step(message, step):
    other = "views" if step != "views" else "tokens"
    words = ["job", step, *recipe(other)[2:]]
    expected = f"docmt: results/job/job.json: the recipe of another step\n  found {other}; expected {step}\n"
    assert message(*words) == expected


def test_the_recipe_of_another_folder(message, tmp_path, monkeypatch):
    words = recipe("views", {"version": 1})
    monkeypatch.chdir("folder")
    words[2] = str(tmp_path / words[2])
    told = message(*words)
    assert told == (f"docmt: {words[2]}: the job of another folder than this one\n  run it in the folder {tmp_path}\n")
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to(tmp_path)
    words[2] = str(tmp_path / "link/results/job")
    assert "settings.json" in message(*words), "a link leads to the same folder"


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("empty", "results/job/job.json: not a JSON file\n"),
        ("half", "results/job/job.json: not a JSON file\n"),
        ("noise", "results/job/job.json:1: not valid UTF-8\n"),
        ("text", "results/job/job.json: not a JSON file\n"),
        ("list", "results/job/job.json: the JSON is not an object\n  found list [1, 2]; expected an object"),
        ("object", "results/job/job.json: keys are missing\n  found no step, inputs, files, hints; expected"),
        ("number", "results/job/job.json: the JSON is not an object\n  found int 3"),
        ("deep", "results/job/job.json: not a JSON file\n"),
        ("folder", "results/job/job.json/job.json: file not found"),
        ("missing", "results/job/job.json: file not found\n"),
    ],
)
def test_a_damaged_recipe(message, damage, expected):
    words = recipe("views", {"version": 1})
    with damaged(Path("results/job", JOB), damage):
        assert message(*words).startswith(f"docmt: {expected}")


@pytest.mark.parametrize(
    ("key", "value"),
    [("inputs", ["tokens"]), ("inputs", {"tokens": 3}), ("files", 3), ("files", {"a": ["b"]}), ("hints", "none")],
)
def test_a_recipe_of_other_types(message, key, value):
    words = recipe("views", {"version": 1})
    path = Path("results/job", JOB)
    write_json(path, {**json.loads(path.read_text()), key: value})
    told = message(*words)
    assert told.startswith("docmt: results/job/job.json: not the recipe of a job\n") and told.endswith(AGAIN)


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
    words = write_recipe(Path("results/job"), step, {}, state="state")
    assert message(*words) == f"docmt: results/job/job.json: an input is missing\n  found no {role}{AGAIN}"


def test_a_recipe_without_an_input_or_a_file_that_the_settings_ask_for(message):
    asked = Asked("scores", {"version": 1}, {"view": "1" * 64}, {"stop_list": "2" * 64})
    for inputs, files, expected in (
        ({}, {"stop_list": Path("s")}, f"results/job/job.json: an input is missing\n  found no view{AGAIN}"),
        ({"view": Path("folder")}, {}, f"results/job/job.json: an input is missing\n  found no stop_list{AGAIN}"),
        ({"view": Path("folder")}, {"stop_list": Path("s")}, "results/job/job.json: an input is missing\n  found no c"),
    ):
        words = write_recipe(Path("results/job"), "scores", asked, inputs, files)
        assert message(*words).startswith(f"docmt: {expected}")


HINTS = (
    ("train", {"hang_minutes": float("inf")}, "hang_minutes: not a finite number\n  found inf"),
    ("train", {"hang_minutes": -1}, "hang_minutes: value not allowed\n  found -1.0; expected 0 to 10,000,000\n"),
    ("train", {"save_minutes": "often"}, "save_minutes: wrong type\n  found 'often' (a text); expected a number\n"),
    ("train", {"checkpoints": 1}, "checkpoints: value not allowed\n  found 1; expected at least 2\n"),
    ("train", {"deterministic": 1}, "deterministic: wrong type\n  found 1 (a whole number); expected true or false\n"),
    ("train", {"set_asides": False}, "set_asides: unknown key\n  found set_asides\n  did you mean 'set_aside'?\n"),
    ("train", {"began": 0.0}, "began: unknown key\n  found began\n"),
    ("train", {"state": None}, "state: wrong type\n  found None (NoneType); expected a text\n"),
    ("views", {"positions": "wrapped:running:9"}, "positions: wrong type\n"),
)
"""Hints that a person has written, and what the message says of them."""


@pytest.mark.parametrize(("step", "hints", "expected"), HINTS)
def test_hints_that_are_wrong(message, step, hints, expected):
    told = message(*recipe(step, {"version": 1}, **hints))
    assert told.startswith(f"docmt: results/job/job.json hints.{expected}")


def test_a_table_of_positions_that_is_none(message):
    told = message(*recipe("views", {"version": 1}, positions=["x:running:9"]))
    assert told == ("docmt: not a table of positions\n  found x:running:9; expected such as wrapped:running:1024\n")


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
        ("tokens", "learnt", "not a part\n  found ''; expected a part such as 2of8, the second of eight\n"),
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
        ("--threads 0", "'--threads'"),
        ("--threads 1000000000", "'--threads'"),
        ("--deadline-minutes -1", "'--deadline-minutes'"),
        ("--deadline-minutes nan", "'--deadline-minutes'"),
        ("--ranks 1000000", "'--ranks'"),
        ("--nodes 0", "'--nodes'"),
        ("--node-rank -1", "'--node-rank'"),
        ("--device tpu", "'--device'"),
        ("--settings settings.json", "No such option"),
        ("--set-aside", "No such option"),
    ],
)
def test_options_without_such_values(message, options, named):
    assert named in message(*recipe("train"), *options.split())


def test_a_call_without_a_folder(message):
    assert "Missing argument 'FOLDER'" in message("job", "train")
    assert "No such command" in message("job", "train-system", "folder")
    Path("text").write_text("one two\n")
    assert message("job", "tokens", "text").startswith("docmt: text: not a JSON file\n")
