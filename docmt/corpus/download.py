"""Downloads of corpus files from several sources, which are resumed after interruptions and verified by checksum.

A download is stored under a temporary name; it gets its final name when it is complete and verified. `ask_sources`
checks whether the sources in the catalogue answer; it asks them in parallel and downloads nothing.
"""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import requests
import tenacity

from docmt.base.artifacts import folder_lock, read_object_if_there, write_json
from docmt.base.digests import sha256_file
from docmt.base.errors import UserError, nearest
from docmt.base.foreign import naming
from docmt.catalogue.checksums import locked_checksums
from docmt.catalogue.corpus import CorpusConfig, FileConfig
from docmt.catalogue.missing import file_of_user, is_remote, local_path

ATTEMPTS = 5
CHUNK_BYTES = 1 << 13
"""The number of bytes that are received and written together: no more are lost when a transfer breaks off."""
TIMEOUT_S = 30

ANSWER_TIMEOUT_S = 20
AT_ONCE = 16
"""The number of sources that are asked in parallel."""
NO_HEAD = (403, 405, 501)
"""The HTTP statuses of servers that refuse HEAD requests; such a server is asked for the first byte of the file."""
AGENT = {"User-Agent": "docmt", "Accept-Encoding": "identity"}


class SourceFailed(Exception):
    """The failure of a source to give a file; the text of the exception is the reason."""


class Interrupted(Exception):
    """The error of a transfer that broke off; another attempt may continue the transfer."""


class WrongChecksum(SourceFailed):
    """The failure of a source that gave a file with a different size or checksum than expected."""


def fetch(
    file: FileConfig,
    output: Path,
    lock: Path,
    corpus: str,
    mirror: str | None = None,
    wait_s: float = 1,
    local: Path | None = None,
) -> None:
    """Download `file` to `output`; try each source in turn until a file with the right checksum arrives.

    The right checksum is the sha256 in the catalogue or, where the catalogue has none, that of the file in the user's
    folder, which the user may change, or that of the first download, which is stored in the JSON file `lock`. The bytes
    that an interrupted run received stay in `<output>.part`, and the next run downloads the rest. `wait_s` is the
    number of seconds before the second attempt on a source; it is doubled for each further attempt. The sources are the
    folder `local` of the user (in any layout), the mirror, and the sources in the catalogue, in this order.

    Raises UserError, with the reason for each source, where no source gives the file.
    """
    key = f"{corpus}/{file.name}"
    local_file = file_of_user(file, local, corpus)
    expected = file.sha256 or (sha256_file(local_file) if local_file else locked_checksums(lock).get(key))
    if output.exists() and _is_right(output, key, expected, lock):
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    failures: list[tuple[str, SourceFailed]] = []
    for source in [*([str(local_file)] if local_file else []), *sources(file, mirror)]:
        try:
            part = _get_verified(source, output, expected, file.size, wait_s)
        except SourceFailed as failure:
            failures.append((source, failure))
        else:
            if file.sha256 is None:
                _record(lock, key, sha256_file(part))
            # The file gets its final name last, so that a file with the final name is always complete and verified.
            part.replace(output)
            return
    raise _all_failed(file, key, output, failures, expected)


def find_file(corpus: CorpusConfig, name: str, catalogue: Path) -> FileConfig:
    """Return a file of the corpus by its name. Raises UserError where the file `catalogue` lists no such file."""
    for file in corpus.files:
        if file.name == name:
            return file
    remedy = nearest(name, [file.name for file in corpus.files]) if corpus.files else "the corpus needs no file"
    raise UserError("unknown file", where=str(catalogue), found=name, remedy=remedy)


def sources(file: FileConfig, mirror: str | None) -> tuple[str, ...]:
    """Return the addresses and paths from which a file may be obtained, in the order in which they are tried."""
    if mirror is None:
        return file.sources
    is_url = urlsplit(mirror).scheme in ("http", "https", "file")
    return (f"{mirror.rstrip('/')}/{quote(file.name) if is_url else file.name}", *file.sources)


def _is_right(output: Path, key: str, expected: str | None, lock: Path) -> bool:
    """Return whether the existing file `output` has the sha256 `expected`.

    A user may have put the file there by hand. Where no sha256 is known yet (`expected` is None), the file is accepted
    and its sha256 is recorded.
    """
    sha256 = sha256_file(output)
    if expected is None:
        _record(lock, key, sha256)
    return expected in (None, sha256)


