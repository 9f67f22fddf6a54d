"""The places that may give a file, in the order in which they are tried, and the replacement of hosts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from docmt.catalogue.files import Checksums, FileConfig
from docmt.catalogue.missing import is_remote

Hosts = Mapping[str, str]
"""The address that stands in for a host, by the host: `hosts` of config.yaml."""


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
