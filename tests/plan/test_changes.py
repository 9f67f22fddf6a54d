"""What differs between what was asked of a job then and now, in the words of messages."""

from pathlib import Path

import pytest

from docmt.base.recipe import Recipe, StatedFile
from docmt.plan.changes import changes


def recipe(settings: dict, version: int = 3, **parts: dict) -> Recipe:
    return Recipe("scores", version, settings, Path("results/7_scores"), **parts)


BEFORE = {
    "settings": {"train": {"lr": 0.1, "frozen": []}, "rows": [{"beam": 4}, {"beam": 5}], "about": "a" * 60}
    | {"not_run": {}, "ways": {}, "pairs": [{"seeds": [1]}]},
    "version": 3,
    "inputs": {"model": Path("results/5_training/0123456789")},
    "files": {"tokenizer": StatedFile("models/tokenizer.json", "2" * 64)},
    "libraries": {"sacrebleu": "2.4.0"},
}


@pytest.mark.parametrize(
    ("part", "value", "words"),
    [
        ("settings", {"train": {"lr": 0.2, "frozen": []}}, "the setting train.lr was 0.1, is 0.2"),
        ("settings", {"rows": [{"beam": 4}, {"beam": 8}]}, "the setting rows.1.beam was 5, is 8"),
        ("settings", {"rows": [*range(20)]}, "the setting rows was [{'beam': 4}, {'beam': 5}], is 20 values"),
        ("settings", {"rows": ["b" * 60]}, "the setting rows was [{'beam': 4}, {'beam': 5}], is 1 value"),
        ("settings", {"about": "short"}, f"the setting about was {'a' * 37}..., is short"),
        ("settings", {"new": True}, "the setting new is new"),
        ("settings", {"train": {"lr": 0.1}}, "the setting train.frozen is gone"),
        ("settings", {"not_run": {"toy/she": "a.txt is missing"}}, "what is left out has changed (toy/she)"),
        ("settings", {"ways": {"a.txt is missing": "Put it there."}}, "what is missing has changed (a.txt is missing)"),
        ("settings", {"pairs": [{"seeds": [2]}]}, "what is compared has changed"),
        ("version", 4, "the version of the step scores was 3, is 4"),
        ("libraries", {"sacrebleu": "2.5.1"}, "the library sacrebleu was 2.4.0, is 2.5.1"),
        ("files", {"tokenizer": StatedFile("a", "3" * 64)}, "the file tokenizer was 222222222222, is 333333333333"),
        ("files", {"other": StatedFile("a", "3" * 64)}, "the file other is new"),
        ("inputs", {"model": Path("results/5_training/abcdef0123")}, "the input model is another one"),
        ("inputs", {"view": Path("results/3_views/abcdef0123")}, "the input view is new"),
    ],
)
def test_each_kind_of_change_has_its_words(part, value, words):
    now = BEFORE[part] | value if isinstance(value, dict) else value
    assert [str(change) for change in changes(recipe(**BEFORE), recipe(**BEFORE | {part: now}))] == [words]
