"""A server on the loopback that wants a user and a password, and sends secrets of its own in the addresses it gives."""

import base64
import http.server
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from helpers.servers import serving


@dataclass
class Guarded:
    """The server `url`, which gives `files` by path to `login` with `secret`, and other paths to nobody.

    Below `/signed` it sends to another host, whose address has the secret in its query, and below `/odd` to one that no
    client can ask. `asked_elsewhere`: how often the other host was asked; `leaked`: the paths at which it got the
    credentials. `refused`: how often the server itself got none.
    """

    login: str
    secret: str
    files: dict[str, bytes] = field(default_factory=dict)
    url: str = ""
    asked_elsewhere: int = 0
    leaked: list[str] = field(default_factory=list)
    refused: int = 0

    def netrc(self, folder: Path) -> Path:
        """Write the file by which a user states the credentials."""
        path = folder / ".netrc"
        path.write_text(f"machine 127.0.0.1 login {self.login} password {self.secret}\n")
        path.chmod(0o600)
        return path


def _handler(site: Guarded) -> type[http.server.BaseHTTPRequestHandler]:
    right = "Basic " + base64.b64encode(f"{site.login}:{site.secret}".encode()).decode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            given, path = self.headers.get("Authorization"), urlsplit(self.path).path
            if self.headers["Host"].startswith("localhost"):  # the other host, at the same port
                site.asked_elsewhere += 1
                site.leaked += [path] if given else []
                return self.give(path)
            if given != right:
                site.refused += 1
                return self.reply(401, b"", {"WWW-Authenticate": "Basic"})
            top, _, rest = path.removeprefix("/").partition("/")
            query = f"?X-Amz-Signature={site.secret}&Expires=9"
            if top == "signed":
                there = site.url.replace("127.0.0.1", f"{site.login}:{site.secret}@localhost")
                return self.reply(302, b"", {"Location": f"{there}/{rest}{query}"})
            if top == "odd":
                return self.reply(302, b"", {"Location": f"gopher://{site.login}:{site.secret}@localhost/{query}"})
            if top == "page":
                page = f"<html><title>not at https://me:{site.secret}@localhost/{query}</title></html>"
                return self.reply(200, page.encode(), {"Content-Type": "text/html"})
            if top == "private":
                return self.reply(302, b"", {"Location": f"/sso/login;jsessionid={site.secret}{query}"})
            if top == "sso":
                return self.reply(200)
            self.give(path)

        def give(self, path: str) -> None:
            if path in site.files:
                self.reply(200, site.files[path])
            else:
                self.reply(404)

        def reply(self, status: int, content: bytes = b"", headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

    return Handler


@contextmanager
def guarded(login: str, secret: str, files: dict[str, bytes]) -> Iterator[Guarded]:
    """Run the server in a thread."""
    site = Guarded(login, secret, files)
    with serving(_handler(site)) as site.url:
        yield site
