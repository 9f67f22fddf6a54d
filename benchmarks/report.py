"""The pages of a study with two hundred test documents and twelve systems: how long they take to write and to open.

    PYTHONPATH=tests python benchmarks/report.py    # writes into a temporary folder, and opens the pages in Chromium

It needs the test extras (`pip install -e ".[test]"`) and a program `chromium`.
"""

import shutil
import tempfile
import time
from pathlib import Path
from statistics import median

from helpers.many_documents import fill
from playwright.sync_api import sync_playwright
from reporting.conftest import World, entry

from docmt.reporting.page import write_report

ROUNDS = 5
OPENED = "() => { const [entry] = performance.getEntriesByType('navigation'); return entry.loadEventEnd; }"


def main() -> None:
    """Write the pages, open each kind of them several times, and print sizes and times."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        world = World(Path(folder))
        fill(world, entry)
        world.load()
        page = world.results / "8_report/smoke/made/index.html"
        start = time.perf_counter()
        write_report(world.settings_file, world.folders, page)
        print(f"written in {time.perf_counter() - start:.1f} s")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        documents = page.parent / "documents"
        for name, path in (
            ("study", page),
            ("list of documents", documents / "index.html"),
            ("page of a document", documents / "toy_zh-en" / "100.html"),
        ):
            print(f"{name}: {path.stat().st_size / 1e6:.2f} MB, opened in {median(opened(browser, path)):.0f} ms")


def opened(browser, path: Path):
    """Yield the milliseconds until a page has loaded and its scripts have run, in a new window each."""
    for _ in range(ROUNDS):
        tab = browser.new_page()
        tab.goto(path.as_uri(), wait_until="load")
        tab.wait_for_function("() => performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
        yield tab.evaluate(OPENED)
        tab.close()


if __name__ == "__main__":
    main()
