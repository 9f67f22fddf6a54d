"""The recipe of a job, job.json: its identity, what a reader of it gets, and what it refuses."""

import dataclasses
import json
from pathlib import Path

import pytest
from helpers.damage import DAMAGES, damaged, refused_changes
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError
from docmt.base.machine import installed_version
from docmt.base.paths import ID_DIGITS
from docmt.base.recipe import (
    JOB,
    REMEDY,
    Recipe,
    StatedFile,
    model_folder,
    read_recipe,
    read_settings,
    root_of,
    versions,
)

TOKENS, WORDS = Path("results/2_tokens/toy/word/1111111111"), Path("results/4_chain_words/toy/word/2222222222")
RECIPE = Recipe(
    step="views",
    version=3,
    settings={"study": "one", "view": {"window": 2, "max_tokens": None}},
    place=Path("results/3_views/toy/word/window2"),
    inputs={"tokens": TOKENS, "words": WORDS},
    files={"pretrained/a.json": StatedFile("/models/a/a.json", "3" * 64)},
    libraries={"pyarrow": installed_version("pyarrow")},
    hints={"positions": ["wrapped:running:9"]},
)
OTHERS = [
    {"step": "chains"},
    {"version": 4},
    {"settings": {"study": "one", "view": {"window": 3, "max_tokens": None}}},
    {"inputs": {"tokens": TOKENS.with_name("2" * 10), "words": WORDS}},
    {"inputs": {"tokens": WORDS, "words": TOKENS}},
    {"inputs": {"tokens": TOKENS}},
    {"files": {"pretrained/a.json": StatedFile("/models/a/a.json", "4" * 64)}},
    {"files": {"other": StatedFile("/models/a/a.json", "3" * 64)}},
    {"files": {}},
    {"libraries": {"pyarrow": "0"}},
    {"libraries": {}},
]
"""Each asks for something else."""
SAME = [
    {"place": Path("results/3_views/other")},
    {"inputs": {"tokens": Path("/elsewhere/1111111111"), "words": WORDS}},
    {"files": {"pretrained/a.json": StatedFile("/elsewhere", "3" * 64)}},
    {"hints": {"knobs": {"study": "another"}}},
    {"again": "1764313080.7"},
]
"""Paths, hints and runs, on which no output depends."""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    RECIPE.write()
    return RECIPE.folder


def rewritten(folder: Path, **changes: object) -> None:
    """As a person changes the file."""
    (folder / JOB).write_text(json.dumps({**RECIPE.to_json(), **changes}), encoding="utf-8")


def test_each_thing_that_was_asked_is_a_part_of_the_identity():
    identities = {dataclasses.replace(RECIPE, **other).identity for other in OTHERS}
    assert len(identities - {RECIPE.identity}) == len(OTHERS)
    assert {dataclasses.replace(RECIPE, **same).identity for same in SAME} == {RECIPE.identity}


@given(st.data())
def test_the_identity_does_not_depend_on_the_order_of_keys(data):
    def shuffled(value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {key: shuffled(value[key]) for key in data.draw(st.permutations(sorted(value)))}

    other = Recipe(**{field.name: shuffled(getattr(RECIPE, field.name)) for field in dataclasses.fields(Recipe)})
    assert (other, other.identity) == (RECIPE, RECIPE.identity)


def test_a_recipe_is_read_as_it_was_written_in_the_folder_of_its_identity(folder):
    assert folder == RECIPE.place / RECIPE.identity[:ID_DIGITS]
    assert read_recipe(folder) == RECIPE
    assert read_recipe(folder.absolute()).identity == RECIPE.identity
    assert read_settings(folder / JOB, "view") == {**RECIPE.settings, "version": 3}
    again = dataclasses.replace(RECIPE, again="1764313080.7")
    again.write()
    assert read_recipe(folder) == again


def test_a_recipe_of_the_same_content_is_not_written_again(folder):
    before = (folder / JOB).stat().st_ino
    RECIPE.write()
    assert (folder / JOB).stat().st_ino == before


def test_numbers_as_keys_change_no_identity(tmp_path):
    recipe = dataclasses.replace(RECIPE, settings={"bins": {9: "a", 10: "b"}})
    recipe.write(tmp_path)
    assert read_recipe(tmp_path / recipe.folder).identity == recipe.identity


def test_each_changed_byte_of_what_was_asked_is_noticed(folder):
    """Other bytes are spaces, paths and hints."""
    assert refused_changes(folder / JOB, lambda: read_recipe(folder).asked) > 300


def test_the_root_is_the_folder_that_has_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert root_of(Path("results/2_tokens/toy")) == root_of(tmp_path / "results/2_tokens/toy") == tmp_path
    assert root_of(Path("elsewhere/toy")) == tmp_path


def test_the_newest_version_in_a_place_comes_first(folder):
    other = dataclasses.replace(RECIPE, version=4)
    other.write()
    assert versions(RECIPE.place) == [other.folder, folder]
    assert versions(RECIPE.place, "manifest.json") == []


@pytest.mark.parametrize("name", ["", "model"])
def test_a_model_that_is_not_trained_is_named_with_the_command_that_trains_it(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    training = dataclasses.replace(RECIPE, place=Path("results/5_training/toy/word/seed1"))
    training.write()
    folder = training.folder
    told = rf"this model is not trained yet\n  `snakemake {folder}/manifest\.json` trains it"
    for path in (folder / name, folder.parent):
        with pytest.raises(UserError, match=f"^{path}: {told}"):
            model_folder(path)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            "results/5_training/toy/sentence/seed1",
            "this model is not trained yet\n  `snakemake STUDY.trainings` trains",
        ),
        ("models", "no trained model is in this folder\n  found no model.json\n  name the folder of a model"),
    ],
)
def test_a_folder_without_a_model_is_refused(folder, path, message):
    with pytest.raises(UserError, match=f"^{path}: {message}"):
        model_folder(Path(path))


