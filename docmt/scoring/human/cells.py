"""Cells of a sheet that no spreadsheet takes as a formula, and their texts back again.

Spreadsheets compute a cell that begins with one of a few characters, blanks before it left out, also in their
full-width forms: a translation `=HYPERLINK(...)` would run on the annotator's machine (OWASP, CSV Injection).
"""

import re

SHIELD = "'"
"""Stands before a text that is dangerous; spreadsheets know it as the mark of a text."""

BLANK = r"[\s\u200b-\u200f\u2060\ufeff]"
"""What spreadsheets may leave out at the beginning: white space, and characters without width."""

FORMULA = "\t\r\n=+\\-@＝＋－＠"
"""What a formula begins with; a tab or a line's end is dangerous wherever it is the first character."""

DANGEROUS = re.compile(f"{BLANK}*[{FORMULA}]")
AMBIGUOUS = re.compile(f"{SHIELD}*{DANGEROUS.pattern}")
"""What gets a shield: also a text that looks like one with a shield, so that each is known from the other."""


def shielded(text: str) -> str:
    """
    >>> shielded("=1+1"), shielded("'=1+1"), shielded("1 = 1"), shielded("'tis")
    ("'=1+1", "''=1+1", '1 = 1', "'tis")
    """
    return SHIELD + text if AMBIGUOUS.match(text) else text


def unshielded(cell: str) -> str:
    """The text of a cell; also where a spreadsheet has taken the shield away.

    >>> unshielded("'=1+1"), unshielded("''=1+1"), unshielded("=1+1"), unshielded("'tis")
    ('=1+1', "'=1+1", '=1+1', "'tis")
    """
    return cell.removeprefix(SHIELD) if AMBIGUOUS.match(cell) else cell
