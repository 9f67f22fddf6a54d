"""One rule for every name that becomes part of a path, and one for every path that a user states.

Names of corpora, texts, scales, studies, systems, tables, figures and checkpoints stand in paths under `results/` and
in commands. Paths of the user's (a mirror, a model's folder) may be any that the system has, and are used as they are
written; what is refused could not be shown in one line, or names nothing.
"""

import re
import unicodedata
from pathlib import PurePosixPath
from typing import Literal

from docmt.base.errors import UserError, quoted

SPLITS = ("train", "dev", "test")
"""Parts of a corpus."""

DeviceName = Literal["auto", "cpu", "cuda"]
"""What a user calls a device; `auto` is the GPU where there is one."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
LONGEST_NAME = 100
"""Characters. A part of a path may have 255 bytes, and names are joined, as in `<system>@<study>`."""
NAMES_HAVE = f"letters (a to z), digits and . _ + -, the first a letter or digit, at most {LONGEST_NAME} of them"

LANGUAGE = re.compile(r"[a-z]{2,3}")
LANGUAGES_ARE = "a code of a language, such as zh or en"

LONGEST_FILE_NAME = 200
"""Bytes; what stands before and after the name while the file is written needs some of the 255."""
FILE_NAMES_HAVE = (
    f"a file name without a folder, of printable characters, at most {LONGEST_FILE_NAME} bytes, that begins with no "
    "blank, hyphen or dot and has no { or }"
)
LONGEST_PATH = 1000
PATHS_HAVE = f"a path of printable characters, at most {LONGEST_PATH} of them"
INSIDE = "a path inside the corpus' files, without .."


def is_name(name: object) -> bool:
    return isinstance(name, str) and len(name) <= LONGEST_NAME and NAME.fullmatch(name) is not None


def check_name(what: str, name: object, where: str) -> None:
    """Raises UserError unless `name` follows the rule of names; `what` says what it is a name of."""
    if not is_name(name):
        remedy = f"rename the {what}: its name becomes part of paths"
        raise UserError(f"not a name of a {what}", where=where, found=quoted(name), expected=NAMES_HAVE, remedy=remedy)


def is_language(code: str) -> bool:
    return LANGUAGE.fullmatch(code) is not None


def is_printable(text: str) -> bool:
    """Whether no character is a control character, a mark that turns the direction of writing, or half a symbol."""
    return not any(unicodedata.category(character).startswith("C") for character in text)


def is_file_name(name: str) -> bool:
    """Whether a file may be stored by this name, with whatever stands beside it while it is written."""
    return (
        name == name.strip()
        and not name.startswith(("-", "."))
        and not set(name) & set("/\\{}")
        and is_printable(name)
        and 0 < len(name.encode(errors="replace")) <= LONGEST_FILE_NAME
    )


def is_path(path: str) -> bool:
    """Whether a user may state this path; nothing is said of whether it is there."""
    return path.strip() != "" and len(path) <= LONGEST_PATH and is_printable(path)


def stays_inside(path: str) -> bool:
    """Whether a path leads to something inside the folder that it starts from."""
    return is_path(path) and not path.startswith("/") and ".." not in PurePosixPath(path).parts
