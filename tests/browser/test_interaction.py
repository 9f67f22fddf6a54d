"""What a reader can do with a page, offline: sort, filter, choose systems, point at values, change colours, save."""

import csv
import json
import re

import pytest
from helpers.browsing import window
from helpers.formulas import CELLS

from docmt.base.spreadsheets import csv_lines

TABLE = "#item-quality table.scores"
ROWS = f"{TABLE} tbody tr[data-system]:not(.unchosen):not(.filtered-out)"
"""The rows of systems that are seen; the row of the reference is of no system, and always seen."""


@pytest.fixture
def report(finished_demo):
    return finished_demo.root / "results/8_report/smoke/demo"


@pytest.fixture
def page(browser, report):
    with window(browser) as opened:
        opened.page.set_default_timeout(10_000)
        yield opened.open(report / "index.html")
        assert opened.complaints == []


def column(page, number: int) -> list[float]:
    return [float(cell.get_attribute("data-value")) for cell in page.locator(f"{ROWS} td:nth-child({number})").all()]


def labels(page) -> list[str]:
    return [heading.inner_text().split("\n")[0] for heading in page.locator(f"{ROWS} th").all()]


def test_a_column_sorts_both_ways_and_the_third_click_restores_the_order_of_the_study(page):
    before, heading = labels(page), page.locator(f"{TABLE} th.metric").first
    for order in ("descending", "ascending"):
        heading.get_by_role("button").click()
        assert heading.get_attribute("aria-sort") == order
        numbers = column(page, 2)
        assert numbers == sorted(numbers, reverse=order == "descending") and len(set(numbers)) > 1
    heading.get_by_role("button").press("Enter")
    assert heading.get_attribute("aria-sort") is None and labels(page) == before


def test_a_hidden_system_is_hidden_everywhere_and_the_address_shows_it_to_others(page, browser):
    everywhere = ["#item-quality tr", "#context svg g", "#context .legend li", "#translations td", "#translations th"]
    places = [f'{place}[data-system="w_link"]' for place in everywhere]
    assert all(page.locator(place).count() for place in places)
    page.locator("input[value=w_link]").uncheck()
    assert not any(part.is_visible() for place in places for part in page.locator(place).all())
    assert page.locator('#item-quality tr[data-system="han"]').is_visible()
    with browser.new_context(offline=True) as context:
        other = context.new_page()
        other.goto(page.url)
        assert not other.locator('#item-quality tr[data-system="w_link"]').is_visible()


def test_the_last_system_cannot_be_hidden(page):
    boxes = page.locator(".choose input").all()
    for box in boxes[1:]:
        box.uncheck()
    assert boxes[0].is_checked() and boxes[0].is_disabled() and page.locator(ROWS).count() == 1
    page.locator(".choose").get_by_role("button", name="all").click()
    assert page.locator(ROWS).count() == len(boxes) and "systems=" not in page.url


@pytest.mark.parametrize("asked", ["nobody", ""])
def test_an_address_with_unknown_systems_shows_all(browser, report, asked):
    with window(browser) as opened:
        page = opened.open(report / "index.html", f"?systems={asked}")
        assert page.locator(ROWS).count() == page.locator(f"{TABLE} tbody tr[data-system]").count() > 1


def test_a_value_is_read_by_pointing_and_by_keys(page):
    # The last one is drawn over all others.
    point = page.locator("#context .readings circle").last
    point.scroll_into_view_if_needed()
    point.hover(force=True)
    tip = page.locator("#tip")
    expected = f"{point.locator('..').get_attribute('data-label')}, {point.get_attribute('data-label')}"
    assert tip.inner_text() == f"{expected}: {point.get_attribute('data-value')}"
    page.mouse.move(0, 0)
    assert not tip.is_visible()
    page.locator("#context svg:has(.readings)").last.focus()
    page.keyboard.press("ArrowRight")
    assert re.match(r".+, distance in sentences: \d+: [\d.]+", tip.inner_text())
    page.keyboard.press("Escape")
    assert not tip.is_visible()


def test_a_p_value_is_read_by_pointing_and_by_keys(page):
    cells = page.locator(f"{TABLE} td[tabindex]")
    cells.first.hover()
    assert "difference to sentence" in page.locator("#tip").inner_text()
    cells.first.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(f"{TABLE} td[tabindex='0']").count() == 1
    assert page.evaluate("document.activeElement.tagName") == "TD"


def test_a_filter_leaves_the_rows_with_its_words(page):
    field = page.locator("#provenance input[type=search]").first
    rows = page.locator("#provenance table.runs-table").first.locator("tbody tr")
    field.fill("HAN enc")
    assert [row.get_attribute("data-system") for row in rows.all() if row.is_visible()] == ["han"]
    field.fill("")
    assert all(row.is_visible() for row in rows.all())


def test_a_table_is_saved_as_it_is_seen(page, report, tmp_path):
    page.locator(f"{TABLE} th.metric button").first.click()
    page.locator("input[value=w_link]").uncheck()
    with page.expect_download() as download:
        page.locator("#item-quality .tools").get_by_role("button", name="Save as CSV").click()
    assert download.value.suggested_filename == "quality.csv"
    download.value.save_as(tmp_path / "quality.csv")
    with (tmp_path / "quality.csv").open(encoding="utf-8", newline="") as stream:
        _, *rows, reference = csv.reader(stream)
    assert reference[0] == "Reference"
    assert [float(row[1]) for row in rows] == column(page, 2) and len(rows) == page.locator(ROWS).count()
    records = json.loads((report / "quality.json").read_text())["records"]
    ours = [record for record in records if record["system"] not in (None, "w_link")]
    assert {row[0] for row in rows} == {record["row"] for record in ours}
    exact = {record["measured"] for record in records if record["system"] != "w_link"}
    assert {float(number) for row in rows for number in row[1:] if number and number[0].isdigit()} <= exact


def test_cells_of_a_saved_table_are_shielded_as_in_the_files_of_a_run(page):
    texts = [text for text, _ in CELLS.values()]
    expected = [csv_lines([[text, "b"]]).removesuffix(",b\n") for text in texts]
    assert page.evaluate("texts => texts.map(quotedForCsv)", texts) == expected


def test_a_choice_of_colours_is_remembered(page, report):
    page.get_by_label("colours of the page").select_option("dark")
    page.goto((report / "quality.html").as_uri())
    assert page.evaluate("getComputedStyle(document.body).colorScheme || document.documentElement.dataset.theme")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.get_by_label("colours of the page").select_option("")
    assert page.locator("html").get_attribute("data-theme") is None


def test_nothing_that_scripts_add_is_printed(page):
    page.emulate_media(media="print")
    assert page.locator(".control").count() > 3
    assert not any(control.is_visible() for control in page.locator(".control").all())
    assert page.locator(f"{TABLE} th.metric").first.inner_text()


def test_a_document_is_opened_from_the_list_with_the_chosen_systems(page):
    page.locator("input[value=w_link]").uncheck()
    page.get_by_role("link", name="test documents").click()
    heading = page.locator("table.documents th", has_text="G-Transformer")
    heading.get_by_role("button").click()
    rows = page.locator("table.documents tbody tr")
    scores = [float(cell.get_attribute("data-value")) for cell in page.locator('td[data-system="g_transformer"]').all()]
    assert scores == sorted(scores, reverse=True) and rows.count() == len(scores)
    name = rows.first.locator("a").inner_text()
    rows.first.locator("a").click()
    assert page.locator("h1").inner_text() == f"Document {name}"
    assert page.locator('td[data-system="han"]').first.is_visible()
    assert not page.locator('td[data-system="w_link"]').first.is_visible()
