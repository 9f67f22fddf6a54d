"""The list of docmt's titles: headings of pages, of reports and of studies' items, and the help lines of commands."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from docmt.base.yaml_files import load_yaml
from docmt.cli.commands import FOR_YOU, STORE, command, first_sentence, function_of

ROOT = Path(__file__).parents[2]
HEADING = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)
OF_REPORTS = re.compile(r"<(?:title|h[1-4]|summary|caption)\b[^>]*>(.+?)</")
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def titles() -> Iterator[tuple[str, Iterable[str]]]:
    """Yield each place with the titles that a user meets there, in their order."""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        yield str(path.relative_to(ROOT)), HEADING.findall(BLOCK.sub("", path.read_text(encoding="utf-8")))
    for path in sorted((ROOT / "docmt/reporting/templates").rglob("*.html")):
        yield str(path.relative_to(ROOT)), OF_REPORTS.findall(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "workflow/studies").glob("*.yaml")):
        yield str(path.relative_to(ROOT)), _titles_in(load_yaml(path)[0])
    for group, sections in (("", FOR_YOU), ("store ", STORE)):
        for heading, modules in sections.items():
            parsed = (command(name, function_of(name, module)) for name, module in modules.items())
            yield f"docmt {group}--help, {heading}", [f"{one.name}: {first_sentence(one.help)}" for one in parsed]


def _titles_in(value: object) -> Iterator[str]:
    for key, inside in value.items() if isinstance(value, dict) else ():
        if key in ("title", "group", "label") and isinstance(inside, str):
            yield inside
        yield from _titles_in(inside)


def text() -> str:
    """Return the list as text: each place, and below it its titles."""
    return "\n".join(f"{place}\n    " + "\n    ".join(found) for place, titles in titles() if (found := [*titles]))
