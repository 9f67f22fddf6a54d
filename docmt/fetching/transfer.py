"""The transfer of a file from an address: several attempts, each of which continues what the one before received.

The received bytes are in a part; a JSON file beside it has their address, and the version of the file there.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import requests
import tenacity

from docmt.base.artifacts import read_object_if_there, write_json
from docmt.base.credentials import without_credentials
from docmt.base.errors import UserError
from docmt.base.foreign import MEGABYTE, naming
from docmt.base.screen import progress_display
from docmt.catalogue.files import Checksums, FileConfig
from docmt.catalogue.missing import is_remote
from docmt.fetching.content import login_of

Hosts = Mapping[str, str]  # The address that stands in for a host, by the host: `hosts` of config.yaml.


@dataclass(frozen=True)
class Origin:
    """A place that may give a file: an address, or a path.

    `checksums` are those of the bytes that the place gives. `member` is the path of the file in a zip that the place
    gives; None where it gives the file itself.
    """

    place: str
    checksums: Checksums = field(default_factory=Checksums)
    member: str | None = None

    @property
    def is_remote(self) -> bool:
        """Whether the place is an http or https address."""
        return is_remote(self.place)


def origins(file: FileConfig, mirror: str | None = None, user_file: Path | None = None) -> Iterator[Origin]:
    """Yield the places of a file: the user's own file, the mirror, and the sources of the catalogue, in this order."""
    if user_file is not None:
        yield Origin(str(user_file))
    if mirror is not None:
        is_url = urlsplit(mirror).scheme in ("http", "https", "file")
        yield Origin(f"{mirror.rstrip('/')}/{quote(file.name) if is_url else file.name}")
    for source in file.sources:
        yield Origin(source.url, source, source.member)


def rewritten(url: str, hosts: Hosts) -> str:
    """Return an address with the stand-in for its host, whose path comes before that of the address."""
    parts = urlsplit(url)
    base = hosts.get(parts.netloc)
    if base is None:
        return url
    stand_in = urlsplit(base)
    path = f"{stand_in.path.rstrip('/')}{parts.path}"
    return urlunsplit((stand_in.scheme, stand_in.netloc, path, parts.query, ""))


ATTEMPTS = 5
# The number of bytes that are received and written together: no more are lost when a transfer breaks off.
CHUNK_BYTES = 1 << 13
TIMEOUT_S = 30.0  # The number of seconds without a byte after which a transfer has broken off.
AGENT = {"User-Agent": "docmt", "Accept-Encoding": "identity"}
"""Headers of all requests. Byte positions in a compressed transfer differ from those in the file, so that the transfer
could not be resumed."""


@dataclass(frozen=True)
class Network:
    """How transfers are made. `wait_s`: the seconds before the second attempt; it doubles for each further one."""

    hosts: Hosts = field(default_factory=dict)
    timeout_s: float = TIMEOUT_S
    wait_s: float = 1.0


def transfer(url: str, part: Path, has_checksum: bool, network: Network) -> None:
    """Download the rest of a part, or the whole file, whose content is checked later or not. Raises SourceFailed."""
    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(Interrupted),
        stop=tenacity.stop_after_attempt(ATTEMPTS),
        wait=tenacity.wait_exponential(multiplier=network.wait_s, max=60),
        reraise=True,
    )
    try:
        retrying(_attempt, url, part, has_checksum, network)
    except Interrupted as problem:
        raise SourceFailed(f"{problem} ({ATTEMPTS} attempts)") from None


def forget(part: Path) -> None:
    """Remove a part and what is known of it."""
    part.unlink(missing_ok=True)
    origin_file(part).unlink(missing_ok=True)


def origin_file(part: Path) -> Path:
    """Return the path of the JSON file with the address of a part, and the version of the file there."""
    return part.with_name(f"{part.name}.json")


