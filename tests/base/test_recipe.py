"""The recipe of a job, job.json: what a reader of it gets, and what it refuses."""

import json
from pathlib import Path

import pytest
from helpers.damage import damaged

from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST, SETTINGS
from docmt.base.recipe import JOB, REMEDY, Recipe, read_recipe, root_of

CONTENT = {
    "step": "views",
    "inputs": {"tokens": f"results/2_tokens/toy/word/{MANIFEST}"},
    "files": {"pretrained/a.json": "/models/a/a.json"},
    "hints": {"positions": ["wrapped:running:9"]},
}


def write(folder: Path, **changes: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / JOB).write_text(json.dumps({**CONTENT, **changes}), encoding="utf-8")
    return folder


def test_a_recipe_is_read_as_it_was_written(tmp_path):
    for place in (write(tmp_path), tmp_path / JOB):
        recipe = read_recipe(place, "views")
        assert recipe.to_json() == CONTENT
        assert (recipe.folder, recipe.prefix, recipe.settings) == (tmp_path, "", tmp_path / SETTINGS)


def test_a_prefix_tells_jobs_of_one_folder_apart(tmp_path):
    write(tmp_path).joinpath(JOB).rename(tmp_path / f"contrastive.{JOB}")
    recipe = read_recipe(tmp_path / f"contrastive.{JOB}", "views")
    assert (recipe.prefix, recipe.settings) == ("contrastive.", tmp_path / f"contrastive.{SETTINGS}")


def test_the_root_is_the_folder_that_has_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert root_of(Path("results/2_tokens/toy")) == root_of(tmp_path / "results/2_tokens/toy") == tmp_path
    assert root_of(Path("elsewhere/toy")) == tmp_path


def test_inputs_are_folders_by_their_roles(tmp_path):
    recipe = read_recipe(write(tmp_path), "views")
    assert recipe.input("tokens") == recipe.folder_of("tokens") == Path("results/2_tokens/toy/word")
    assert (recipe.folder_of("pretrained"), recipe.folder_of("other")) == (Path("/models/a"), None)
    with pytest.raises(UserError) as refused:
        recipe.input("other")
    message = f"{tmp_path / JOB}: an input is missing\n  found no other\n  {REMEDY}"
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"step": "train"}, "the recipe of another step\n  found train; expected views"),
        ({"step": ["views"]}, "the recipe of another step"),
        ({"inputs": []}, "not the recipe of a job"),
        ({"inputs": {"tokens": 1}}, "not the recipe of a job"),
        ({"files": "none"}, "not the recipe of a job"),
        ({"files": {"a": None}}, "not the recipe of a job"),
        ({"hints": 5}, "not the recipe of a job"),
    ],
)
def test_another_content_is_refused(tmp_path, changes, message):
    with pytest.raises(UserError) as refused:
        read_recipe(write(tmp_path, **changes), "views")
    assert str(refused.value).startswith(f"{tmp_path / JOB}: {message}")


@pytest.mark.parametrize("key", CONTENT)
def test_a_recipe_has_all_of_its_keys(tmp_path, key):
    (tmp_path / JOB).write_text(json.dumps({name: value for name, value in CONTENT.items() if name != key}))
    with pytest.raises(UserError, match=f"job.json: keys are missing\n  found no {key}"):
        read_recipe(tmp_path, "views")


@pytest.mark.parametrize(
    "damage", ["empty", "half", "noise", "text", "list", "object", "number", "deep", "folder", "missing"]
)
def test_a_damaged_recipe_is_refused(tmp_path, damage):
    with damaged(write(tmp_path) / JOB, damage), pytest.raises(UserError, match=JOB):
        read_recipe(tmp_path, "views")


def test_a_hint_has_its_type():
    recipe = Recipe(Path(JOB), "train", hints={"positions": ["a"], "state": 3, "endless": float("inf")})
    assert recipe.hint("positions", tuple[str, ...]) == ("a",)
    assert recipe.hint("other", str | None) is None and recipe.hint("other", int, 4) == 4
    for name, message in (
        ("state", "job.json hints.state: wrong type\n  found 3 (a whole number); expected a text"),
        ("other", "job.json hints.other: wrong type\n  found None"),
    ):
        with pytest.raises(UserError) as refused:
            recipe.hint(name, str)
        assert str(refused.value).startswith(message)
    with pytest.raises(UserError, match=r"job\.json hints\.endless: not a finite number"):
        recipe.hint("endless", float)
