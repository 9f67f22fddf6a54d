"""The form of the large set English-French: lines of variants, lines of context, and the JSON that states the rest."""

import json
from pathlib import Path

import pytest
from helpers.reader_files import items_of, refusal

from docmt.corpus.inputs import ContrastiveItem, ReaderInputs

READER = {"kind": "contrastive_lines", "sets": {"p": "o.current.trg"}, "context_sentences": 2}
OLD = ["il est vieux .", "elle est vieille ."]
LINES = {
    "current.src": ["it is old .", "it is old .", "they left .", "they left .", "it is old .", "it is old ."],
    "current.trg": [*OLD, "elles sont parties .", "ils sont partis .", *OLD],
    "c2.context.src": [*["the bank .", "yes ."] * 2, *["", ""] * 2, *["", "hello ."] * 2],
    "c2.context.trg": [*["le banc .", "oui ."] * 2, *["", ""] * 2, *["", "bonjour ."] * 2],
}


def record(document: str, pronouns: str, wrong: str, distance: int, **more: object) -> dict:
    source, reference = pronouns.split()
    stated = {"src pronoun": source, "ref pronoun": reference, "ante distance": distance}
    return {"document id": document, **stated, "errors": [{"contrastive": wrong}], **more}


DETAILS = [
    record("2001_2", "It il", "elle est vieille .", 4),
    record("2000_1", "they elles", "ils sont partis . ", 0),
    record("2000_0", "It Il", "elle est vieille .", 1, errors={"contrastive": "elle est vieille ."}),
]
"""Two items have one wrong variant; the order of the names of documents tells which is which."""


@pytest.fixture
def folder(tmp_path) -> Path:
    for name, lines in LINES.items():
        (tmp_path / f"o.{name}").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "o.json").write_text(json.dumps(DETAILS))
    return tmp_path


def inputs_of(folder: Path) -> ReaderInputs:
    return ReaderInputs(folder, folder / "scratch", "en", "fr")


def items(folder: Path, **changes: object) -> list[ContrastiveItem]:
    return items_of(inputs_of(folder), {**READER, **changes})


def test_two_lines_are_an_item_with_the_context_before_them(folder):
    first, second, third = items(folder)
    assert (first.set, first.distance, first.correct) == ("p", 0, 0)
    assert first.source == ("the bank .", "yes .", "it is old .")
    assert (first.target_context, first.variants) == (("le banc .", "oui ."), ("il est vieux .", "elle est vieille ."))
    assert (second.source, second.target_context) == (("they left .",), ())
    assert (third.source, third.target_context) == (("hello .", "it is old ."), ("bonjour .",))


def test_without_contexts_their_files_are_not_read(folder):
    for path in folder.glob("*.context.*"):
        path.unlink()
    assert [len(item.source) for item in items(folder, context_sentences=0)] == [1, 1, 1]


def test_the_json_states_pronouns_and_distances(folder):
    """Lines are in the order of the names of documents, whatever the order of the JSON."""
    read = items(folder, details={"p": "o.json"})
    assert [(item.set, item.distance) for item in read] == [("p/it:il", 1), ("p/they:elles", 0), ("p/it:il", 4)]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("current.src", lambda lines: lines[:5], "the two sides have different numbers of lines"),
        (
            "current.src",
            lambda lines: ["she is old .", *lines[1:]],
            "o.current.trg:1: variants of an item differ in source or context",
        ),
        (
            "c2.context.src",
            lambda lines: [*lines[:2], "the bench .", *lines[3:]],
            "o.current.trg:1: variants of an item differ in source or context",
        ),
        (
            "c2.context.trg",
            lambda lines: [*lines[:2], "la banque .", *lines[3:]],
            "o.current.trg:1: translations differ before the last sentence",
        ),
    ],
)
def test_lines_that_are_no_set_are_refused(folder, name, change, message):
    (folder / f"o.{name}").write_text("".join(f"{line}\n" for line in change(LINES[name])))
    assert message in refusal(inputs_of(folder), READER)


def test_an_odd_number_of_lines_is_refused(folder):
    for side in ("src", "trg"):
        lines = LINES[f"current.{side}"][:5]
        (folder / f"o.current.{side}").write_text("".join(f"{line}\n" for line in lines))
    message = "o.current.trg: not two lines for each item\n  found 5 lines; expected an even number"
    assert refusal(inputs_of(folder), READER) == message


def test_contexts_of_another_length_are_refused(folder):
    for side in ("src", "trg"):
        (folder / f"o.c2.context.{side}").rename(folder / f"o.c3.context.{side}")
    message = (
        "o.c3.context.src: context does not fit the lines\n"
        "  found 12 lines; expected 18 lines, 3 for each line of o.current.trg"
    )
    assert refusal(inputs_of(folder), {**READER, "context_sentences": 3}) == message
    assert "o.c1.context.src: file not found" in refusal(inputs_of(folder), {**READER, "context_sentences": 1})


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ({}, "o.json: not a contrastive set\n  found dict; expected a list of items"),
        ([{"errors": []}], "o.json, item 1: not a contrastive item\n  found errors; expected 'document id', a str"),
        ([{**DETAILS[0], "errors": None}], "o.json, item 1: not a contrastive item"),
        ([{**DETAILS[0], "ref pronoun": 1}], "expected 'ref pronoun', a str"),
        (
            DETAILS[:2],
            "trg:5: the details of a set lack an item\n  found elle est vieille .; expected its wrong variant",
        ),
    ],
)
def test_a_json_that_does_not_fit_is_refused(folder, records, message):
    (folder / "o.json").write_text(json.dumps(records))
    assert message in refusal(inputs_of(folder), {**READER, "details": {"p": "o.json"}})
