"""Questions to sources whether they have their files; nothing is downloaded."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import requests

from docmt.base.credentials import without_credentials
from docmt.catalogue.files import LENGTHS, Checksums, FileConfig, SourceConfig
from docmt.catalogue.missing import is_remote, is_source, local_path
from docmt.fetching.addresses import rewritten
from docmt.fetching.content import is_page, login_of
from docmt.fetching.problems import reason
from docmt.fetching.transfer import AGENT, Network, stated_by_server

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
    """

    owner: str
    file: str
    url: str
    grade: str | None
    answer: Answer


Owned = tuple[str, FileConfig]
"""The name of a corpus or set, and one of its files."""


def ask_sources(files: Iterable[Owned], network: Network) -> list[Source]:
    """Ask every source of the files, in parallel, whether it has its file; each address is asked only once.

    An answer with another size or digest than the catalogue states is a problem.
    """
    named = [(owner, file, source) for owner, file in files for source in file.sources]
    urls = list(dict.fromkeys(source.url for _, _, source in named))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = dict(zip(urls, pool.map(lambda url: ask(url, network), urls), strict=True))
    return [
        Source(owner, file.name, source.url, source.grade, _compared(answers[source.url], _expected(file, source)))
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
