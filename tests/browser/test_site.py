"""The site of docs/ in a real browser: nothing is asked of elsewhere, the search answers, and dark is dark."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from helpers.site import built_site
from playwright.sync_api import Browser, Page


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """The address of a server of the site on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=built_site(tmp_path_factory)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@contextmanager
def reader(browser: Browser, address: str, theme: str) -> Iterator[tuple[Page, list[str]]]:
    """A page of the browser, and what went wrong in it: requests of elsewhere, which get no answer, and errors."""
    context = browser.new_context(color_scheme=theme, viewport={"width": 1400, "height": 900})
    page, complaints = context.new_page(), []
    page.on("request", lambda asked: asked.url.startswith((address, "data:", "blob:")) or complaints.append(asked.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
    context.route(lambda url: not url.startswith(address), lambda route: route.abort())
    yield page, complaints
    context.close()


@pytest.mark.some(1)
@pytest.mark.parametrize(("theme", "scheme"), [("light", "default"), ("dark", "slate")])
def test_pages_ask_nothing_of_elsewhere_in_both_themes(browser, address, theme, scheme):
    with reader(browser, address, theme) as (page, complaints):
        for path in ("reference/commands/", "reference/api/models/"):
            page.goto(address + path, wait_until="networkidle")
            assert page.evaluate("document.body.dataset.mdColorScheme") == scheme
        assert complaints == []


def test_the_search_finds_a_command(browser, address):
    with reader(browser, address, "light") as (page, complaints):
        page.goto(address + "reference/api/")
        page.get_by_role("textbox", name="Search").fill("score-consistency")
        page.locator(".md-search-result__link").first.wait_for()
        results = page.eval_on_selector_all(".md-search-result__link", "links => links.map(link => link.href)")
        assert any(link.endswith("#docmt-score-consistency") for link in results)
        assert complaints == []


def test_a_term_of_the_field_shows_its_explanation(browser, address):
    with reader(browser, address, "light") as (page, complaints):
        page.goto(address + "explanation/metrics/")
        page.locator("article p abbr").first.hover()
        page.get_by_text("The similarity of translations to their references").first.wait_for()
        assert complaints == []


def test_a_page_that_asks_elsewhere_is_found(browser, address):
    with reader(browser, address, "light") as (page, complaints):
        page.goto(address + "reference/api/")
        page.evaluate("() => fetch('https://example.org/a.json').catch(() => null)")
        assert "https://example.org/a.json" in complaints
