"""`docmt check-sources` against a server on the loopback."""

import http.server
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from helpers.servers import serving

from docmt.catalogue.files import FileConfig, SourceConfig
from docmt.fetching import asking
from docmt.fetching.asking import Answer, ask_sources
from docmt.fetching.transfer import Network

NETWORK = Network(timeout_s=5)


def ask(url: str) -> Answer:
    return asking.ask(url, NETWORK)


@dataclass
class Site:
    """A server: its address, and what it was asked for (method, path)."""

    url: str = ""
    seen: list[tuple[str, str]] = field(default_factory=list)
    is_down: bool = False


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
        if self.site.is_down:
            return self.reply(503)
        if self.path == "/private.tgz":
            return self.reply(302, {"Location": "/sso/login"})
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
    with serving(handler) as state.url:
        yield state


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


def test_a_folder_of_this_machine_is_there(tmp_path):
    """It stands for an archive of its files, whose size nobody has asked for."""
    assert ask(str(tmp_path)) == Answer(None)


def test_a_file_of_this_machine(tmp_path):
    path = tmp_path / "with blank.tgz"
    path.write_bytes(b"1234")
    assert ask(path.as_uri()) == ask(str(path))
    assert (ask(str(path)).size, ask(str(path)).problem) == (4, None)


def test_a_redirect_to_a_login(site):
    assert ask(f"{site.url}/private.tgz").problem.startswith("a redirect to a login (127.0.0.1:")


def source(url: str, **stated: object) -> SourceConfig:
    return SourceConfig(url=url, **stated)


def test_every_source_is_asked_once(site):
    present, absent = f"{site.url}/here.tgz", f"{site.url}/gone.tgz"
    files = [
        FileConfig(name="a.tgz", sources=(source(present, grade="A"), source(absent))),
        FileConfig(name="b.tgz", sources=(source(present, grade="C"),)),
        FileConfig(name="c.tgz"),
    ]
    owned = [(name, file) for name in ("first", "second") for file in files]
    asked = ask_sources(owned, NETWORK)
    assert sorted(site.seen) == [("HEAD", "/gone.tgz"), ("HEAD", "/here.tgz")]
    assert [(source.owner, source.file, source.url, source.grade) for source in asked] == [
        (name, *row)
        for name in ("first", "second")
        for row in [
            ("a.tgz", present, "A"),
            ("a.tgz", absent, None),
            ("b.tgz", present, "C"),
        ]
    ]
    assert [source.answer.problem for source in asked] == [None, "HTTP 404", None] * 2


def test_an_answer_that_differs_from_the_catalogue(site):
    here = f"{site.url}/here.tgz"
    files = [
        FileConfig(name="a", sources=(source(here),), size=13),
        FileConfig(name="b", sources=(source(here),), size=12),
        FileConfig(name="c", sources=(source(here, member="x"),), size=13),
        FileConfig(name="d", sources=(source(here, size=12),), size=13, line_ends="lf"),
    ]
    problems = [source.answer.problem for source in ask_sources([("toy", file) for file in files], NETWORK)]
    assert problems == ["12 bytes, not 13", None, None, None]
