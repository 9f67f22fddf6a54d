"""The site of docs/, built without a network, and the links of its pages."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from helpers.support import ROOT, environment, shared_folder

BUILD = """
import socket, sys
def refuse(*_, **__): raise OSError("a build of the site asks the network")
socket.getaddrinfo = socket.socket.connect = refuse
from mkdocs.__main__ import cli
cli(sys.argv[1:])
"""
LOADING = {"script", "img", "source", "iframe", "video", "audio", "embed"}
"""Elements whose attribute `src` names a file that the browser loads."""
RELATIONS = {"canonical", "prev", "next", "alternate"}
"""Values of `rel` with which a `link` loads nothing."""


def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built once for all workers of a run. Fails where the strict build does."""
    with shared_folder(tmp_path_factory, "site") as folder:
        if not folder.exists():
            arguments = ["build", "--strict", "--quiet", "--site-dir", str(folder)]
            env = environment() | {"NO_MKDOCS_2_WARNING": "1"}
            done = subprocess.run(
                [sys.executable, "-c", BUILD, *arguments], cwd=ROOT, env=env, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stdout + done.stderr
    return folder


@dataclass
class SitePage(HTMLParser):
    """A page: its ids, the links that a reader follows, and the files that a browser loads with it."""

    path: Path
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self._in_style = False
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids |= {values[name] for name in ("id", "name") if name in values}
        self.classes |= set(values.get("class", "").split())
        self.styles += [values["style"]] if "style" in values else []
        self._in_style = tag == "style"
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "link" and not RELATIONS & set(values.get("rel", "").split()):
            self.loaded.append(values["href"])
        elif tag in LOADING and "src" in values:
            self.loaded.append(values["src"])

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.styles.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False


@dataclass(frozen=True)
class Site:
    """The pages below the folder of a built site."""

    folder: Path

    @cached_property
    def pages(self) -> dict[Path, SitePage]:
        return {path: SitePage(path) for path in sorted(self.folder.rglob("*.html"))}

    def dead(self, page: SitePage) -> Iterator[str]:
        """Yield the links of a page to pages, anchors and files of the site that are not there."""
        for address in (*page.links, *page.loaded):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            path = unquote(parts.path)
            target = (self.folder / path.lstrip("/") if path.startswith("/") else page.path.parent / path).resolve()
            if not parts.path:
                target = page.path
            elif target.is_dir() and target != self.folder:
                target /= "index.html"
            if not target.exists() or (parts.fragment and not self.has(target, unquote(parts.fragment))):
                yield address

    def has(self, target: Path, fragment: str) -> bool:
        """Whether a page has an id, or is no page."""
        return target not in self.pages or fragment in self.pages[target].ids | {"__skip"}
