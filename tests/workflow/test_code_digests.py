"""The workflow engine does not see changes inside the package: a step's version must tell it."""

import json

import pytest
from generators import digests

from docmt.steps import NAMES, all_steps

FORWARD = ("train", "translate", "contrastive", "contrastive_whole", "context", "inspect", "passage")
"""The steps that run a model."""


def test_every_step_is_recorded():
    assert set(json.loads(digests.RECORD.read_text())) == set(NAMES)


def test_the_code_of_each_step_is_there():
    for step in all_steps().values():
        assert step.code and all((digests.ROOT / part).exists() for part in step.code), step.name


@pytest.mark.parametrize("step", NAMES)
def test_a_changed_step_has_a_changed_version(step):
    recorded, now = json.loads(digests.RECORD.read_text())[step], digests.today(step)
    assert recorded == now, (
        f"the code of the step {step} changed. If what it makes changes, raise `version` in docmt/steps/{step}.py (and "
        "in the other steps whose outputs change); then run python docs/generate.py"
    )


def steps_that_change(file: str, monkeypatch) -> set[str]:
    """The steps whose digest changes with the code of a file."""
    before, original = {name: digests.step_digest(name) for name in NAMES}, digests.code_of

    def changed(path):
        code, files = original(path)
        return (f"{code} changed" if path == digests.ROOT / file else code), files

    monkeypatch.setattr(digests, "code_of", changed)
    return {name for name in NAMES if digests.step_digest(name) != before[name]}


@pytest.mark.parametrize(
    ("file", "steps"),
    [
        ("docmt/models/long_short.py", {*FORWARD}),
        ("docmt/grid/items.py", set()),
        ("docmt/steps/of_grid.py", set()),
        ("docmt/steps/checkpoint.py", {"checkpoint"}),
        ("docmt/steps/adopt.py", {"adopt", "ask"}),
        ("docmt/steps/tokens.py", {"tokens"}),
        ("docmt/views/build.py", {"views"}),
        ("docmt/exporting/ct2_engine.py", {"passage", "scores", "translate"}),
    ],
)
def test_the_steps_of_a_file_change_with_it_though_no_import_leads_to_an_architecture(file, steps, monkeypatch):
    assert steps_that_change(file, monkeypatch) == steps