def _check_answer(url: str, response: requests.Response) -> None:
    """Raise SourceFailed, or Interrupted where another attempt may help, unless the answer to `url` may be the file."""
    if response.status_code >= 500 or response.status_code == requests.codes.too_many_requests:
        raise Interrupted(f"HTTP {response.status_code}")
    login = login_of(url, response.url)
    if login is not None:
        raise SourceFailed(f"a redirect to a login ({login})")
    if not response.ok:
        needs_login = response.status_code in (requests.codes.unauthorized, requests.codes.forbidden)
        why = " (a login or a permission is needed: state it in ~/.netrc)" if needs_login else ""
        raise SourceFailed(f"HTTP {response.status_code}{why}")


def _attempt(stated: str, part: Path, has_checksum: bool, network: Network) -> None:
    """Make one attempt to download the rest of a part, or the whole file where the server does not resume downloads."""
    url = rewritten(stated, network.hosts)
    headers = {**AGENT, **_range(stated, part, has_checksum)}
    try:
        with requests.get(url, headers=headers, stream=True, timeout=network.timeout_s) as response:
            # The part is not shorter than the server's file, so the part cannot be the beginning of this file.
            if response.status_code == requests.codes.requested_range_not_satisfiable:
                forget(part)
                raise Interrupted("the server's file is shorter than the part that was downloaded before")
            _check_answer(url, response)
            _store(stated, response, part)
    except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as problem:
        raise Interrupted(reason(problem)) from None
    except requests.RequestException as problem:
        raise SourceFailed(reason(problem)) from None


def _range(url: str, part: Path, has_checksum: bool) -> dict[str, str]:
    """Return the headers that request the rest of a part, or none where the part may not be the file's beginning."""
    origin = None
    with suppress(UserError):  # a power cut may have damaged this JSON file; then the download starts again
        origin = read_object_if_there(origin_file(part), "source", "version")
    if not part.exists() or not origin or origin["source"] != url or not (origin["version"] or has_checksum):
        return {}
    headers = {"Range": f"bytes={part.stat().st_size}-"}
    # With If-Range, a server whose file has changed sends the whole new file instead of the rest of the file.
    return {**headers, "If-Range": origin["version"]} if origin["version"] else headers


def _store(url: str, response: requests.Response, part: Path) -> None:
    """Write the bytes of an answer behind those of the part, or as a new part."""
    resumes = response.status_code == requests.codes.partial_content
    offset = part.stat().st_size if resumes else 0
    if resumes and not response.headers.get("Content-Range", "").startswith(f"bytes {offset}-"):
        forget(part)
        raise Interrupted("the server resumed at a different byte than requested")
    if not resumes:
        forget(part)
        version = response.headers.get("ETag") or response.headers.get("Last-Modified")
        # A weak ETag does not guarantee the same bytes: such a part is resumed only where the file's checksum is known.
        write_json(origin_file(part), {"source": url, "version": None if (version or "").startswith("W/") else version})
    received, total = 0, offset + int(response.headers.get("Content-Length", 0))
    with naming(part), part.open("ab") as stream, progress_display(part.stem, "MB", "MB") as show:
        for chunk in response.iter_content(CHUNK_BYTES):
            stream.write(chunk)
            received += len(chunk)
            show(*(size // MEGABYTE for size in (offset + received, max(total, offset + received), received)))


class SourceFailed(Exception):
    """The failure of a source to give a file; the text of the exception is the reason."""


class Interrupted(Exception):
    """The error of a transfer that broke off; another attempt may continue the transfer."""


class WrongContent(SourceFailed):
    """The failure of a source that gave another content than expected."""


def reason(problem: Exception) -> str:
    """Return the cause of a failed transfer, without the messages that the library `requests` puts around it."""
    while problem.args and isinstance(problem.args[0], Exception):
        problem = problem.args[0]
    inner = getattr(problem, "reason", None)
    # The messages of the library begin with the name of a connection object, which ends at the first colon.
    # An address to which a server has redirected has no query: that may be a signature.
    return without_credentials(str(inner or problem).split(": ", 1)[-1])
