"""The rule for names that become parts of paths, and the rule for paths that a user states.

Names of corpora, texts, scales, studies, systems, tables, figures and checkpoints are parts of paths under `results/`
and of commands. A path that a user states (a mirror, a model's folder) may be any path of the system and is used as it
is written, unless it is empty, too long or cannot be printed on one line.
"""

import re
import unicodedata
from pathlib import PurePosixPath
from typing import Literal

from docmt.base.errors import UserError, quoted

SPLITS = ("train", "dev", "test")  # The splits of a corpus.

# The name of a device in settings and on command lines; `auto` is the GPU where there is one, else the CPU.
DeviceName = Literal["auto", "cpu", "cuda"]

# What a sheet does with pairs of identical translations: it counts them as equal, draws none, or asks about them.
Identical = Literal["filled", "left_out", "asked"]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")  # The pattern of a name that becomes a part of a path.
LONGEST_NAME = 100
"""The largest number of characters of a name. A part of a path may have 255 bytes, and names are joined, as in
`<system>@<study>`."""
NAMES_HAVE = f"letters (a to z), digits and . _ + -, the first a letter or digit, at most {LONGEST_NAME} of them"

# The languages that write no spaces between words; their texts are compared by characters.
UNSPACED = ("zh", "ja", "th")
LANGUAGE = re.compile(r"[a-z]{2,3}")
LANGUAGES_ARE = "a code of a language, such as zh or en"

LONGEST_FILE_NAME = 200
"""The largest number of bytes of a file name. A part of a path may have 255 bytes, and the temporary name of a file
that is being written is longer than its name."""
FILE_NAMES_HAVE = (
    f"a file name without a folder, of printable characters, at most {LONGEST_FILE_NAME} bytes, that begins with no "
    "blank, hyphen or dot and has no { or }"
)
LONGEST_PATH = 1000  # The largest number of characters of a path.
PATHS_HAVE = f"a path of printable characters, at most {LONGEST_PATH} of them"
INSIDE = "a path inside the corpus' files, without .."


def is_name(name: object) -> bool:
    """Return whether `name` follows the rule of names that become parts of paths."""
    return isinstance(name, str) and len(name) <= LONGEST_NAME and NAME.fullmatch(name) is not None


def check_name(what: str, name: object, where: str) -> None:
    """Raise UserError unless `name` follows the rule of names; `what` is the noun for messages, such as corpus."""
    if not is_name(name):
        remedy = f"rename the {what}: its name becomes part of paths"
        raise UserError(f"not a name of a {what}", where=where, found=quoted(name), expected=NAMES_HAVE, remedy=remedy)


def is_language(code: str) -> bool:
    """Return whether `code` has the form of a language code, such as zh."""
    return LANGUAGE.fullmatch(code) is not None


def is_printable(text: str) -> bool:
    """Return whether a text has no control character, no mark of writing direction and no half of a surrogate pair."""
    if text.isascii():
        return text.isprintable()
    return not any(unicodedata.category(character).startswith("C") for character in text)


def is_file_name(name: str) -> bool:
    """Return whether a file can be stored under this name, and under its temporary name while it is being written."""
    return (
        name == name.strip()
        and not name.startswith(("-", "."))
        and not set(name) & set("/\\{}")
        and is_printable(name)
        and 0 < len(name.encode(errors="replace")) <= LONGEST_FILE_NAME
    )


def is_path(path: str) -> bool:
    """Return whether a user may state this path; the path need not exist."""
    return path.strip() != "" and len(path) <= LONGEST_PATH and is_printable(path)


def stays_inside(path: str) -> bool:
    """Return whether a relative path stays inside the folder at which it starts."""
    return is_path(path) and not path.startswith("/") and ".." not in PurePosixPath(path).parts
