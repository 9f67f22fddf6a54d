"""Questions to sources whether they have their files; nothing is downloaded."""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import requests

from docmt.base.artifacts import folder_lock, read_object_if_there, write_json
from docmt.base.credentials import without_credentials
from docmt.base.foreign import reading
from docmt.catalogue.files import LENGTHS, Checksums, FileConfig, SourceConfig
from docmt.catalogue.missing import is_remote, is_source, local_path
from docmt.fetching.addresses import rewritten
from docmt.fetching.content import is_page, login_of
from docmt.fetching.problems import reason
from docmt.fetching.transfer import AGENT, Network, stated_by_server

SEEN = "workflow/corpora/sources.seen.json"
"""The file with what each address answered when it was last asked."""
AT_ONCE = 16
"""The number of sources that are asked in parallel."""
NO_HEAD = (403, 405, 501)
"""The HTTP statuses of servers that refuse HEAD requests; such a server is asked for the first byte of the file."""


@dataclass(frozen=True)
class Answer:
    """The answer of a source to the question whether it has its file.

    `status` is the HTTP status; None where no server answered, or where the source is a path. `size` is the size of the
    file in bytes; None = not stated. `digest` is the digest that the server states, as `sha256:...` or `git_blob:...`;
    None = not stated. `moved` is the final address after redirects, without its query, which may be a signature; None
    where the address did not change. `problem` is the reason why the file cannot be downloaded from the source; None
    where it can.
    """

    status: int | None
    size: int | None = None
    digest: str | None = None
    moved: str | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Source:
    """A source of a file, with its answer.

    `owner`: the corpus or set of the file. `grade`: the evidence for the content at the address; None = not stated.
    `seen`: the day on which the source was last asked and had its file; None = never.
    """

    owner: str
    file: str
    url: str
    grade: str | None
    seen: str | None
    answer: Answer


Owned = tuple[str, FileConfig]
"""The name of a corpus or set, and one of its files."""


def ask_sources(files: Iterable[Owned], network: Network, seen: Mapping[str, Any] | None = None) -> list[Source]:
    """Ask every source of the files, in parallel, whether it has its file; each address is asked only once.

    `seen` has what earlier answers were, by the address. An answer with another size or digest than the catalogue
    states is a problem.
    """
    named = [(owner, file, source) for owner, file in files for source in file.sources]
    urls = list(dict.fromkeys(source.url for _, _, source in named))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = dict(zip(urls, pool.map(lambda url: ask(url, network), urls), strict=True))
    return [
        Source(
            owner,
            file.name,
            source.url,
            source.grade,
            (seen or {}).get(source.url, {}).get("seen"),
            _compared(answers[source.url], _expected(file, source)),
        )
        for owner, file, source in named
    ]


def ask(url: str, network: Network) -> Answer:
    """Ask a source whether it has its file: by a HEAD request, or a GET of one byte where the server refuses HEAD."""
    if not is_remote(url):
        path = local_path(url)
        if not is_source(path):
            return Answer(None, problem="no such file")
        return Answer(None, None if path.is_dir() else path.stat().st_size)
    actual, options = rewritten(url, network.hosts), {"timeout": network.timeout_s, "allow_redirects": True}
    try:
        with requests.head(actual, headers=AGENT, **options) as response:
            if response.status_code not in NO_HEAD:
                return _answer(url, actual, response)
        first = {**AGENT, "Range": "bytes=0-0"}
        with requests.get(actual, headers=first, stream=True, **options) as response:
            return _answer(url, actual, response)
    except requests.RequestException as problem:
        return Answer(None, problem=reason(problem))


def read_seen(path: Path) -> dict[str, Any]:
    """Return what each address answered when it was last asked. Raises UserError for a file that is none of these."""
    with reading(path, "not a file of answers of sources", "an object by the address", "restore it, or remove it"):
        seen = read_object_if_there(path) or {}
        if not all(isinstance(entry, dict) for entry in seen.values()):
            raise TypeError("an entry is not an object")
    return seen


def write_seen(path: Path, sources: Iterable[Source], day: str) -> None:
    """Add the answers of sources to the file of answers; `day` is today, as 2026-01-31.

    A source that does not have its file now keeps the day on which it was last seen to have it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with folder_lock(path.parent):
        seen = read_seen(path)
        for source in sources:
            answer = source.answer
            entry = {"asked": day, "status": answer.status, "problem": answer.problem}
            if answer.problem is None:
                entry |= {"seen": day, "size": answer.size, "digest": answer.digest}
            seen[source.url] = {**seen.get(source.url, {}), **entry}
        write_json(path, seen)


def _answer(url: str, actual: str, response: requests.Response) -> Answer:
    """Return the answer of a server."""
    moved = without_credentials(response.url) if response.url != actual else None
    login = login_of(actual, response.url)
    if login is not None:
        return Answer(response.status_code, moved=moved, problem=f"a redirect to a login ({login})")
    if not response.ok:
        return Answer(response.status_code, moved=moved, problem=f"HTTP {response.status_code}")
    if is_page(response, url.partition("?")[0]):
        return Answer(response.status_code, moved=moved, problem="a web page, not the file")
    stated = stated_by_server(url, response)
    digest = next((f"{kind}:{value}" for kind, value in stated.stated.items()), None)
    return Answer(response.status_code, stated.size or _size(response), digest, moved)


def _expected(file: FileConfig, source: SourceConfig) -> Checksums:
    """Return the checksums that the bytes of a source shall have."""
    if source.member is not None or file.line_ends != "keep":
        return source
    values = {kind: getattr(source, kind) or getattr(file, kind) for kind in LENGTHS}
    return Checksums(**values, size=source.size or file.size)


def _compared(answer: Answer, expected: Checksums) -> Answer:
    """Return an answer, with a problem where it has another size or digest than expected."""
    if answer.problem is not None:
        return answer
    if None not in (answer.size, expected.size) and answer.size != expected.size:
        return replace(answer, problem=f"{answer.size:,} bytes, not {expected.size:,}")
    kind, _, value = (answer.digest or "").partition(":")
    stated = expected.stated.get(kind)
    return replace(answer, problem=f"{kind} {value}, not {stated}") if stated not in (None, value) else answer


def _size(response: requests.Response) -> int | None:
    """Return the size of the file that an answer states; None where it states none."""
    whole = response.headers.get("Content-Range", "").rpartition("/")[2]
    if whole.isdigit():
        return int(whole)
    length = response.headers.get("Content-Length")
    return int(length) if length and length.isdigit() and response.status_code != 206 else None
