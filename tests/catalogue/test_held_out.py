"""Documents of training that become dev and test."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.catalogue.forms import ReaderConfig
from docmt.catalogue.held_out import Allocation, HeldOutConfig

RULES = st.one_of(
    st.builds(HeldOutConfig, first=st.integers(1, 5)),
    st.builds(HeldOutConfig, every=st.integers(2, 6), at_most=st.none() | st.integers(1, 3)),
)


def expected(held_out: dict, number: int) -> list[str]:
    """Take the documents of dev out of the list, then those of test out of the rest."""
    splits = ["train"] * number
    for name in ("dev", "test"):
        rule, left = held_out.get(name), [index for index, split in enumerate(splits) if split == "train"]
        if rule is None:
            continue
        chosen = left[: rule.first] if rule.first else left[rule.every - 1 :: rule.every][: rule.at_most]
        for index in chosen:
            splits[index] = name
    return splits


@given(st.dictionaries(st.sampled_from(["dev", "test"]), RULES), st.integers(0, 40))
def test_each_split_takes_from_what_the_one_before_has_left(held_out, number):
    allocation = Allocation(held_out)
    assert [allocation.next_split() for _ in range(number)] == expected(held_out, number)


@pytest.mark.parametrize(
    ("held_out", "message"),
    [
        ({"dev": {}}, "held_out.dev.first: value not allowed\n  found nothing; expected a number of first or of every"),
        ({"dev": {"first": 1, "every": 2}}, "held_out.dev.first: value not allowed\n  found ['first', 'every']"),
        ({"dev": {"every": 1}}, "held_out.dev.every: value not allowed\n  found 1; expected 2 or more"),
        ({"dev": {"first": 1, "at_most": 2}}, "held_out.dev.at_most: value not allowed\n  found 2; expected none"),
        ({"dev": {"first": 0}}, "held_out.dev.first: value not allowed\n  found 0; expected 1 or more"),
        ({"train": {"first": 1}}, "held_out: value not allowed\n  found ['train']; expected splits without files"),
        ({"test": {"first": 1}}, "held_out: value not allowed\n  found ['test']; expected splits without files"),
    ],
)
def test_what_it_may_not_say(held_out, message):
    reader = {"kind": "table", "splits": {"train": "a.tsv", "test": "b.tsv"}, "held_out": held_out}
    with pytest.raises(UserError) as problem:
        parse(ReaderConfig, reader, "mine.yaml", ("reader",))
    assert str(problem.value).startswith(f"mine.yaml reader.{message}")


@pytest.mark.parametrize(
    ("reader", "message"),
    [
        ({"splits": {"dev": "a.tsv"}}, "found ['test']; expected files of train in splits"),
        ({"file": "a.tsv", "split": "part"}, "found ['test']; expected nothing beside file, which has all splits"),
    ],
)
def test_nothing_is_held_out_of_nothing(reader, message):
    with pytest.raises(UserError) as problem:
        parse(ReaderConfig, {"kind": "table", **reader, "held_out": {"test": {"first": 1}}}, "mine.yaml")
    assert message in str(problem.value)
