"""A browser for tests: Debian's Chromium by its path."""

import shutil
from collections.abc import Iterator

import pytest
from helpers.support import need
from playwright.sync_api import Browser, sync_playwright


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    need("chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield started
        started.close()
