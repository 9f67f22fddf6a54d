"""The tooltips of the site: an abbreviation in Markdown for each term of the field that the glossary explains."""

import re
from pathlib import Path

from generators.markdown import generated_by

GLOSSARY = Path(__file__).parents[1] / "glossary.md"
WITHOUT = "\n## Words of docmt\n"
"""The section whose terms have no tooltips, since pages also use these words in their everyday sense."""
ENTRY = re.compile(r"^\*\*(?P<term>[^*]+)\*\* – (?P<meaning>.+)$", re.MULTILINE)


def text() -> str:
    """Return the text of the file, which mkdocs.yml appends to each page."""
    field, _, _ = GLOSSARY.read_text(encoding="utf-8").partition(WITHOUT)
    lines = [
        f"*[{form}]: {re.sub('[`*]', '', entry['meaning'])}"
        for entry in ENTRY.finditer(field)
        for form in forms(entry["term"])
    ]
    return generated_by("docs/glossary.md") + "\n" + "\n".join(lines) + "\n"


def forms(term: str) -> list[str]:
    """Return the forms of a term that pages have: of a common noun also the plural, and both with a capital.

    >>> forms("BLEU"), forms("group tag")
    (['BLEU'], ['group tag', 'group tags', 'Group tag', 'Group tags'])
    """
    if not term.islower():
        return [term]
    forms = [term] if term.endswith("s") else [term, f"{term}s"]
    return forms + [form[0].upper() + form[1:] for form in forms]
