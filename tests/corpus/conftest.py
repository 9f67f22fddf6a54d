"""A file server on the loopback interface, and inputs of readers, for the tests of stage 1."""

import http.server
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from docmt.corpus.inputs import ReaderInputs


@dataclass
class FileServer:
    """A server of `files` by path.

    `cuts`: the number of bytes after which each answer, in turn, breaks off; `seen`: the (path, Range) of each request.
    """

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    etags: dict[str, str] = field(default_factory=dict)
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    seen: list[tuple[str, str | None]] = field(default_factory=list)


def _handler(server: FileServer) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            server.seen.append((self.path, asked))
            if server.statuses:
                return self.send_error(server.statuses.pop(0))
            if self.path not in server.files:
                return self.send_error(404)
            content, etag = server.files[self.path], server.etags.get(self.path)
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
            if self.headers.get("If-Range") not in (None, etag):
                start = 0
            if start >= len(content):
                return self.send_error(416)
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            if etag:
                self.send_header("ETag", etag)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            rest = content[start:]
            self.wfile.write(rest[: server.cuts.pop(0)] if server.cuts else rest)

    return Handler


@pytest.fixture
def server() -> Iterator[FileServer]:
    state = FileServer()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(state)) as listening:
        state.url = f"http://127.0.0.1:{listening.server_address[1]}"
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        listening.shutdown()
        thread.join()


@pytest.fixture
def inputs(tmp_path: Path) -> ReaderInputs:
    """Reader inputs whose downloads folder is `tmp_path`."""
    return ReaderInputs(tmp_path, tmp_path / "scratch", "zh", "en")