def _record(lock: Path, key: str, sha256: str) -> None:
    lock.parent.mkdir(parents=True, exist_ok=True)
    with folder_lock(lock.parent):  # several downloads may write the lock file at the same time
        write_json(lock, {**locked_checksums(lock), key: sha256})


def _get_verified(source: str, output: Path, expected: str | None, size: int | None, wait_s: float) -> Path:
    part = output.with_name(f"{output.name}.part")
    resumed = part.exists()
    try:
        return _verified(_get(source, part, expected, wait_s), expected, size)
    except WrongChecksum:
        if not resumed:
            raise
    # The part of an earlier run may be the beginning of a different file: the download starts again, without a part.
    return _verified(_get(source, part, expected, wait_s), expected, size)


def _verified(part: Path, expected: str | None, size: int | None) -> Path:
    actual_size, actual_sha256 = part.stat().st_size, sha256_file(part)
    if size not in (None, actual_size):
        _forget(part)
        raise WrongChecksum(f"wrong size: found {actual_size} bytes, expected {size}")
    if expected not in (None, actual_sha256):
        _forget(part)
        raise WrongChecksum(f"wrong checksum: found sha256 {actual_sha256}, expected {expected}")
    _origin(part).unlink(missing_ok=True)
    return part


def _forget(part: Path) -> None:
    part.unlink(missing_ok=True)
    _origin(part).unlink(missing_ok=True)


def _origin(part: Path) -> Path:
    """Return the path of the JSON file with the source of a part, and the version of the file at that source."""
    return part.with_name(f"{part.name}.json")


def _get(source: str, part: Path, expected: str | None, wait_s: float) -> Path:
    if not is_remote(source):
        _copy(source, part)
        return part
    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(Interrupted),
        stop=tenacity.stop_after_attempt(ATTEMPTS),
        wait=tenacity.wait_exponential(multiplier=wait_s, max=60),
        reraise=True,
    )
    try:
        retrying(_transfer, source, part, expected is not None)
    except Interrupted as problem:
        raise SourceFailed(f"{problem} ({ATTEMPTS} attempts)") from None
    return part


def _copy(source: str, part: Path) -> None:
    path = local_path(source)
    if not path.is_file():
        raise SourceFailed("no such file")
    _forget(part)
    try:
        shutil.copyfile(path, part)
    except OSError as problem:
        _forget(part)
        raise SourceFailed(problem.strerror or str(problem)) from None


def _transfer(url: str, part: Path, has_checksum: bool) -> None:
    """Make one attempt to download the rest of a part, or the whole file where the server does not resume downloads."""
    # Byte positions in a compressed transfer differ from those in the file, so that the transfer could not be resumed.
    headers = {"Accept-Encoding": "identity", **_range(url, part, has_checksum)}
    try:
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT_S) as response:
            # The part is not shorter than the server's file, so the part cannot be the beginning of this file.
            if response.status_code == requests.codes.requested_range_not_satisfiable:
                _forget(part)
                raise Interrupted("the server's file is shorter than the part that was downloaded before")
            if response.status_code >= 500 or response.status_code == requests.codes.too_many_requests:
                raise Interrupted(f"HTTP {response.status_code}")
            if not response.ok:
                raise SourceFailed(f"HTTP {response.status_code}")
            _store(url, response, part)
    except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as problem:
        raise Interrupted(reason(problem)) from None
    except requests.RequestException as problem:
        raise SourceFailed(reason(problem)) from None


def _range(url: str, part: Path, has_checksum: bool) -> dict[str, str]:
    """Return the headers that request the rest of a part, or none where the part may not be the file's beginning."""
    origin = None
    with suppress(UserError):  # a power cut may have damaged this JSON file; then the download starts again
        origin = read_object_if_there(_origin(part), "source", "version")
    if not part.exists() or not origin or origin["source"] != url or not (origin["version"] or has_checksum):
        return {}
    headers = {"Range": f"bytes={part.stat().st_size}-"}
    # With If-Range, a server whose file has changed sends the whole new file instead of the rest of the file.
    return {**headers, "If-Range": origin["version"]} if origin["version"] else headers


