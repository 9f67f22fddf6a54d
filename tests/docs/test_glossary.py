"""The glossary has each term once, in order, and no term that nothing uses; pages show its entries as tooltips."""

import re

from generators import tooltips
from helpers.support import ROOT

TEXT = tooltips.GLOSSARY.read_text(encoding="utf-8")
TERMS = [entry["term"] for entry in tooltips.ENTRY.finditer(TEXT)]


def test_entries_are_in_order_and_unique():
    for section in TEXT.split("\n## ")[1:]:
        terms = [entry["term"].casefold() for entry in tooltips.ENTRY.finditer(section)]
        assert terms == sorted(terms) and len(section.strip().splitlines()) == 1 + 2 * len(terms)
    assert len({*map(str.casefold, TERMS)}) == len(TERMS)


def test_entries_are_used():
    """Settings, tables, messages, docstrings or pages have every term; the glossary and its tooltips do not count."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "config.yaml"]
    code = [file for pattern in ("*.py", "*.html") for file in (ROOT / "docmt").rglob(pattern)]
    workflow = [file for pattern in ("*.yaml", "*.smk") for file in (ROOT / "workflow").rglob(pattern)]
    files = [file for file in (*pages, *code, *workflow) if file != tooltips.GLOSSARY]
    text = spelling(" ".join(file.read_text(encoding="utf-8") for file in files))
    unused = [term for term in TERMS if not is_used(term, text)]
    assert not unused, f"nothing uses the terms {unused} of docs/glossary.md"


def is_used(term: str, text: str) -> bool:
    """Return whether a text, in the form of `spelling`, has the term, or its plural, between other words."""
    return re.search(rf"(?<!\w){re.escape(spelling(term))}(?:s|es)?(?!\w)", text) is not None


def spelling(text: str) -> str:
    """Return a text in lower case, with spaces for hyphens and line ends."""
    return re.sub(r"[\s_#-]+", " ", text.lower())


def test_an_unused_term_is_found():
    assert is_used("lexical chain", spelling("Lexical\n# chains")) and not is_used("chain", "chained")


def test_tooltips_have_the_terms_of_the_field_without_marks_of_markdown():
    text = tooltips.text()
    assert "\n*[Group tags]: The number of the sentence that a token belongs to" in text
    assert "\n*[stop word]: One of the most frequent words, such as the." in text
    assert "*[system]" not in text, "pages use this word in its everyday sense"
