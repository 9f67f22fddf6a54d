"""Do the catalogue's sources answer? Asked of all of them at once, without downloading anything."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

import requests

from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.missing import is_remote, local_path
from docmt.corpus.download import reason

TIMEOUT_S = 20
AT_ONCE = 16
"""So many sources are asked side by side."""
NO_HEAD = (403, 405, 501)
"""What servers say that refuse HEAD; they are asked for the first byte instead."""
AGENT = {"User-Agent": "docmt", "Accept-Encoding": "identity"}


@dataclass(frozen=True)
class Answer:
    """What a source says. `status`: of HTTP, none where nothing answered; `size`: bytes, none = not stated.

    `moved`: the address in the end, where that is another; `problem`: why the file cannot be had there.
    """

    status: int | None
    size: int | None = None
    moved: str | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Source:
    """One source of one file. `checked`: the day on which this code last fetched it, or none = never."""

    corpus: str
    file: str
    url: str
    checked: str | None
    answer: Answer


def ask_sources(corpora: Iterable[CorpusConfig], timeout_s: float = TIMEOUT_S) -> list[Source]:
    """Ask every source of the corpora, each address once, in parallel."""
    named = [(corpus, file, url) for corpus in corpora for file in corpus.files for url in file.sources]
    urls = list(dict.fromkeys(url for _, _, url in named))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = dict(zip(urls, pool.map(lambda url: ask(url, timeout_s), urls), strict=True))
    return [Source(corpus.corpus, file.name, url, file.checked or None, answers[url]) for corpus, file, url in named]


def ask(url: str, timeout_s: float = TIMEOUT_S) -> Answer:
    """Whether a source is there: by HEAD, and by a ranged GET where a server refuses that."""
    if not is_remote(url):
        path = local_path(url)
        return Answer(None, path.stat().st_size) if path.is_file() else Answer(None, problem="no such file")
    try:
        with requests.head(url, headers=AGENT, allow_redirects=True, timeout=timeout_s) as response:
            if response.status_code not in NO_HEAD:
                return _answer(url, response)
        first = {**AGENT, "Range": "bytes=0-0"}
        with requests.get(url, headers=first, stream=True, timeout=timeout_s) as response:
            return _answer(url, response)
    except requests.RequestException as problem:
        return Answer(None, problem=reason(problem))


def _answer(url: str, response: requests.Response) -> Answer:
    moved = response.url if response.url != url else None
    if not response.ok:
        return Answer(response.status_code, moved=moved, problem=f"HTTP {response.status_code}")
    problem = "a web page, not the file" if _is_page(url, response) else None
    return Answer(response.status_code, _size(response), moved, problem)


def _is_page(url: str, response: requests.Response) -> bool:
    """Sites whose files are gone, or that ask before they serve one, answer well and with a page."""
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return kind == "text/html" and not urlsplit(url).path.endswith((".html", ".htm"))


def _size(response: requests.Response) -> int | None:
    whole = response.headers.get("Content-Range", "").rpartition("/")[2]
    if whole.isdigit():
        return int(whole)
    length = response.headers.get("Content-Length")
    return int(length) if length and length.isdigit() and response.status_code != 206 else None
