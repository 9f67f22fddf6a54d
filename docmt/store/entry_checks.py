"""The checks of what an entry of a store says, before any of it becomes a path, a key or a line on a screen.

Anybody who may write to a store can write an entry with any content: names that lead out of a folder, a digest that is
a path, a number in the place of a text.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from docmt.base.digests import FileDigest
from docmt.base.errors import UserError, in_line
from docmt.base.manifest import MANIFEST
from docmt.base.names import is_printable, stays_inside

SHA256 = re.compile(r"[0-9a-f]{64}")
"""The form of a SHA-256, and so of an identity."""
LONGEST_PART = 255
"""The largest number of bytes of a part of a path."""
MOST_BYTES = 2**60
"""The largest size of a file that an entry may state: no disk has more."""


def is_sha256(value: object) -> bool:
    """Return whether a value is a SHA-256 in hexadecimal digits."""
    return isinstance(value, str) and SHA256.fullmatch(value) is not None


def check_texts(value: Mapping[str, Any]) -> None:
    """Raise UserError unless the values of an entry are texts, and objects of texts that fit on a line."""
    for key in ("rule", "manifest"):
        _check(isinstance(value[key], str) and is_printable(value[key]), "not a name", key, value[key])
    for key in ("names", "maker"):
        _check(isinstance(value[key], dict), "not an object", key, value[key])
        for name, text in value[key].items():
            _check(isinstance(text, str) and is_printable(name + text), "not a text on one line", f"{key}.{name}", text)
    _check(isinstance(value["texts"], dict), "not an object", "texts", value["texts"])
    for name, text in value["texts"].items():
        _check(isinstance(text, str), "not a text", f"texts.{name}", text)
    ends = value["manifest"] == MANIFEST or value["manifest"].endswith(f".{MANIFEST}")
    _check(ends, "not the name of a manifest", "manifest", value["manifest"])


def check_names(names: Iterable[str]) -> None:
    """Raise UserError unless each name can be a file in the folder of the job, and none is a folder of another."""
    ordered = sorted(PurePosixPath(name) for name in names)
    for name in names:
        _check(is_inside(name), "the name of a file leads out of the folder of the job", "files", name)
    for path, later in pairwise(ordered):
        _check(path not in later.parents, "a file that is also a folder", "files", str(path))


def check_digests(files: Mapping[str, FileDigest]) -> None:
    """Raise UserError unless each file has a SHA-256 and a size."""
    for name, file in files.items():
        _check(is_sha256(file.sha256), "not a SHA-256", name, file.sha256)
        is_size = type(file.bytes) is int and 0 <= file.bytes <= MOST_BYTES
        _check(is_size, "not a size in bytes", name, file.bytes)


def is_inside(name: str) -> bool:
    """Return whether a name is a plain relative path of parts that a file system can store."""
    fits = all(len(part.encode(errors="replace")) <= LONGEST_PART for part in name.split("/"))
    return stays_inside(name) and PurePosixPath(name).as_posix() == name and name != "." and fits


def _check(is_right: bool, what: str, where: str, found: object) -> None:
    if not is_right:
        raise UserError(what, where=where, found=in_line(found))
