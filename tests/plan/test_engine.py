"""The engine of decoding is planned: other models are refused, and identities have its name and version."""

import pytest
from helpers.plans import plan_of
from helpers.recipes import settings
from helpers.small_grid import entry, small_project
from helpers.support import Project

from docmt.base.errors import UserError
from docmt.grid.grid import load_grid
from docmt.plan.plan import Job

STUDY = "workflow/studies/one.yaml"
TRANSLATIONS = {"corpus": "toy", "system": "sentence", "seed": 1}


@pytest.fixture
def small(tmp_path) -> Project:
    """A study of a sentence model alone."""
    project = small_project(tmp_path)
    project.edit(STUDY, "systems", {"sentence": {"decode": {"beam": 5}}})
    return project


def chosen(project: Project, engine: str) -> Project:
    project.edit(STUDY, "systems/sentence/decode/engine", engine)
    return project


def test_an_engine_is_part_of_the_identity(small):
    def asked(step: str):
        return plan_of(small.root).recipe(Job.of(step, **TRANSLATIONS))

    before = asked("translate")
    assert before.settings["decode"]["engine"] == "docmt" and "ctranslate2" not in before.libraries
    assert asked("translate") == before and entry(chosen(small, "docmt"), "sentence").system.decode.engine == "docmt"
    assert asked("translate").identity == before.identity, "the engine that is stated is the usual one"
    training = asked("train").identity
    after = (chosen(small, "ctranslate2"), asked("translate"))[1]
    assert after.settings["decode"] == {**before.settings["decode"], "engine": "ctranslate2"}
    assert set(after.libraries) - set(before.libraries) == {"ctranslate2"}
    assert after.identity != before.identity and asked("train").identity == training


def test_scores_say_the_engine(small):
    def resolved() -> dict:
        return settings(load_grid(small.root), "7_scores/toy/sentence/seed1")["resolved"]["decode"]

    assert resolved()["engine"] == "docmt"
    assert (chosen(small, "ctranslate2"), resolved())[1]["engine"] == "ctranslate2"


@pytest.mark.parametrize(
    ("system", "told"),
    [
        ({"view": {"max_tokens": 64}}, "test view tokens64; expected a test view of single sentences (window: 1)"),
        ({"view": {"window": 2}, "model": {"frame": "joined"}}, "test view window2; expected"),
        ({"model": {"frame": "joined"}}, "frame joined, which may give several sentences; expected frame wrapped"),
        ({"model": {"kind": "long_short"}}, "frame joined"),
        ({"model": {"kind": "han"}}, "architecture han; expected architecture transformer"),
        ({"decode": {"length_penalty": "gnmt"}}, "length penalty gnmt; expected average or none"),
    ],
    ids=str,
)
def test_what_ctranslate2_cannot_do_is_refused_before_any_job(small, system, told):
    chosen(small, "ctranslate2").edit(STUDY, "systems/other", {"extends": "sentence", **system})
    with pytest.raises(UserError, match="CTranslate2 cannot translate as this system does") as refused:
        load_grid(small.root)
    message = str(refused.value)
    assert "systems.other.decode" in message and f"found {told}" in message
    assert "`decode: {engine: docmt}` in this system" in message
    small.edit(STUDY, "systems/other/decode", {**system.get("decode", {}), "engine": "docmt"})
    load_grid(small.root)
