"""A server on the loopback that plays the hosts of the catalogue: GitHub, the Hub, Dropbox, a drive, SharePoint."""

import hashlib
import http.server
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from helpers.servers import serving
from requests.utils import requote_uri

LARGE = 200
"""The Hub answers files above this number of bytes with a redirect to another host, and states their SHA-256."""
QUOTA = "<!DOCTYPE html><html><head><title>Google Drive - Quota exceeded</title></head><body>Sorry</body></html>"
CONFIRM = "<!DOCTYPE html><html><head><title>Google Drive - Virus scan warning</title></head><body>Sure?</body></html>"


@dataclass
class PublicHosts:
    """The hosts, with the content of each address that they have.

    `asked`: the addresses that were asked for, as the catalogue states them; `answered`: those that gave their file.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    url: str = ""

    def stated(self, address: str) -> str:
        """Return an address as the catalogue states it: a client may write some characters in another way."""
        return next((url for url in self.files if requote_uri(url) == requote_uri(address)), address)

    def stand_ins(self) -> dict[str, str]:
        """Return the `hosts` of config.yaml that lead to this server."""
        names = {urlsplit(url).netloc for url in self.files} | {"drive.usercontent.google.com", "fbk.sharepoint.com"}
        return {name: f"{self.url}/{name}" for name in names}


def _handler(hosts: PublicHosts) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self.answer(with_content=False)

        def do_GET(self) -> None:
            self.answer(with_content=True)

        def answer(self, with_content: bool) -> None:
            host, _, path = self.path.removeprefix("/").partition("/")
            address = hosts.stated(f"https://{host}/{path}")
            if host == "moved":  # where the hosts keep the bytes: the address is a path of this server
                return self.file(hosts.stated(f"https://{path}"), {}, with_content)
            hosts.asked.add(address)
            if host == "drive.usercontent.google.com":
                return self.page(CONFIRM if "confirm" not in path else QUOTA)
            if address not in hosts.files:
                if host == "fbk.sharepoint.com":
                    return self.redirect("/login.microsoftonline.com/common/oauth2/authorize", {})
                return self.page("<html><title>Not Found</title></html>", 404)
            content = hosts.files[address]
            if host == "huggingface.co" and len(content) > LARGE:
                sha256 = hashlib.sha256(content).hexdigest()
                linked = {"X-Linked-ETag": f'"{sha256}"', "X-Linked-Size": str(len(content))}
                return self.redirect(f"/moved/{host}/{path}", linked)
            if host in ("www.dropbox.com", "github.com"):
                return self.redirect(f"/moved/{host}/{path}", {})
            git_id = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
            return self.file(address, {"ETag": f'"{git_id}"'} if host == "huggingface.co" else {}, with_content)

        def file(self, address: str, headers: dict[str, str], with_content: bool) -> None:
            content = hosts.files[address]
            hosts.answered.add(address)
            self.send_response(200)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            if with_content:
                self.wfile.write(content)

        def redirect(self, location: str, headers: dict[str, str]) -> None:
            self.send_response(302)
            for name, value in {**headers, "Location": location, "Content-Length": "0"}.items():
                self.send_header(name, value)
            self.end_headers()

        def page(self, text: str, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(text.encode())

    return Handler


@contextmanager
def public_hosts(files: dict[str, bytes]) -> Iterator[PublicHosts]:
    """Run the hosts with the content of their addresses in a thread."""
    state = PublicHosts(files)
    with serving(_handler(state)) as state.url:
        yield state
