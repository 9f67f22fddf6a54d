"""The paths at which people open pages: links to the artifacts, which have ids in their paths."""

import re
from collections.abc import Callable

from docmt.base.paths import PAGE, PAPER, RESULTS, front_link, page_link, sheet_link
from docmt.grid.items import Job

LINKS: dict[str, Callable[..., str]] = {"page": page_link, "front": front_link, "sheet": sheet_link}
"""The functions from names to the path of the link, by the steps that have links."""
_FRONT = re.compile(rf"{RESULTS}/report(?:@(?P<scale>[^/]+))?\.html")
_PAGE = re.compile(
    rf"{RESULTS}/{PAGE.stage}/(?P<scale>[^/]+)/(?P<study>[^/]+)/(?P<item>[^/]+?)(?P<sheet>\.sheet\.csv|\.html)"
)


def link_of(path: str) -> Job | None:
    """Return the job of the page that people open at a path; None for any other path."""
    if match := _FRONT.fullmatch(path):
        return "front", {"scale": match["scale"] or PAPER}
    if match := _PAGE.fullmatch(path):
        names = {name: match[name] for name in ("scale", "study", "item")}
        return ("page" if match["sheet"] == ".html" else "sheet"), names
    return None
