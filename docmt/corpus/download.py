"""Downloads: several sources, resumed where they broke off, and verified before a file gets its name.

And whether the catalogue's sources answer, which is asked of all of them at once, without downloading anything.
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

from docmt.base.artifacts import folder_lock, read_object_if_there, sha256_file, write_json
from docmt.base.errors import UserError, nearest
from docmt.base.foreign import naming
from docmt.catalogue.corpus import CorpusConfig, FileConfig
from docmt.catalogue.missing import find_below, is_remote, local_path

ATTEMPTS = 5
CHUNK_BYTES = 1 << 13
"""What is lost at most when a transfer breaks off."""
TIMEOUT_S = 30

ANSWER_TIMEOUT_S = 20
AT_ONCE = 16
"""So many sources are asked side by side."""
NO_HEAD = (403, 405, 501)
"""What servers say that refuse HEAD; they are asked for the first byte instead."""
AGENT = {"User-Agent": "docmt", "Accept-Encoding": "identity"}


class SourceFailed(Exception):
    """One source did not give the file; the text says why."""


class Interrupted(Exception):
    """A transfer broke off; another attempt may go on from there."""


class WrongChecksum(SourceFailed):
    """A source gave another file."""


def fetch(
    file: FileConfig,
    output: Path,
    lock: Path,
    corpus: str,
    mirror: str | None = None,
    wait_s: float = 1,
    local: Path | None = None,
) -> None:
    """Download `file` to `output`: the mirror first, then its sources, until one gives the right bytes.

    The catalogue's sha256 counts; where it has none, that of the first download, which is kept in `lock` (JSON).
    What an interrupted run got stays in `<output>.part`, and the next run goes on from there. `wait_s`: seconds
    before the second attempt on a source, doubled with each further one. `local`: a folder of the user's, in any
    layout, which is looked through before the mirror.
    Raises UserError, with the reason of every source, where none gives the file.
    """
    key = f"{corpus}/{file.name}"
    expected = file.sha256 or locked(lock).get(key)
    if output.exists() and _is_right(output, key, expected, lock):
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    failures: list[tuple[str, SourceFailed]] = []
    own = find_below(local, file.name, corpus) if local else None
    for source in [*([str(own)] if own else []), *sources(file, mirror)]:
        try:
            part = _get_verified(source, output, expected, file.size, wait_s)
        except SourceFailed as failure:
            failures.append((source, failure))
        else:
            if file.sha256 is None:
                _record(lock, key, sha256_file(part))
            part.replace(output)
            return
    raise _all_failed(file, key, output, failures, expected)


def find_file(corpus: CorpusConfig, name: str, catalogue: Path) -> FileConfig:
    """Raises UserError where the catalogue's entry has no file of that name."""
    for file in corpus.files:
        if file.name == name:
            return file
    remedy = nearest(name, [file.name for file in corpus.files]) if corpus.files else "the corpus needs no file"
    raise UserError("unknown file", where=str(catalogue), found=name, remedy=remedy)


def sources(file: FileConfig, mirror: str | None) -> tuple[str, ...]:
    """Where to look for a file, in order."""
    if mirror is None:
        return file.sources
    is_url = urlsplit(mirror).scheme in ("http", "https", "file")
    return (f"{mirror.rstrip('/')}/{quote(file.name) if is_url else file.name}", *file.sources)


def locked(lock: Path) -> dict[str, str]:
    """The sha256 of first downloads, by `corpus/file`."""
    return read_object_if_there(lock) or {}


def _is_right(output: Path, key: str, expected: str | None, lock: Path) -> bool:
    """Whether a file that is there, perhaps put by hand, is the one; the first of its kind is."""
    found = sha256_file(output)
    if expected is None:
        _record(lock, key, found)
    return expected in (None, found)


def _record(lock: Path, key: str, sha256: str) -> None:
    lock.parent.mkdir(parents=True, exist_ok=True)
    with folder_lock(lock.parent):  # downloads run side by side
        write_json(lock, {**locked(lock), key: sha256})


def _get_verified(source: str, output: Path, expected: str | None, size: int | None, wait_s: float) -> Path:
    part = output.with_name(f"{output.name}.part")
    resumed = part.exists()
    try:
        return _verified(_get(source, part, expected, wait_s), expected, size)
    except WrongChecksum:
        if not resumed:
            raise
    # What was left of an earlier run may have been another file's beginning.
    return _verified(_get(source, part, expected, wait_s), expected, size)