def test_inputs_are_folders_by_their_roles(folder):
    recipe = read_recipe(folder)
    assert recipe.input("tokens") == recipe.folder_of("tokens") == TOKENS
    assert (recipe.folder_of("pretrained"), recipe.folder_of("other")) == (Path("/models/a"), None)
    assert (recipe.file("pretrained/a.json"), recipe.file("other")) == (Path("/models/a/a.json"), None)
    with pytest.raises(UserError) as refused:
        recipe.input("other")
    assert str(refused.value) == f"{folder / JOB}: an input is missing\n  found no other\n  {REMEDY}"


CHANGED = "the file was changed by hand"
NO_RECIPE = "not the description of a job"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"step": "train"}, CHANGED),
        ({"version": 4}, CHANGED),
        ({"settings": {"view": {"window": 3, "max_tokens": None}}}, CHANGED),
        ({"libraries": {"pyarrow": "0.1"}}, CHANGED),
        ({"identity": "0" * 64}, CHANGED),
        ({"identity": None}, CHANGED),
        ({"step": ["views"]}, CHANGED),
        ({"settings": {"a": "\ud800"}}, NO_RECIPE),
        ({"inputs": []}, NO_RECIPE),
        ({"inputs": {"tokens": 1}}, NO_RECIPE),
        ({"files": "none"}, NO_RECIPE),
        ({"files": {"a": None}}, NO_RECIPE),
        ({"hints": 5}, "the JSON is not an object"),
        ({"settings": [1]}, "the JSON is not an object"),
    ],
)
def test_another_content_is_refused(folder, change, message):
    rewritten(folder, **change)
    with pytest.raises(UserError) as refused:
        read_recipe(folder)
    assert str(refused.value).startswith(f"{folder / JOB}: {message}") and refused.value.remedy


def test_the_recipe_of_another_folder_is_refused(folder):
    moved = folder.rename(folder.with_name("0" * ID_DIGITS))
    with pytest.raises(UserError) as refused:
        read_recipe(moved)
    assert str(refused.value).splitlines() == [
        f"{moved / JOB}: the file describes the job of another folder",
        f"  expected the folder {folder.name}",
        f"  {REMEDY}",
    ]


@pytest.mark.parametrize("key", RECIPE.to_json())
def test_a_recipe_has_all_of_its_keys(folder, key):
    write_json(folder / JOB, {name: value for name, value in RECIPE.to_json().items() if name != key})
    with pytest.raises(UserError, match=f"job.json: keys are missing\n  found no {key}"):
        read_recipe(folder)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_recipe_is_refused(folder, damage):
    for read in (lambda: read_recipe(folder), lambda: read_settings(folder / JOB)):
        with damaged(folder / JOB, damage), pytest.raises(UserError, match=JOB):
            read()


def test_a_hint_has_its_type():
    recipe = dataclasses.replace(RECIPE, hints={"positions": ["a"], "state": 3, "endless": float("inf")})
    assert recipe.hint("positions", tuple[str, ...]) == ("a",)
    assert recipe.hint("other", str | None) is None and recipe.hint("other", int, 4) == 4
    for name, message in (
        ("state", "job.json hints.state: wrong type\n  found 3 (a whole number); expected a text"),
        ("other", "job.json hints.other: wrong type\n  found None"),
    ):
        with pytest.raises(UserError) as refused:
            recipe.hint(name, str)
        assert message in str(refused.value)
    with pytest.raises(UserError, match=r"job\.json hints\.endless: not a finite number"):
        recipe.hint("endless", float)


@pytest.mark.parametrize(("name", "expected"), [("pyarrow", "0.1"), ("no-such-library", "2")])
def test_a_library_of_another_version_is_refused(name, expected):
    RECIPE.check_libraries()
    with pytest.raises(UserError) as refused:
        dataclasses.replace(RECIPE, libraries={name: expected}).check_libraries()
    assert str(refused.value).splitlines() == [
        "this Python's environment: another version of a library than planned",
        f"  found {name} {installed_version(name)}; expected {name} {expected}",
        "  install the same versions for snakemake and for its jobs; in docmt's clone: pip install -c pins.txt -e '.'",
    ]
