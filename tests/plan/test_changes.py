"""What differs between what was asked of a job then and now, in the words of messages."""

import pytest

from docmt.base.asked import Asked
from docmt.plan.changes import Difference, changes
from docmt.plan.driver import lines_of
from docmt.plan.jobs import Job
from docmt.plan.planning import Plan
from docmt.plan.states import State

BEFORE = Asked(
    "scores",
    settings={"version": 3, "train": {"lr": 0.1, "frozen": []}, "rows": [{"beam": 4}, {"beam": 5}], "about": "a" * 60},
    inputs={"model": "1" * 64},
    files={"tokenizer": "2" * 64},
    libraries={"sacrebleu": "2.4.0"},
)


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
        ("settings", {"version": 4}, "the version of the step scores was 3, is 4"),
        ("libraries", {"sacrebleu": "2.5.1"}, "the library sacrebleu was 2.4.0, is 2.5.1"),
        ("files", {"tokenizer": "3" * 64}, "the file tokenizer was 222222222222, is 333333333333"),
        ("files", {"tokenizer": None}, "the file tokenizer was 222222222222, is not known"),
        ("inputs", {"model": "3" * 64}, "the input model is another one"),
    ],
)
def test_each_kind_of_change_has_its_words(part, value, words):
    parts = {name: dict(getattr(BEFORE, name)) for name in ("settings", "inputs", "files", "libraries")}
    parts[part] |= value
    assert [str(change) for change in changes(BEFORE, Asked("scores", **parts))] == [words]


SENTENCE = {"corpus": "toy", "system": {"name": "sentence", "beam": 4}}
GROUP = {"corpus": "toy", "system": {"name": "group"}}
PAIR = {"corpus": "toy", "system": "group", "baseline": "sentence", "seeds": [1]}


@pytest.mark.parametrize(
    ("then", "now", "words"),
    [
        ([SENTENCE], [GROUP, SENTENCE], "the setting entries.toy/group is new"),
        ([GROUP, SENTENCE], [SENTENCE], "the setting entries.toy/group is gone"),
        (
            [GROUP, SENTENCE],
            [GROUP, SENTENCE | {"system": {"name": "sentence", "beam": 5}}],
            "the setting entries.toy/sentence.system.beam was 4, is 5",
        ),
        (
            [PAIR],
            [PAIR | {"seeds": [1, 2]}],
            "the setting entries.toy/group against sentence.seeds was [1], is [1, 2]",
        ),
        (
            [{"name": "quality", "rows": 2}],
            [{"name": "quality", "rows": 3}],
            "the setting entries.quality.rows was 2, is 3",
        ),
        ([GROUP, GROUP], [GROUP], "the setting entries was 2 values, is 1 value"),
    ],
)
def test_an_item_of_a_list_has_the_name_that_a_user_knows(then, now, words):
    before, asked = Asked("report", settings={"entries": then}), Asked("report", settings={"entries": now})
    assert [str(change) for change in changes(before, asked)] == [words]


def test_another_order_of_named_items_is_a_change():
    before, asked = (Asked("report", settings={"entries": items}) for items in ([SENTENCE, GROUP], [GROUP, SENTENCE]))
    assert [*changes(before, asked)]


OTHERS = "; and 2 more changes (`docmt why TARGET` explains them)"


@pytest.mark.parametrize(("number", "rest"), [(3, "; the input c is another one"), (4, OTHERS)])
def test_a_line_before_a_run_names_the_first_changes(number, rest):
    """A page has all systems of its study among its inputs."""
    listed = tuple(Difference("input", letter, "", "") for letter in "abcd"[:number])
    state = State("other", "; ".join(map(str, listed)), changes=listed)
    page = Job.of("report", scale="smoke", study="demo")
    line = f"{page}: the input a is another one; the input b is another one{rest}; made again"
    assert lines_of(Plan(reasons={page: state}), 1.0) == [line]
