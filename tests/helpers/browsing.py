"""A browser that opens the pages of docmt, and what it finds wrong with them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

WIDE, NARROW = 1400, 400
"""Widths of screens, in pixels."""
Theme = Literal["light", "dark"]
LEVEL_AA = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
TWICE = "() => [...document.querySelectorAll('[id]')].map(e => e.id).filter((id, n, all) => all.indexOf(id) !== n)"
OVERHANG = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
COVERED = """async () => {
  const covered = [];
  for (const link of document.querySelectorAll("nav a[href^='#']")) {
    link.click();
    await new Promise(requestAnimationFrame);
    const nav = link.closest("nav");
    const heading = document.querySelector(link.hash).querySelector("h1, h2, h3");
    const isSticky = getComputedStyle(nav).position === "sticky";
    const top = heading.getBoundingClientRect().top;
    if (isSticky && top < nav.getBoundingClientRect().bottom) covered.push(link.hash);
  }
  return covered;
}"""


class Window:
    """A window of the browser: a page at a time, and the complaints about it."""

    def __init__(self, page: Page) -> None:
        self.page, self.complaints = page, []
        page.on("console", lambda message: message.type == "error" and self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._asked(request.url))

    def _asked(self, url: str) -> None:
        """Complain where the page wants anything but files of this machine."""
        if urlsplit(url).scheme not in ("file", "data", "blob"):
            self.complaints.append(f"asks for {url}")

    def open(self, path: Path, query: str = "") -> Page:
        """Open a page with everything unfolded: what is folded is judged as well."""
        self.complaints.clear()
        self.page.goto(f"{path.as_uri()}{query}")
        self.page.evaluate("() => document.querySelectorAll('details').forEach(fold => fold.open = true)")
        return self.page


@contextmanager
def window(browser: Browser, theme: Theme = "light", width: int = WIDE, javascript: bool = True) -> Iterator[Window]:
    """Open a window that has no network."""
    screen = {"width": width, "height": 900}
    context = browser.new_context(
        color_scheme=theme, viewport=screen, offline=True, java_script_enabled=javascript, accept_downloads=True
    )
    yield Window(context.new_page())
    context.close()


def faults(opened: Window, path: Path, query: str = "") -> list[str]:
    """List what is wrong with a page: errors, links, ids, its width, its menu, and what axe finds at level AA."""
    page = opened.open(path, query)
    listed = [f"error: {text}" for text in opened.complaints]
    listed += [f"link: {href}" for href in broken_links(page, path)]
    listed += [f"id twice: {name}" for name in page.evaluate(TWICE)]
    if (overhang := page.evaluate(OVERHANG)) > 0:
        listed.append(f"scrolls sideways by {overhang} pixels")
    listed += [f"under the menu: {name}" for name in page.evaluate(COVERED)]
    return [f"{path.name}{query}: {fault}" for fault in (*listed, *axe_faults(page))]


def axe_faults(page: Page) -> Iterator[str]:
    """Yield what axe finds, with the first three places of each rule."""
    for rule in Axe().run(page, options=LEVEL_AA).response["violations"]:
        for node in rule["nodes"][:3]:
            yield f"{rule['id']}: {node['target'][0]}: {node['failureSummary']} ({len(rule['nodes'])} places)"


def broken_links(page: Page, path: Path) -> Iterator[str]:
    """Yield the links of a page that lead nowhere: to no file, or to no id of a file."""
    for href in page.eval_on_selector_all("a[href]", "links => links.map(link => link.getAttribute('href'))"):
        parts = urlsplit(href)
        target = path if not parts.path else path.parent / unquote(parts.path)
        if parts.scheme in ("http", "https"):
            continue
        if not target.is_file() or (parts.fragment and f'id="{parts.fragment}"' not in target.read_text("utf-8")):
            yield href