def _verified(part: Path, expected: str | None, size: int | None) -> Path:
    found_size, found = part.stat().st_size, sha256_file(part)
    if size not in (None, found_size):
        _forget(part)
        raise WrongChecksum(f"wrong size: found {found_size} bytes, expected {size}")
    if expected not in (None, found):
        _forget(part)
        raise WrongChecksum(f"wrong checksum: found sha256 {found}, expected {expected}")
    _origin(part).unlink(missing_ok=True)
    return part


def _forget(part: Path) -> None:
    part.unlink(missing_ok=True)
    _origin(part).unlink(missing_ok=True)


def _origin(part: Path) -> Path:
    """Beside a part: which source it came from, and in which version."""
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
    """One attempt: what is missing of the part, or the whole file where the server does not resume."""
    headers = {"Accept-Encoding": "identity", **_range(url, part, has_checksum)}
    try:
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT_S) as response:
            if response.status_code == requests.codes.requested_range_not_satisfiable:
                _forget(part)
                raise Interrupted("the server has less than was got before")
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
    """The headers that ask for the rest of a part, or none where the part cannot be trusted to be its beginning."""
    origin = None
    with suppress(UserError):  # an origin that a power cut damaged says nothing: the file is fetched anew
        origin = read_object_if_there(_origin(part), "source", "version")
    if not part.exists() or not origin or origin["source"] != url or not (origin["version"] or has_checksum):
        return {}
    headers = {"Range": f"bytes={part.stat().st_size}-"}
    return {**headers, "If-Range": origin["version"]} if origin["version"] else headers


def _store(url: str, response: requests.Response, part: Path) -> None:
    resumes = response.status_code == requests.codes.partial_content
    got = part.stat().st_size if resumes else 0
    if resumes and not response.headers.get("Content-Range", "").startswith(f"bytes {got}-"):
        _forget(part)
        raise Interrupted("the server resumed at another place")
    if not resumes:
        _forget(part)
        version = response.headers.get("ETag") or response.headers.get("Last-Modified")
        # A weak ETag does not promise the same bytes.
        write_json(_origin(part), {"source": url, "version": None if (version or "").startswith("W/") else version})
    rest = response.headers.get("Content-Length")
    with (
        naming(part),
        part.open("ab") as stream,
        _progress(part.stem, got, got + int(rest) if rest else None) as advance,
    ):
        for chunk in response.iter_content(CHUNK_BYTES):
            stream.write(chunk)
            advance(len(chunk))


@contextmanager
def _progress(name: str, done: int, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show bytes got of `total` (None = unknown); the block calls what it is given with each further number.

    Nothing is shown where standard error is no terminal.
    """
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    hidden = not sys.stderr.isatty()
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), disable=hidden) as bar:
        task = bar.add_task(name, completed=done, total=total)
        yield lambda count: bar.advance(task, count)


def reason(problem: Exception) -> str:
    """The cause of a failed transfer, without the library's wrapping."""
    while problem.args and isinstance(problem.args[0], Exception):
        problem = problem.args[0]
    inner = getattr(problem, "reason", None)
    return str(inner or problem).split(": ", 1)[-1]


def _all_failed(
    file: FileConfig,
    key: str,
    output: Path,
    failures: list[tuple[str, SourceFailed]],
    expected: str | None,
) -> UserError:
    changed = any(isinstance(failure, WrongChecksum) for _, failure in failures)
    which = f" (sha256 {expected})" if expected else ""
    by_hand = (
        f"put the file{which} at {output} and run again, or set mirror=FOLDER, a folder or URL that holds {file.name}"
    )
    return UserError(
        "wrong checksum, the download was removed" if changed else "no source gave the file",
        where=key,
        found="".join(f"\n    {source}: {failure}" for source, failure in failures) or "no source in the catalogue",
        remedy=f"{file.obtain.strip()} Then {by_hand}." if file.obtain else f"By hand: {by_hand}.",
    )


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


def ask_sources(corpora: Iterable[CorpusConfig], timeout_s: float = ANSWER_TIMEOUT_S) -> list[Source]:
    """Ask every source of the corpora, each address once, in parallel."""
    named = [(corpus, file, url) for corpus in corpora for file in corpus.files for url in file.sources]
    urls = list(dict.fromkeys(url for _, _, url in named))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = dict(zip(urls, pool.map(lambda url: ask(url, timeout_s), urls), strict=True))
    return [Source(corpus.corpus, file.name, url, file.checked or None, answers[url]) for corpus, file, url in named]


def ask(url: str, timeout_s: float = ANSWER_TIMEOUT_S) -> Answer:
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
