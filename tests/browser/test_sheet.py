"""The page of a sheet in a browser: judged by keys, resumed, saved, and read back by docmt."""

import csv

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers.browsing import LEVEL_AA, NARROW, WIDE, window

from docmt.scoring.human.items import ComparedSystems, Key, draw_sheet_items
from docmt.scoring.human.sheet import annotator, read_verdicts, write_page, write_sheet

SIZE = 6
TEST = ComparedSystems(
    ["a"] * SIZE,
    [f"source {n}" for n in range(SIZE)],
    [f"reference {n}" for n in range(SIZE)],
    ["the same", *(f'- baseline "{n}", </script>' for n in range(1, SIZE))],
    ["the  same", *(f"= system {n}" for n in range(1, SIZE))],
)


@pytest.fixture
def sheet(tmp_path):
    """The folder of a sheet of six sentences, one of them with identical translations, and its key."""
    items = draw_sheet_items(TEST, SIZE, seed=1)
    write_sheet(tmp_path / "t.sheet.csv", items)
    write_page(tmp_path / "t.sheet.html", items, ("en", "en"))
    key = Key.of_items(items, "theirs", "ours", 1)
    assert key.filled == 1
    return tmp_path, key


@pytest.fixture
def page(browser, sheet):
    with window(browser) as opened:
        yield opened.open(sheet[0] / "t.sheet.html")
        assert opened.complaints == []


def enter_name(page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Your name").press("Tab")


def saved(page, folder):
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_a_sheet_is_judged_by_keys_and_read_back(page, sheet):
    folder, key = sheet
    enter_name(page, "Anna Lee")
    page.locator("body").press("j")
    for pressed in "12012":
        page.keyboard.press(pressed)
    assert page.locator("#count").inner_text() == "5 of 5 done"
    path = saved(page, folder)
    assert (path.name, annotator(path)) == ("t.sheet.Anna-Lee.csv", "Anna-Lee")
    asked = [item for item in key.items if not item.filled]
    preferred = ["equal" if c == "0" else "better" if (c == "1") == (i.first == "system") else "worse"
                 for c, i in zip("12012", asked, strict=True)]  # fmt: skip
    verdicts = read_verdicts(path, key)
    assert [v for v, item in zip(verdicts, key.items, strict=True) if not item.filled] == preferred
    assert [v for v, item in zip(verdicts, key.items, strict=True) if item.filled] == ["equal"]


def test_work_is_resumed_by_name_and_never_becomes_that_of_another_person(page, sheet):
    page.locator("body").press("j")
    page.keyboard.press("1")
    enter_name(page, "anna")
    page.locator("fieldset").nth(1).focus()
    page.keyboard.press("2")
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    assert page.get_by_label("Your name").input_value() == "anna"
    assert page.locator("#count").inner_text() == "2 of 5 done"
    enter_name(page, "ben")
    assert page.locator("#count").inner_text() == "0 of 5 done"
    enter_name(page, "anna")
    assert page.locator("#count").inner_text() == "2 of 5 done"


def test_nothing_is_saved_without_a_name(page, sheet):
    page.get_by_role("button", name="Save").click()
    assert "Enter your name" in page.locator("#message").inner_text()
    assert page.evaluate("document.activeElement.id") == "name"


def test_a_choice_is_taken_back(page):
    page.locator("fieldset").first.focus()
    page.keyboard.press("1")
    page.locator("fieldset").first.focus()
    page.keyboard.press("2")
    page.keyboard.press("u")
    assert page.locator("fieldset").first.locator("input[value='1']").is_checked()
    page.get_by_role("button", name="Undo").click()
    assert page.locator("input:checked").count() == 0


def test_a_sheet_of_which_nothing_is_judged_comes_back_as_it_was(page, sheet):
    folder, _ = sheet
    enter_name(page, "anna")
    rows = [list(csv.reader(path.open(encoding="utf-8-sig", newline=""))) for path in
            (saved(page, folder), folder / "t.sheet.csv")]  # fmt: skip
    assert rows[0] == rows[1]


@pytest.mark.parametrize(("theme", "width"), [("light", WIDE), ("dark", NARROW)])
def test_the_page_is_readable_for_all(browser, sheet, theme, width):
    with window(browser, theme, width) as opened:
        page = opened.open(sheet[0] / "t.sheet.html")
        broken = Axe().run(page, options={"runOnly": LEVEL_AA["runOnly"]}).response["violations"]
        assert [(rule["id"], [node["html"][:80] for node in rule["nodes"][:2]]) for rule in broken] == []
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_without_scripts_the_page_names_the_other_way(browser, sheet):
    with window(browser, javascript=False) as opened:
        opened.page.goto((sheet[0] / "t.sheet.html").as_uri())
        assert "Fill in the column" in opened.page.locator("noscript").inner_text()
