"""Every page opens in a browser without a fault, on wide and narrow screens, light and dark."""

import os
from pathlib import Path

import pytest
from helpers.browsing import NARROW, WIDE, faults, window
from helpers.support import ROOT

SCREENS = [("light", WIDE), ("dark", WIDE), ("light", NARROW), ("dark", NARROW)]


def pages_in(folder: Path, most_documents: int | None = None) -> list[Path]:
    """All pages at the paths at which people open them; of documents the first `most_documents`: one template."""
    links = [path for path in folder.rglob("*") if path.is_symlink()]
    pages = sorted(path for path in links if path.suffix == ".html")
    assert pages, f"no page in {folder}"
    documents = sorted(page for path in links if path.name == "documents" for page in path.glob("*/*.html"))
    return [*pages, *documents[:most_documents]]


@pytest.mark.slow
@pytest.mark.parametrize(("theme", "width", "has_all_items"), [("dark", NARROW, True), ("light", WIDE, False)])
def test_pages_of_the_demo(browser, finished_demo, theme, width, has_all_items):
    """On the smaller screen the page of the study, which has all items, and of a document; on the larger one the rest.

    The tests below open the page of an item in light as well.
    """
    pages = pages_in(finished_demo.root / "results", 1)
    selected = [path for path in pages if (path.name == "index.html" or "documents" in path.parts) == has_all_items]
    assert selected
    with window(browser, theme, width) as opened:
        assert [fault for path in selected for fault in faults(opened, path)] == []


def test_pages_have_a_menu_of_their_study_where_the_reader_comes_from_it(browser, finished_demo):
    page = finished_demo.root / "results/8_report/smoke/demo/quality.html"
    with window(browser) as opened:
        assert opened.open(page).locator("nav").count() == 0
        assert faults(opened, page, "?study") == []
        assert opened.page.locator("nav a", has_text="All").get_attribute("href") == "index.html"


def test_the_page_of_the_demo_has_at_most_twelve_screens_and_clips_nothing(browser, finished_demo):
    with window(browser, "light", WIDE) as opened:
        page = opened.page
        page.goto((finished_demo.root / "results/8_report/smoke/demo/index.html").as_uri())
        assert page.evaluate("document.documentElement.scrollHeight") <= 12 * 1000
        wide = "[...document.querySelectorAll('.scroll')].filter(it => it.scrollWidth > it.clientWidth + 1).length"
        assert page.evaluate(wide) == 0
        assert page.locator(".overview svg[aria-label]").get_attribute("aria-label").startswith("LTCR against s-BLEU: ")


def test_a_page_without_javascript_shows_the_same_numbers(browser, finished_demo):
    page = finished_demo.root / "results/8_report/smoke/demo/quality.html"
    with window(browser) as opened, window(browser, javascript=False) as plain:
        opened.open(page)
        plain.page.goto(page.as_uri())
        cells = [w.page.locator("table.scores td").all_inner_texts() for w in (opened, plain)]
    assert cells[0] == cells[1] != []


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("theme", "width"), SCREENS)
def test_pages_of_the_three_papers(browser, theme, width):
    """The pages of `snakemake --config scale=smoke all` in this checkout, or in the folder DOCMT_PAGES."""
    folder = Path(os.environ.get("DOCMT_PAGES", ROOT / "results/8_report/smoke"))
    if not folder.is_dir():
        pytest.skip(f"needs the pages of the three papers at smoke scale, which are not in {folder} (set DOCMT_PAGES)")
    with window(browser, theme, width) as opened:
        assert [fault for path in pages_in(folder) for fault in faults(opened, path)] == []


STICKY = """<nav style="position: sticky; top: 0"><a href="#s">s</a></nav>
<div id="s"><h2>s</h2></div><p style="height: 3000px">"""
FAULTS = {
    '<a href="none.html">x</a>': "link: none.html",
    '<a href="#none">x</a>': "link: #none",
    '<p id="a">x</p><p id="a">y</p>': "id twice: a",
    '<p style="color: #999">pale</p>': "color-contrast",
    '<p style="width: 3000px">wide</p>': "scrolls sideways by",
    "<script>nothing()</script>": "error: nothing is not defined",
    '<img alt="x" src="https://example.org/x.png">': "error: asks for https://example.org/x.png",
    STICKY: "under the menu: #s",
}


@pytest.mark.some(2)
@pytest.mark.parametrize(("planted", "fault"), FAULTS.items())
def test_a_planted_fault_is_seen(browser, tmp_path, planted, fault):
    path = tmp_path / "page.html"
    path.write_text(f'<!DOCTYPE html><html lang="en"><title>x</title><body><main><h1>x</h1>{planted}</main>')
    with window(browser) as opened:
        assert any(fault in text for text in faults(opened, path))
