"""The glossary has every term of settings and studies, once, and no term that nothing uses."""

import re
from functools import cache
from typing import NamedTuple

import pytest
from helpers import terms
from helpers.support import ROOT

GLOSSARY = ROOT / "docs" / "glossary.md"
ENTRY = re.compile(r"\*\*(?P<head>[^*]+)\*\* – (?P<text>.+)")


class Entry(NamedTuple):
    """An entry of the glossary: its heading, its term, and its explanation."""

    heading: str
    head: str
    text: str


@cache
def entries() -> tuple[Entry, ...]:
    """Return the entries in the order of the page."""
    heading, result = "", []
    for line in GLOSSARY.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        elif match := ENTRY.fullmatch(line):
            result.append(Entry(heading, match["head"], match["text"]))
        else:
            assert not line or not heading, f"no entry of the form `**term** – explanation`: {line}"
    return tuple(result)


@cache
def names() -> frozenset[str]:
    """Return the terms of entries, and the names between backticks in them with the parts of these names."""
    codes = {code for entry in entries() for code in re.findall("`([^`]+)`", entry.text)}
    parts = {part for code in codes for part in re.split(r"[^\w.%-]+", code)}
    return frozenset({entry.head for entry in entries()} | codes | parts)


def lacking(place_by_term: dict[str, str]) -> list[str]:
    """Return the terms, with their place, that are neither an entry nor a name in one."""
    valid = {terms.singular(name) for name in names()}
    return [f"{term} ({place})" for term, place in place_by_term.items() if terms.singular(term) not in valid]


@pytest.mark.parametrize("collect", [terms.settings_terms, terms.names_of_items], ids=["settings", "names"])
def test_terms_are_in_the_glossary(collect):
    place_by_term = collect()
    missing = lacking(place_by_term)
    assert not missing, "docs/glossary.md lacks:\n" + "\n".join(missing)
    assert len(place_by_term) > 25, "terms are collected"


def test_entries_are_in_order_and_unique():
    by_heading: dict[str, list[str]] = {}
    for entry in entries():
        by_heading.setdefault(entry.heading, []).append(entry.head.casefold())
    for heading, heads in by_heading.items():
        assert heads == sorted(heads), f"{heading}: not in alphabetical order"
    heads = [terms.singular(entry.head) for entry in entries()]
    assert len(set(heads)) == len(heads), sorted(head for head in heads if heads.count(head) > 1)


def test_entries_are_used():
    """Settings, tables, messages, docstrings or pages have every term; the glossary itself does not count."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "config.yaml"]
    code = [file for pattern in ("*.py", "*.html") for file in (ROOT / "docmt").rglob(pattern)]
    workflow = [file for pattern in ("*.yaml", "*.smk") for file in (ROOT / "workflow").rglob(pattern)]
    files = [file for file in (*pages, *code, *workflow) if file != GLOSSARY]
    text = spelling(" ".join(file.read_text(encoding="utf-8") for file in files))
    unused = [
        entry.head for entry in entries() if not all(is_used(part, text) for part in re.split(", | and ", entry.head))
    ]
    assert not unused, f"nothing uses the terms {unused} of docs/glossary.md"


def is_used(term: str, text: str) -> bool:
    """Return whether a text, in the form of `spelling`, has the term, or its plural, between other words."""
    return re.search(rf"(?<!\w){re.escape(spelling(term))}(?:s|es)?(?!\w)", text) is not None


def spelling(text: str) -> str:
    """Return a text in lower case, with spaces for hyphens and line ends."""
    return re.sub(r"[\s_#-]+", " ", text.lower())


def test_a_missing_term_and_an_unused_one_are_found():
    assert is_used("lexical chain", spelling("Lexical\n# chains")) and not is_used("chain", "chained")
    assert lacking({"quux_size": "a test"}) == ["quux_size (a test)"]
    assert not lacking({"max_tokens": "a test", "chains": "a test"})
