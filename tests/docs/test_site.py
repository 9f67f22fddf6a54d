"""The site of docs/ is built strictly and without a network, needs nothing from elsewhere, and has no dead link."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from helpers.site import Site, SitePage, built_site
from helpers.support import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
SNIPPET = re.compile(r'^--8<-- "(.+)"$', re.MULTILINE)
TEXTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
"""Pages of the root, whose links GitHub resolves."""
WRITTEN_LATER = {"workflow/corpora/sources.seen.json"}
"""Files that pages name and readers or commands write."""
MOST_LINES, MOST_WORDS = 120, 1500


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Site:
    return Site(built_site(tmp_path_factory))


def text_of(page: Path) -> str:
    """A page with the files that it includes, without the comment that says how it was generated."""
    text = SNIPPET.sub(lambda match: (ROOT / match[1]).read_text(encoding="utf-8"), page.read_text(encoding="utf-8"))
    return re.sub(r"\A<!--.*?-->\s*", "", text, flags=re.DOTALL)


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).with_suffix("").as_posix()


def test_the_strict_build_has_every_page(site):
    written = {path.relative_to(site.folder) for path in site.pages}
    expected = {Path(name_of(page)) / "index.html" for page in PAGES if page.name != "index.md"}
    assert expected <= written
    assert not [path for path in site.folder.rglob("*") if path.suffix in (".py", ".ipynb")]


def test_no_page_loads_anything_from_elsewhere(site):
    assert len(site.pages) > 10 and all(page.loaded for page in site.pages.values()), "files that pages load are found"
    wrong = [
        f"{page.path.relative_to(site.folder)}: {address}"
        for page in site.pages.values()
        for address in (*page.loaded, *(url for style in page.styles for url in urls_of(style)))
        if is_elsewhere(address)
    ]
    assert not wrong


def test_no_style_loads_anything_from_elsewhere(site):
    styles = list(site.folder.rglob("*.css"))
    assert styles
    assert not [(path.name, url) for path in styles for url in urls_of(path.read_text("utf-8")) if is_elsewhere(url)]


def test_no_page_has_what_a_script_of_the_theme_fetches_from_elsewhere(site):
    """The theme fetches the program that draws Mermaid's diagrams, and the numbers of stars of a repository."""
    for page in site.pages.values():
        assert not page.classes & {"mermaid"}
        assert 'data-md-component="source"' not in page.path.read_text(encoding="utf-8")


def urls_of(style: str) -> list[str]:
    return re.findall(r"(?:url\(\s*|@import\s+)[\"']?([^\"')\s]+)", style)


def is_elsewhere(address: str) -> bool:
    return urlsplit(address).scheme not in ("", "data") or bool(urlsplit(address).netloc)


def test_no_link_is_dead(site):
    dead = [f"{path.relative_to(site.folder)}: {link}" for path, page in site.pages.items() for link in site.dead(page)]
    assert not dead


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        ('<p id="a"><a href="#a">x</a><a href="https://example.org/y">y</a><img src="z.png">', ["z.png"]),
        ('<a href="#b">x</a><a href="../page/#a">y</a>', ["#b", "../page/#a"]),
        ('<a href="/nothing/">x</a><script src="/page.js"></script>', ["/nothing/", "/page.js"]),
    ],
)
def test_a_dead_link_is_found(tmp_path, body, faults):
    (tmp_path / "page").mkdir()
    path = tmp_path / "page/index.html"
    path.write_text(body, encoding="utf-8")
    assert list(Site(tmp_path).dead(SitePage(path))) == faults


@pytest.mark.parametrize("body", ['<img src="//x.org/a.png">', '<link rel="stylesheet" href="https://x.org/a.css">'])
def test_a_file_from_elsewhere_is_found(tmp_path, body):
    (tmp_path / "a.html").write_text(body, encoding="utf-8")
    assert [is_elsewhere(address) for address in SitePage(tmp_path / "a.html").loaded] == [True]
    assert urls_of("@import 'https://x.org/a.css'; p {background: url(//x.org/b)}") == [
        "https://x.org/a.css",
        "//x.org/b",
    ]


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_links_of_pages_in_the_root_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)\s]+)\)|\b(?:src|href)=\"([^\"]+)\"", without_blocks(text))
    dead = [link for pair in links for link in pair if link and not is_elsewhere(link) and not leads(page, link)]
    assert not dead


def leads(page: Path, link: str) -> bool:
    parts = urlsplit(link)
    target = page.parent / unquote(parts.path) if parts.path else page
    if not parts.fragment:
        return target.exists()
    return target.suffix == ".md" and target.is_file() and parts.fragment in anchors(target.read_text("utf-8"))


def without_blocks(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", without_blocks(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*TEXTS, DOCS / "stability.md"], ids=lambda page: page.name)
def test_files_that_pages_of_the_project_name_are_there(page):
    """Paths between backticks below a folder of the repository; `<name>` and `*` stand for any name."""
    folders = "|".join(path.name for path in ROOT.iterdir() if path.is_dir() and path.name not in ("results", "logs"))
    named = re.findall(rf"(?<!`)`((?:{folders})/[\w./<>*+-]*)`(?!`)", without_blocks(page.read_text(encoding="utf-8")))
    missing = {path for path in named if not list(ROOT.glob(re.sub("<[^>]*>", "*", path).rstrip("/")))}
    assert not missing - WRITTEN_LATER


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_says_for_whom_it_is_and_what_they_can_do_afterwards(page):
    match = re.match(r"# [^\n]+\n\n(> \*\*For\*\* [^\n]+\n(?:> [^\n]+\n)*)\n", text_of(page))
    assert match, "the title, a blank line, and a quotation that begins with **For**"
    assert "**Afterwards** you can " in match[1]


def test_readme_is_short():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert len(text.split()) <= MOST_WORDS
