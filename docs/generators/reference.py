"""The pages of the reference: each part of it is a folder with an index and a page for each group of its sections."""

import re
from collections.abc import Callable
from functools import cache, partial

from generators import commands, results, settings_pages
from generators.markdown import slug, table
from generators.reference_parts import ON_INDEX, PARTS, Part

INDEX = "index"
WHOLE: dict[str, Callable[[], str]] = {
    "commands": commands.text,
    "corpus-file": settings_pages.corpus,
    "results": results.text,
    "settings": settings_pages.settings,
    "study-file": settings_pages.study,
}
"""The function that returns the whole text of each part, whose links are those of a single page."""
SECTION = re.compile(r"^(?=#{2,} )", re.MULTILINE)
LINK = re.compile(r"\]\((?:(?P<file>[\w-]+)\.md)?(?:#(?P<anchor>[\w.-]+))?\)")


def paths() -> dict[str, Callable[[], str]]:
    """Return the function of each page by its path below docs/reference."""
    return {
        f"{part}/{name}.md": partial(page, part, name)
        for part, pages in PARTS.items()
        for name in (INDEX, *(one.name for one in pages))
    }


def page(part: str, name: str) -> str:
    """Return the text of a page."""

    def led(link: re.Match[str]) -> str:
        return f"]({target(part, name, link['file'], link['anchor'])})"

    first, *rest = (LINK.sub(led, section) for section in sections_of(part)[name])
    parts = [first, contents(part), *rest] if name == INDEX else [beginning(part, name), first, *rest]
    return "".join(parts).rstrip() + "\n"


@cache
def sections_of(part: str) -> dict[str, list[str]]:
    """Return the sections of each page; one whose heading no page names stays with the section before it."""
    patterns = {INDEX: ON_INDEX, **{one.name: one.headings for one in PARTS[part]}}
    name, result = INDEX, {name: [] for name in patterns}
    for section in SECTION.split(WHOLE[part]()):
        name = next((page for page, pattern in patterns.items() if re.match(pattern, heading(section))), name)
        result[name].append(section)
    return result


def heading(section: str) -> str:
    """Return the heading of a section; the text before the first one has none."""
    return section.partition("\n")[0].lstrip("# ") if section.startswith("##") else ""


def beginning(part: str, name: str) -> str:
    """Return the title of a page, and for whom it is."""
    one = next(one for one in PARTS[part] if one.name == name)
    comment, afterwards = sections_of(part)[INDEX][0].partition("\n")[0], afterwards_of(part)
    return f"{comment}\n\n# {one.title}\n\n> **For** readers who want to {one.purpose}.\n> {afterwards}\n\n"


def afterwards_of(part: str) -> str:
    """Return what readers of a part can do afterwards, as its beginning says it."""
    quotation = " ".join(re.findall("^> (.+)", sections_of(part)[INDEX][0], re.MULTILINE))
    return quotation[quotation.index("**Afterwards**") :]


def contents(part: str) -> str:
    """Return the table of the pages with links to their sections."""
    return f"{table(('page', 'for readers who want to', 'sections'), (row(part, one) for one in PARTS[part]))}\n\n"


def row(part: str, one: Part) -> tuple[str, str, str]:
    """Return the row of a page; a heading with nothing below it is left out."""
    sections = (section for section in sections_of(part)[one.name] if len(section.strip().splitlines()) > 1)
    titles = dict.fromkeys(map(heading, sections))
    links = ", ".join(f"[{title}]({one.name}.md#{slug(title)})" for title in titles)
    return f"[{one.title}]({one.name}.md)", one.purpose, links


def target(part: str, name: str, file: str | None, anchor: str | None) -> str:
    """Return the address for a page of a link to a section, to another part, or to another page of the reference."""
    end = f"#{anchor}" if anchor else ""
    if file in WHOLE or not file:
        there = place_of(file or part, anchor)
        return end if (file or part, there) == (part, name) else f"{f'../{file}/' if file else ''}{there}.md{end}"
    return f"../{file}.md{end}"


def place_of(part: str, anchor: str | None) -> str:
    """Return the page of a part that has a section."""
    pages = sections_of(part).items()
    return next((name for name, sections in pages if anchor in {slug(heading(one)) for one in sections}), INDEX)