def _store(url: str, response: requests.Response, part: Path) -> None:
    resumes = response.status_code == requests.codes.partial_content
    offset = part.stat().st_size if resumes else 0
    if resumes and not response.headers.get("Content-Range", "").startswith(f"bytes {offset}-"):
        _forget(part)
        raise Interrupted("the server resumed at a different byte than requested")
    if not resumes:
        _forget(part)
        version = response.headers.get("ETag") or response.headers.get("Last-Modified")
        # A weak ETag does not guarantee the same bytes: such a part is resumed only where the file's checksum is known.
        write_json(_origin(part), {"source": url, "version": None if (version or "").startswith("W/") else version})
    rest = response.headers.get("Content-Length")
    with (
        naming(part),
        part.open("ab") as stream,
        _progress(part.stem, offset, offset + int(rest) if rest else None) as advance,
    ):
        for chunk in response.iter_content(CHUNK_BYTES):
            stream.write(chunk)
            advance(len(chunk))


@contextmanager
def _progress(name: str, done: int, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show how many of `total` bytes have been received (None = unknown), as a progress bar.

    The block receives a function, which it calls with the number of bytes of each chunk. Nothing is shown where
    standard error is no terminal.
    """
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    hidden = not sys.stderr.isatty()
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), disable=hidden) as bar:
        task = bar.add_task(name, completed=done, total=total)
        yield lambda count: bar.advance(task, count)


def reason(problem: Exception) -> str:
    """Return the cause of a failed transfer, without the messages that the library `requests` puts around the cause."""
    while problem.args and isinstance(problem.args[0], Exception):
        problem = problem.args[0]
    inner = getattr(problem, "reason", None)
    # The messages of the library begin with the name of a connection object, which ends at the first colon.
    return str(inner or problem).split(": ", 1)[-1]


def _all_failed(
    file: FileConfig,
    key: str,
    output: Path,
    failures: list[tuple[str, SourceFailed]],
    expected: str | None,
) -> UserError:
    changed = any(isinstance(failure, WrongChecksum) for _, failure in failures)
    sha256 = f" (sha256 {expected})" if expected else ""
    manual = (
        f"put the file{sha256} at {output} and run again, or set mirror=FOLDER, a folder or URL that holds {file.name}"
    )
    return UserError(
        "wrong checksum, the download was removed" if changed else "no source gave the file",
        where=key,
        found="".join(f"\n    {source}: {failure}" for source, failure in failures) or "no source in the catalogue",
        remedy=f"{file.obtain.strip()} Then {manual}." if file.obtain else f"By hand: {manual}.",
    )


@dataclass(frozen=True)
class Answer:
    """The answer of a source to the question whether it has its file.

    `status` is the HTTP status; None where no server answered, or where the source is a path. `size` is the size of the
    file in bytes; None = not stated. `moved` is the final address after redirects; None where the address did not
    change. `problem` is the reason why the file cannot be downloaded from the source; None where it can.
    """

    status: int | None
    size: int | None = None
    moved: str | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Source:
    """A source of a file, with the answer of the source.

    `checked` is the day on which docmt last downloaded the file, as the catalogue states it; None = never.
    """

    corpus: str
    file: str
    url: str
    checked: str | None
    answer: Answer


def ask_sources(corpora: Iterable[CorpusConfig], timeout_s: float = ANSWER_TIMEOUT_S) -> list[Source]:
    """Ask every source of the corpora, in parallel, whether it has its file; each address is asked only once."""
    named = [(corpus, file, url) for corpus in corpora for file in corpus.files for url in file.sources]
    urls = list(dict.fromkeys(url for _, _, url in named))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = dict(zip(urls, pool.map(lambda url: ask(url, timeout_s), urls), strict=True))
    return [Source(corpus.corpus, file.name, url, file.checked or None, answers[url]) for corpus, file, url in named]


def ask(url: str, timeout_s: float = ANSWER_TIMEOUT_S) -> Answer:
    """Ask a source whether it has its file: by a HEAD request, or a GET of one byte where the server refuses HEAD."""
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
    """Return whether a successful answer is a web page instead of the file.

    A site may answer with status 200 and a web page where the file is gone, or where the site wants a confirmation.
    """
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return kind == "text/html" and not urlsplit(url).path.endswith((".html", ".htm"))


def _size(response: requests.Response) -> int | None:
    whole = response.headers.get("Content-Range", "").rpartition("/")[2]
    if whole.isdigit():
        return int(whole)
    length = response.headers.get("Content-Length")
    return int(length) if length and length.isdigit() and response.status_code != 206 else None
