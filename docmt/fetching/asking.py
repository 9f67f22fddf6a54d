"""Questions to sources whether they have their files; nothing is downloaded."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import requests

from docmt.base.credentials import without_credentials
from docmt.catalogue.files import FileConfig, SourceConfig
from docmt.catalogue.missing import is_remote, is_source, local_path
from docmt.fetching.addresses import rewritten
from docmt.fetching.problems import Interrupted, SourceFailed, reason
from docmt.fetching.transfer import AGENT, Network, check_answer

AT_ONCE = 16
"""The number of sources that are asked in parallel."""
NO_HEAD = (403, 405, 501)
"""The HTTP statuses of servers that refuse HEAD requests; such a server is asked for the first byte of the file."""


@dataclass(frozen=True)
class Answer:
    """The answer of a source to the question whether it has its file.

    `status` is the HTTP status; None where no server answered, or where the source is a path. `size` is the size of the
    file in bytes; None = not stated. `moved` is the final address after redirects, without its query, which may be a
    signature; None where the address did not change. `problem` is the reason why the file cannot be downloaded from the
    source; None where it can.
    """

    status: int | None
    size: int | None = None
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

    An answer with another size than the catalogue states is a problem.
    """
    named = [(owner, file, source) for owner, file in files for source in file.sources]
    urls = list(dict.fromkeys(source.url for _, _, source in named))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = dict(zip(urls, pool.map(lambda url: ask(url, network), urls), strict=True))
    return [
        Source(owner, file.name, source.url, source.grade, _compared(answers[source.url], _expected_size(file, source)))
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
    try:
        check_answer(actual, response, url)
    except (Interrupted, SourceFailed) as problem:
        return Answer(response.status_code, moved=moved, problem=str(problem))
    return Answer(response.status_code, _size(response), moved)


def _expected_size(file: FileConfig, source: SourceConfig) -> int | None:
    """Return the number of bytes that a source shall give; None where nobody states it."""
    is_whole = source.member is None and file.line_ends == "keep"
    return source.size or (file.size if is_whole else None)


def _compared(answer: Answer, expected: int | None) -> Answer:
    """Return an answer, with a problem where it has another size than expected."""
    if answer.problem is not None or None in (answer.size, expected) or answer.size == expected:
        return answer
    return replace(answer, problem=f"{answer.size:,} bytes, not {expected:,}")


def _size(response: requests.Response) -> int | None:
    """Return the size of the file that an answer states; None where it states none."""
    whole = response.headers.get("Content-Range", "").rpartition("/")[2]
    if whole.isdigit():
        return int(whole)
    length = response.headers.get("Content-Length")
    return int(length) if length and length.isdigit() and response.status_code != 206 else None
