"""Files of settings that are right, and changes of them that may not be: of these, schema and parser are compared."""

import copy
from collections.abc import Iterator
from functools import cache
from typing import Any

import yaml
from helpers.every_kind import FIGURES, PASSAGES, SYSTEMS, TABLES
from helpers.form_cases import SMALLEST
from helpers.small_grid import CONFIG, CORPUS
from helpers.small_grid import SYSTEMS as SMALL_SYSTEMS
from helpers.support import ROOT, Project

from docmt.base import schemas

PLACES = {
    schemas.CONFIG: "config.yaml",
    schemas.STUDY: "workflow/studies/one.yaml",
    schemas.CORPUS: "workflow/corpora/toy.yaml",
}
"""The file of the small project that has each schema."""
NUMBERS = (0, 1, -1, 2, 3, 5, 0.5, 1.0, -0.5, 1e40, 10**12, 2**63, float("inf"))
TEXTS = ("", "  ", "x", "a\tb", "a b", "{}", "1e3", "-x", "..", "zh", "toy", "sentence", "{language}", "x" * 1001)
LISTS = ([], [1], [0], ["x"], [""], ["x", "x"], [2, 2])
MAPPINGS = ({}, {"x": 1}, {"x": "y"}, {"zh": "y"}, {"train": "y"}, {1: "x"}, {"a b": ""}, {"kind": "x"})
VALUES = (None, True, False, *NUMBERS, *TEXTS, *LISTS, *MAPPINGS)
"""Values that some setting may not have; each is a type of its own, or at the end of a range."""


FILES = (
    *("a.zh", "a.en", "b.en", "a.ids", "a.tsv", "a.json", "a.current.trg", "a.current.src", "a.tgz", "b.zip"),
    *("src.sgm", "ref.sgm", "dev2010.zh.xml", "dev2010.en.xml", "train.tags.zh-en.zh", "train.tags.zh-en.en"),
    *("en-zh.xml.gz", "zh.zip", "en.zip", "a.tmx", "a.xml"),
    *("a.c3.context.src", "a.c3.context.trg", "1.zh", "1.en", "documents"),
)
"""The files that the readers of `SMALLEST` read."""


def config() -> dict:
    """The manual itself, with the names of the small project."""
    manual = yaml.safe_load((ROOT / PLACES[schemas.CONFIG]).read_text(encoding="utf-8"))
    names = {"local": {"toy": "data"}, "human": {"one": "judged.json"}, "hosts": {"a.org": "https://b.org"}}
    conventions, models = {"strict": {"match": "exact"}}, {"models": {"en": "bert"}}
    texts = {**manual["texts"], **CONFIG["texts"]}
    defaults = {**manual["defaults"], "text": "joint"}
    scoring = {**manual["scoring"], "conventions": conventions, "cohesion": models}
    return {**manual, **names, "studies": ["one"], "texts": texts, "defaults": defaults, "scoring": scoring}


def study() -> dict:
    """A study with every section, every kind of item, a sweep, and systems of others."""
    sweep = {"document.length{}": {"sweep": [32, 48], "extends": "document", "view": {"max_tokens": "{}"}}}
    others = {"theirs": {"translations": {"path": "theirs.txt"}}, "asked": {"command": {"run": ["cat", "{seed}"]}}}
    points = {**FIGURES["figure1"], "series": [{"label": "A", "points": "document.length{}"}]}
    finding = {
        "says": "{a} is a number.",
        "cells": {"a": {"table": "table2", "system": "fine", "metric": "parameters"}},
        "when": [{"cell": "a", "above": 1}],
    }
    measured = {"paper": "section 4", "quotation": "words", "scoring": {"aligner": {"kind": "eflomal"}}}
    human = {"title": "T", "kind": "human", "rows": [{"label": "1"}], "corpus": "toy"}
    return {
        "study": "one",
        "title": "One",
        "about": "A question.",
        "corpora": ["toy"],
        "seeds": [1, 2],
        "systems": {**SMALL_SYSTEMS, **SYSTEMS, **sweep, **others},
        "tables": {**TABLES, "judged": {**human, "system": "fine", "baseline": "sentence"}},
        "figures": {**FIGURES, "lengths": points},
        "passages": PASSAGES,
        "findings": [finding],
        "scoring": {
            "consistency": {"match": "subset"},
            "conventions": {"loose": {"match": "fuzzy", "similarity": 0.5}},
        },
        "measured_as": {"LTCR": [measured]},
    }


def corpora() -> Iterator[dict]:
    """A corpus with every field, for each form of corpus files."""
    stated = {"train": {"documents": "9K", "sentences": 887}}
    counts = {"paper": "A", "place": "Table 1", "counts": stated, "why": {"train": "x"}}
    facts = {
        "files": [
            {"name": name, "sources": ["https://a.org/a", {"url": "b.zip", "member": "a", "grade": "A"}], "size": 5}
            for name in FILES
        ],
        "published": [counts],
        "train_parts": [{"documents": "1K", "sentences": 2000, "pieces": 20.5}],
        "passing_on": "models",
        "most_shared": {"pairs": 1},
        "known": ["not_nfc"],
        "expected": {"train": {"documents": 1, "sentences": 2}},
        "contrastive": True,
    }
    for kind, reader in SMALLEST.items():
        yield {"corpus": "toy", **CORPUS, **facts, "reader": {"kind": kind, **reader}}


@cache
def right(schema: str) -> list[dict]:
    """Files that are right."""
    return list(corpora()) if schema == schemas.CORPUS else [config() if schema == schemas.CONFIG else study()]


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Yield the path of each value inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def changed(value: dict, path: tuple, change: str, new: Any) -> dict:
    """A copy with one change: another value, a key that is missing, or one with another name."""
    value = copy.deepcopy(value)
    *parents, last = path
    place = value
    for key in parents:
        place = place[key]
    old = place.pop(last) if change != "value" else None
    if change == "value":
        place[last] = copy.deepcopy(new)
    elif change == "name" and isinstance(place, dict):
        place[new] = old
    return value


def write(project: Project, schema: str, value: Any) -> None:
    """Put a file into the small project."""
    text = yaml.dump(value, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False)
    (project.root / PLACES[schema]).write_text(text, encoding="utf-8")
