"""The files of the catalogue: their names, their public addresses, and the checksums of their content."""

import re
from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import Check, Checked, in_schema, need, need_path, needed, section, setting, within
from docmt.base.digests import full_digest
from docmt.base.names import FILE_NAMES_HAVE, INSIDE, LONGEST_FILE_NAME, LONGEST_PATH, is_file_name, stays_inside
from docmt.base.parse import TEXT_FORMS

# The kinds of checksums of a file's bytes, each with its number of hexadecimal digits.
LENGTHS = {"sha256": 64, "md5": 32, "git_blob": 40}
GIT_OBJECTS = "git_objects"  # The kind of digest of an archive by the Git ids of what it holds.
Grade = Literal["A", "B", "C", "D"]
"""How well the content at an address is known. A: the bytes were read and hashed. B: a maintained tool has the address
or its digest in its index. C: a README, a script or a listing names it. D: a guess from a similar address."""


def digits(length: int, otherwise: str = "") -> Check:
    """Return the check that a text has this number of hexadecimal digits; `otherwise` is appended in the message."""
    pattern, expected = rf"^[0-9a-f]{{{length}}}$", f"{length} hexadecimal digits{otherwise}"

    @in_schema(pattern=pattern, patternErrorMessage=f"Expected {expected}.")
    def test(name: str, value: str) -> None:
        need(re.fullmatch(pattern.strip("^$"), value) is not None, name, value, expected)

    return test


@in_schema(
    pattern=r"^(?=.*\S)(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\x00-\x1f\x7f]+$",
    maxLength=LONGEST_PATH,
    patternErrorMessage=f"Expected {INSIDE}.",
)
def need_inside(name: str, value: str) -> None:
    """Raise BadValue for a path that leads out of the archive."""
    need(stays_inside(value), name, value, INSIDE)


@in_schema(propertyNames=need_inside.schema, additionalProperties=digits(LENGTHS["git_blob"]).schema)
def need_git_ids(name: str, value: dict[str, str]) -> None:
    """Raise BadValue for a key that is no path inside an archive, and for a value that is no Git id."""
    for path, git_id in value.items():
        need_inside(f"{name}.{path}", path)
        digits(LENGTHS["git_blob"])(f"{name}.{path}", git_id)


@in_schema(
    pattern=r"^(?![.-])(?!\s)[^\x00-\x1f\x7f/\\{}]*[^\x00-\x1f\x7f/\\{}\s]$",
    maxLength=LONGEST_FILE_NAME,
    patternErrorMessage=f"Expected {FILE_NAMES_HAVE}.",
)
def need_file_name(name: str, value: str) -> None:
    """Raise BadValue unless a file can be stored under this name."""
    need(is_file_name(value), name, value, FILE_NAMES_HAVE)


@dataclass(frozen=True, kw_only=True)
class Checksums(Checked):
    """The checksums of a file's bytes. Each that is stated is checked; none = the checksum is not known."""

    sha256: str | None = setting(None, "SHA-256 of the content; none = not known", digits(64, ", or none"))
    md5: str | None = setting(None, "MD5 of the content; none = not known", digits(32, ", or none"))
    git_blob: str | None = setting(
        None, "Git id of the content, as `git hash-object` prints it; none = not known", digits(40, ", or none")
    )
    size: int | None = setting(
        None, "number of bytes; none = not checked", within("above 0, or none", exclusiveMinimum=0)
    )

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

    url: str = needed("http(s) or file URL, or a path", need_path)
    grade: Grade | None = setting(
        None,
        "how well the content is known. A: bytes read; B: in the index of a maintained tool; C: named by a README, a"
        " script or a listing; D: a guess, which a person has to try; none = not stated",
    )
    member: str | None = setting(
        None,
        "the address gives a zip; the file is its member with this path, or with a path that ends in it",
        need_inside,
    )


TEXT_FORMS[SourceConfig] = lambda text: {"url": text}


@dataclass(frozen=True, kw_only=True)
class FileConfig(Checksums):
    """A file to be downloaded: its name, its sources, and how its content is checked.

    The checksums are those of the file as it is stored, after the steps that `line_ends` and the source's `member`
    state, so that they do not depend on the source.
    """

    name: str = needed("name of the file", need_file_name)
    sources: tuple[SourceConfig, ...] = setting((), "addresses of the file, in the order in which they are tried")
    line_ends: Literal["keep", "lf"] = setting(
        "keep", "lf: CR LF becomes LF before the file is stored, since sources differ in line ends"
    )
    git_objects: dict[str, str] = section(
        dict,
        "Git ids of files or folders in an archive, by their paths in it; they are checked in place of the archive's"
        " own bytes, which GitHub does not promise to be the same at each download",
        need_git_ids,
    )
    licence: str | None = setting(None, "the licence without which nobody gets the file, such as LDC; none = public")
    obtain: str | None = setting(None, "how a person gets the file, where no source can be downloaded")

    def __post_init__(self) -> None:
        """Check that the content has digests of one kind."""
        super().__post_init__()
        fits = not (self.git_objects and self.stated)
        need(fits, GIT_OBJECTS, list(self.stated), "no checksum of the archive's own bytes beside it")

    @property
    def digest(self) -> str | None:
        """The digest by which the catalogue identifies the content, such as `git_blob:48d6...`; None without any."""
        # The identities of artifacts have it, so it is the same whichever source gives the file.
        if self.git_objects:
            return git_objects_digest(self.git_objects)
        for kind, value in self.stated.items():
            return value if kind == "sha256" else f"{kind}:{value}"
        return None

    @property
    def is_public(self) -> bool:
        """Whether a program can probably get the file: a source is known to have it, and it is not only a guess."""
        return any(source.grade != "D" for source in self.sources)


@in_schema()
def need_each_once(name: str, files: tuple[FileConfig, ...]) -> None:
    """Raise BadValue for files of which several have one name."""
    names = [file.name for file in files]
    repeated = sorted({each for each in names if names.count(each) > 1})
    need(not repeated, name, repeated, "each file once")


def git_objects_digest(objects: dict[str, str]) -> str:
    """Return the digest of an archive whose files or folders have these Git ids."""
    return f"{GIT_OBJECTS}:{full_digest(objects)}"
