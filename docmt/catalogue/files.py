"""The files of the catalogue: their names, their public addresses, and the checksums of their content."""

import re
from dataclasses import MISSING, dataclass, field
from typing import Literal

from docmt.base.checks import Checked, need, need_path, setting
from docmt.base.digests import full_digest
from docmt.base.names import FILE_NAMES_HAVE, INSIDE, is_file_name, stays_inside
from docmt.base.parse import TEXT_FORMS

LENGTHS = {"sha256": 64, "md5": 32, "git_blob": 40}
"""The kinds of checksums of a file's bytes, each with its number of hexadecimal digits."""
GIT_OBJECTS = "git_objects"
"""The kind of digest of an archive by the Git ids of what it holds."""
Grade = Literal["A", "B", "C", "D"]
"""How well the content at an address is known. A: the bytes were read and hashed. B: a maintained tool has the address
or its digest in its index. C: a README, a script or a listing names it. D: a guess from a similar address."""


def _need_digest(name: str, value: str | None) -> None:
    """Raise BadValue unless `value` is none or a checksum of the kind `name`."""
    length = LENGTHS[name]
    is_digest = value is None or re.fullmatch(rf"[0-9a-f]{{{length}}}", value) is not None
    need(is_digest, name, value, f"{length} hexadecimal digits, or none")


@dataclass(frozen=True, kw_only=True)
class Checksums(Checked):
    """The checksums of a file's bytes. Each that is stated is checked; none = the checksum is not known."""

    sha256: str | None = setting(None, "SHA-256 of the content; none = not known", _need_digest)
    md5: str | None = setting(None, "MD5 of the content; none = not known", _need_digest)
    git_blob: str | None = setting(
        None, "Git id of the content, as `git hash-object` prints it; none = not known", _need_digest
    )
    size: int | None = setting(None, "number of bytes; none = not checked")

    def __post_init__(self) -> None:
        """Check the size."""
        super().__post_init__()
        need(self.size is None or self.size > 0, "size", self.size, "above 0, or none")

    @property
    def stated(self) -> dict[str, str]:
        """The checksums that are known, by their kinds."""
        values = {kind: getattr(self, kind) for kind in LENGTHS}
        return {kind: value for kind, value in values.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class SourceConfig(Checksums):
    """An address that gives a file, or an archive that holds the file.

    The checksums are those of the bytes that the address gives, before a member is taken out and before line ends are
    changed. A text in the place of the settings is the address.
    """

    url: str = setting(MISSING, "http(s) or file URL, or a path", need_path)
    grade: Grade | None = setting(
        None,
        "how well the content is known. A: bytes read; B: in the index of a maintained tool; C: named by a README, a"
        " script or a listing; D: a guess, which a person has to try; none = not stated",
    )
    member: str | None = setting(
        None, "the address gives a zip; the file is its member with this path, or with a path that ends in it"
    )

    def __post_init__(self) -> None:
        """Check that the path of a member stays in its archive."""
        super().__post_init__()
        need(self.member is None or stays_inside(self.member), "member", self.member, INSIDE)


TEXT_FORMS[SourceConfig] = lambda text: {"url": text}


@dataclass(frozen=True, kw_only=True)
class FileConfig(Checksums):
    """A file to be downloaded: its name, its sources, and how its content is checked.

    The checksums are those of the file as it is stored, after the steps that `line_ends` and the source's `member`
    state, so that they do not depend on the source.
    """

    name: str
    sources: tuple[SourceConfig, ...] = setting((), "addresses of the file, in the order in which they are tried")
    line_ends: Literal["keep", "lf"] = setting(
        "keep", "lf: CR LF becomes LF before the file is stored, since sources differ in line ends"
    )
    git_objects: dict[str, str] = field(
        default_factory=dict,
        metadata={
            "about": "Git ids of files or folders in an archive, by their paths in it; they are checked in place of the"
            " archive's own bytes, which GitHub does not promise to be the same at each download"
        },
    )
    licence: str | None = setting(None, "the licence without which nobody gets the file, such as LDC; none = public")
    obtain: str | None = setting(None, "how a person gets the file, where no source can be downloaded")

    def __post_init__(self) -> None:
        """Check the name of the file and the Git ids of what it holds."""
        super().__post_init__()
        need(is_file_name(self.name), "name", self.name, FILE_NAMES_HAVE)
        for path, value in self.git_objects.items():
            name = f"{GIT_OBJECTS}.{path}"
            need(stays_inside(path), name, path, INSIDE)
            is_id = re.fullmatch(r"[0-9a-f]{40}", value) is not None
            need(is_id, name, value, "40 hexadecimal digits")
        fits = not (self.git_objects and self.stated)
        need(fits, GIT_OBJECTS, list(self.stated), "no checksum of the archive's own bytes beside it")

    @property
    def digest(self) -> str | None:
        """The digest by which the catalogue identifies the content; None where it states none.

        It is a SHA-256 alone, or the kind and the value of another checksum (`git_blob:48d6...`). The identities of
        artifacts have it, so it is the same whichever source gives the file.
        """
        if self.git_objects:
            return git_objects_digest(self.git_objects)
        for kind, value in self.stated.items():
            return value if kind == "sha256" else f"{kind}:{value}"
        return None

    @property
    def is_public(self) -> bool:
        """Whether a program can probably get the file: a source is known to have it, and it is not only a guess."""
        return any(source.grade != "D" for source in self.sources)


def git_objects_digest(objects: dict[str, str]) -> str:
    """Return the digest of an archive whose files or folders have these Git ids."""
    return f"{GIT_OBJECTS}:{full_digest(objects)}"
