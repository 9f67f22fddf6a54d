import dataclasses

import pytest

from docmt.base.errors import UserError
from docmt.catalogue.corpus import SplitCounts
from docmt.corpus.inputs import ContrastiveItem, Document, Problems, SideText
from docmt.corpus.opening import validated_documents, validated_items
from docmt.corpus.read import check_counts

DOCUMENT = Document(
    "train", "d1", SideText(["你好。", "再见。"], "a.zh", [4, 5]), SideText(["Hello.", "Bye."], "a.en", [7, 9]), "here"
)
ITEM = ContrastiveItem("word", 1, ("一", "二"), ("one",), ("two", "too"), 0)


def side(*sentences: str | None) -> SideText:
    return SideText(sentences, "a", range(1, len(sentences) + 1))


def test_valid_documents_pass_unchanged():
    documents = [DOCUMENT, dataclasses.replace(DOCUMENT, split="dev"), dataclasses.replace(DOCUMENT, name="d2")]
    assert list(validated_documents(documents, Problems())) == documents


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"split": "valid"}, "here: unknown split\n  found valid; expected train, dev, test"),
        ({"name": "d0"}, "here: document given twice in train\n  found d0"),
        ({"source": side(), "target": side()}, "here: empty document"),
        ({"source": side("一", " \u3000")}, "a:2: empty sentence"),
        ({"target": side("a\x00b", "c")}, "a:1: control character in the text\n  found U+0000"),
        ({"target": side("a\ufeffb", "c")}, "a:1: control character in the text\n  found U+FEFF"),
        ({"references": (side(None, "<s>"),)}, "a:2: stray marker in the text\n  found <s>"),
        (
            {"references": (side("one"),)},
            "here: source and target differ in length\n  found 2 source and 2, 1 target sentences",
        ),
    ],
)
def test_what_no_document_may_be(changes, message):
    first = dataclasses.replace(DOCUMENT, name="d0")
    with pytest.raises(UserError) as problem:
        list(validated_documents([first, dataclasses.replace(DOCUMENT, **changes)], Problems()))
    assert str(problem.value) == message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"source": ("一",)},
            "context does not fit the source\n"
            "  found 1 source and 1 context sentences; expected one context sentence fewer",
        ),
        *(
            (
                changes,
                f"not the variants of an item\n"
                f"  found {variants}; expected one right variant, and wrong variants that differ",
            )
            for changes, variants in (
                ({"variants": ("two", "too", "too")}, "3 variants, correct 0"),
                ({"variants": ("two",)}, "1 variants, correct 0"),
                ({"correct": 2}, "2 variants, correct 2"),
            )
        ),
        ({"variants": ("two", "<s>")}, "stray marker in the text\n  found <s>"),
        ({"target_context": ("",)}, "empty sentence"),
    ],
)
def test_what_no_contrastive_item_may_be(changes, message):
    with pytest.raises(UserError) as problem:
        list(validated_items([ITEM, dataclasses.replace(ITEM, **changes)], "toy", Problems()))
    assert str(problem.value) == f"toy contrastive item 1: {message}"


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (
            {"train": SplitCounts(2, 9)},
            "mine train: counts differ from the catalogue's\n"
            "  found 2 documents, 9 sentences; expected 2 documents, 8 sentences",
        ),
        (
            {},
            "mine train: counts differ from the catalogue's\n  found no such split; expected 2 documents, 8 sentences",
        ),
    ],
)
def test_counts_are_those_of_the_catalogue(counts, message):
    expected = {"train": SplitCounts(2, 8)}
    check_counts(expected, expected, "mine", Problems())
    check_counts(counts, {}, "mine", Problems())
    with pytest.raises(UserError) as problem:
        check_counts(counts, expected, "mine", Problems())
    assert str(problem.value) == message
