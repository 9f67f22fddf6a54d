"""A file server on the loopback interface, for the tests of downloads."""

import http.server
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from helpers.servers import serving


@dataclass
class FileServer:
    """A server of `files` by path.

    `cuts`: the number of bytes after which each answer, in turn, breaks off; `stalls`: after which it says nothing for
    a while; `pages`, `moves`: paths that answer a web page, or a redirect; `seen`: the (path, Range) of each request.
    """

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    etags: dict[str, str] = field(default_factory=dict)
    cuts: list[int] = field(default_factory=list)
    stalls: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    pages: dict[str, str] = field(default_factory=dict)
    moves: dict[str, str] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    seen: list[tuple[str, str | None]] = field(default_factory=list)
    silence: threading.Event = field(default_factory=threading.Event)


def _handler(server: FileServer) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            server.seen.append((self.path, asked))
            if server.statuses:
                return self.send_error(server.statuses.pop(0))
            if self.path in server.moves:
                self.send_response(302)
                self.send_header("Location", server.moves[self.path])
                for name, value in server.headers.get(self.path, {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                return self.end_headers()
            if self.path in server.pages:
                return self.page(server.pages[self.path])
            if self.path not in server.files:
                return self.send_error(404)
            content, etag = server.files[self.path], server.etags.get(self.path)
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
            if self.headers.get("If-Range") not in (None, etag):
                start = 0
            if start and start >= len(content):
                return self.send_error(416)
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            if etag:
                self.send_header("ETag", etag)
            for name, value in server.headers.get(self.path, {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            rest = content[start:]
            if server.stalls:
                self.wfile.write(rest[: server.stalls.pop(0)])
                self.wfile.flush()
                server.silence.wait(20)
                return
            self.wfile.write(rest[: server.cuts.pop(0)] if server.cuts else rest)

        def page(self, title: str) -> None:
            content = f"<!DOCTYPE html><html><head><title>{title}</title></head><body>no file</body></html>".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


@pytest.fixture
def server() -> Iterator[FileServer]:
    state = FileServer()
    with serving(_handler(state)) as state.url:
        yield state
        state.silence.set()
