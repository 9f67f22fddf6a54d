"""Passages beside the published translations."""

import pytest
from helpers.single_item import CORPUS, only

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError

PASSAGE = {
    "corpus": CORPUS,
    "systems": [{"label": "Sys0", "system": "sentence"}, {"label": "Sys1", "system": "never_run"}],
    "documents": [
        {"source": ["他来了。", "<b>"], "reference": ["He came ."], "published": {"Sys0": ["It came .", "It sat ."]}}
    ],
}


def test_passages_stand_beside_the_published_translations(world):
    folder = world.folder("6_passages", "sentence", 1) / "made" / "item1"
    write_json(folder / "passages.json", {"documents": [["He is here .", "<i>x</i>"]]})
    piece, page = only(world, "passages", PASSAGE)
    texts = [(r["kind"], r["label"], r["text"], r["status"]) for r in piece.records]
    assert texts == [
        ("source", "source", "他来了。", "there"),
        ("source", "source", "<b>", "there"),
        ("reference", "reference", "He came .", "there"),
        ("measured", "Sys0", "He is here .", "there"),
        ("measured", "Sys0", "<i>x</i>", "there"),
        ("published", "Sys0", "It came .", "there"),
        ("published", "Sys0", "It sat .", "there"),
        ("measured", "Sys1", "", "not run"),
    ]
    assert "&lt;b&gt;" in page and "<i>x</i>" not in page


def test_translations_of_other_passages_are_refused(world):
    folder = world.folder("6_passages", "sentence", 1) / "made" / "item1"
    write_json(folder / "passages.json", {"documents": [["a"], ["b"]]})
    with pytest.raises(UserError, match=r"passages.json: not translations of these passages\n  found 2; expected 1"):
        only(world, "passages", PASSAGE)
