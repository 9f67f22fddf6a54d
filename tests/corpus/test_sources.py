"""`docmt check-sources` against a server on the loopback."""

import http.server
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from docmt.corpus.download import ask, ask_sources
from helpers.catalogue_files import corpus_config

from docmt.catalogue.corpus import FileConfig
from docmt.catalogue.forms import ReaderConfig


@dataclass
class Site:
    """A server: its address, and what it was asked for (method, path)."""

    url: str = ""
    seen: list[tuple[str, str]] = field(default_factory=list)


class Handler(http.server.BaseHTTPRequestHandler):
    site: Site

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.answer("HEAD")

    def do_GET(self) -> None:
        self.answer("GET")

    def answer(self, method: str) -> None:
        self.site.seen.append((method, self.path))
        if self.path == "/no-head.tgz" and method == "HEAD":
            return self.reply(405)
        if self.path == "/no-head.tgz":
            return self.reply(206, {"Content-Range": "bytes 0-0/4096", "Content-Length": "1"}, b"x")
        if self.path == "/moved.tgz":
            return self.reply(302, {"Location": "/here.tgz"})
        if self.path == "/page.tgz":
            return self.reply(200, {"Content-Type": "text/html; charset=utf-8", "Content-Length": "0"})
        if self.path == "/here.tgz":
            return self.reply(200, {"Content-Type": "application/gzip", "Content-Length": "12"})
        self.reply(404)

    def reply(self, status: int, headers: dict[str, str] | None = None, content: bytes = b"") -> None:
        self.send_response(status)
        for name, value in (headers or {"Content-Length": "0"}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def site() -> Iterator[Site]:
    state = Site()
    handler = type("SiteHandler", (Handler,), {"site": state})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        state.url = f"http://127.0.0.1:{listening.server_address[1]}"
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        listening.shutdown()
        thread.join()


def test_a_file_that_is_there(site):
    answer = ask(f"{site.url}/here.tgz")
    assert (answer.status, answer.size, answer.moved, answer.problem) == (200, 12, None, None)
    assert site.seen == [("HEAD", "/here.tgz")], "nothing is downloaded"


def test_a_file_that_moved_is_located(site):
    answer = ask(f"{site.url}/moved.tgz")
    assert (answer.status, answer.size, answer.moved, answer.problem) == (200, 12, f"{site.url}/here.tgz", None)


def test_a_server_that_refuses_head_is_asked_for_a_byte(site):
    answer = ask(f"{site.url}/no-head.tgz")
    assert (answer.status, answer.size, answer.problem) == (206, 4096, None)
    assert site.seen == [("HEAD", "/no-head.tgz"), ("GET", "/no-head.tgz")]


def test_dead_sources(site, tmp_path):
    assert ask(f"{site.url}/gone.tgz").problem == "HTTP 404"
    assert ask(f"{site.url}/page.tgz").problem == "a web page, not the file"
    assert "refused" in ask("http://127.0.0.1:1/closed").problem
    assert ask(str(tmp_path / "gone")).problem == "no such file"


def test_a_file_of_this_machine(tmp_path):
    path = tmp_path / "with blank.tgz"
    path.write_bytes(b"1234")
    assert ask(path.as_uri()) == ask(str(path))
    assert (ask(str(path)).size, ask(str(path)).problem) == (4, None)


def test_every_source_is_asked_once(site):
    present, absent = f"{site.url}/here.tgz", f"{site.url}/gone.tgz"
    files = [
        FileConfig("a.tgz", (present, absent)),
        FileConfig("b.tgz", (present,), checked="2026-01-31"),
        FileConfig("c.tgz"),
    ]
    corpora = [corpus_config(ReaderConfig("toy"), name, files=tuple(files)) for name in ("first", "second")]
    asked = ask_sources(corpora)
    assert sorted(site.seen) == [("HEAD", "/gone.tgz"), ("HEAD", "/here.tgz")]
    rows = [(source.corpus, source.file, source.url, source.checked) for source in asked]
    assert rows == [
        (name, *row)
        for name in ("first", "second")
        for row in [("a.tgz", present, None), ("a.tgz", absent, None), ("b.tgz", present, "2026-01-31")]
    ]
    assert [source.answer.problem for source in asked] == [None, "HTTP 404", None] * 2
