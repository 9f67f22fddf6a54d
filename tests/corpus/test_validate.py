import dataclasses

import pytest

from docmt.core.catalogue import Counts
from docmt.core.errors import UserError
from docmt.core.vocabulary import SPECIALS
from docmt.corpus.inputs import ContrastiveItem, Document
from docmt.corpus.validate import check_counts, validated, validated_items

DOCUMENT = Document("train", "d1", ["你好。", "再见。"], ["Hello.", "Bye."], "here")
ITEM = ContrastiveItem("word", 1, ("一", "二"), ("one",), ("two", "too"), 0)


def test_valid_documents_pass_unchanged():
    documents = [DOCUMENT, dataclasses.replace(DOCUMENT, split="dev"), dataclasses.replace(DOCUMENT, name="d2")]
    assert list(validated(documents)) == documents


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"split": "valid"}, "here: unknown split\n  found valid; expected train, dev, test"),
        ({"name": "d0"}, "here: document given twice in train\n  found d0"),
        ({"source": ["一"]}, "here: source and target differ in length\n  found 1 source and 2 target sentences"),
        ({"source": [], "target": []}, "here: empty document"),
        ({"source": ["一", " \u3000"]}, "here, source sentence 2: empty sentence"),
        ({"target": ["a\x00b", "c"]}, "here, target sentence 1: control character in the text\n  found U+0000"),
        ({"target": ["a\nb", "c"]}, "here, target sentence 1: control character in the text\n  found U+000A"),
        ({"target": ["a\ufeffb", "c"]}, "here, target sentence 1: control character in the text\n  found U+FEFF"),
    ],
)
def test_what_no_document_may_be(changes, message):
    first = dataclasses.replace(DOCUMENT, name="d0")
    with pytest.raises(UserError) as problem:
        list(validated([first, dataclasses.replace(DOCUMENT, **changes)]))
    assert str(problem.value) == message


@pytest.mark.parametrize("marker", [*SPECIALS, "<d>", "_eos"])
def test_stray_markers(marker):
    with pytest.raises(UserError) as problem:
        list(validated([dataclasses.replace(DOCUMENT, source=["好", f"好{marker}。"])]))
    assert str(problem.value) == f"here, source sentence 2: stray marker in the text\n  found {marker}"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"source": ("一",)},
            "context does not fit the source\n  found 1 source and 1 context sentences; expected one less",
        ),
        ({"variants": ("two", "two")}, "variants must differ, and one be correct\n  found 2 variants, correct 0"),
        ({"correct": 2}, "variants must differ, and one be correct\n  found 2 variants, correct 2"),
        ({"variants": ("two", "<s>")}, "stray marker in the text\n  found <s>"),
        ({"target_context": ("",)}, "empty sentence"),
    ],
)
def test_what_no_contrastive_item_may_be(changes, message):
    with pytest.raises(UserError) as problem:
        list(validated_items([ITEM, dataclasses.replace(ITEM, **changes)], "toy"))
    assert str(problem.value) == f"toy contrastive item 1: {message}"


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (
            {"train": Counts(2, 9)},
            "mine train: counts differ from the catalogue's\n"
            "  found 2 documents, 9 sentences; expected 2 documents, 8 sentences",
        ),
        (
            {},
            "mine train: counts differ from the catalogue's\n  found no such split; expected 2 documents, 8 sentences",
        ),
        (
            {"train": Counts(2, 8), "dev": Counts(1, 1)},
            "mine dev: counts differ from the catalogue's\n  found 1 documents, 1 sentences; expected no such split",
        ),
    ],
)
def test_counts_are_those_of_the_catalogue(found, message):
    expected = {"train": Counts(2, 8)}
    check_counts(expected, expected, "mine")
    check_counts(found, {}, "mine")
    with pytest.raises(UserError) as problem:
        check_counts(found, expected, "mine")
    assert str(problem.value) == message
