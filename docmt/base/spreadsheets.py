"""The one writer of CSV and TSV, whose cells a spreadsheet program reads as text.

A spreadsheet program computes a cell that begins with the first character of a formula, such as `=`, also in its
full-width form and after blanks. A translation `=HYPERLINK(...)` would run on the computer of whoever opens the table
(OWASP, CSV Injection), and a list `-1 -2` would become -3. Such a cell is written with a shield, an apostrophe, which
makes the cell a text; a number stays a number. Readers of docmt remove the shield: any text comes back as it was.
"""

import csv
import io
import re
from collections.abc import Iterable

# The character that is written before a dangerous text; spreadsheet programs read it as the mark of a text cell.
SHIELD = "'"
BLANK = r"[\s\"\u200b-\u200f\u2060\ufeff]"
"""The characters that spreadsheet programs may leave out before a formula: white space, characters without width, and
the quote, which TSV has as it is."""
# The first characters of formulas, and the tab, carriage return and line feed, which are dangerous there too.
FORMULA = "\t\r\n=+\\-@＝＋－＠"
DANGEROUS = re.compile(f"{BLANK}*[{FORMULA}]")  # The pattern of a text that a spreadsheet program may compute.
# The pattern of a number, which is no formula.
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
BREAKS = re.compile(r"[\t\r\n]")  # The pattern of what ends a cell of TSV.
SHIELDED = re.compile(f"{SHIELD}+{DANGEROUS.pattern}")
"""The pattern of a cell with a shield. A text that looks like one gets a shield too, so that removing one shield always
restores the text."""


def shield(text: str) -> str:
    """Return the cell of a text: the text, with a shield where a spreadsheet program would compute it.

    >>> shield("=1+1"), shield("'=1+1"), shield("1 = 1"), shield("'tis"), shield("-1.5"), shield("- Yes")
    ("'=1+1", "''=1+1", '1 = 1', "'tis", '-1.5', "'- Yes")
    """
    is_dangerous = DANGEROUS.match(text) and not NUMBER.fullmatch(text)
    return SHIELD + text if is_dangerous or SHIELDED.match(text) else text


def unshield(cell: str) -> str:
    """Return the text of a cell, without its shield, which a spreadsheet program may have removed already.

    >>> unshield("'=1+1"), unshield("''=1+1"), unshield("=1+1"), unshield("'tis")
    ('=1+1', "'=1+1", '=1+1', "'tis")
    """
    return cell.removeprefix(SHIELD) if SHIELDED.match(cell) else cell


def csv_lines(rows: Iterable[Iterable[object]], is_quoted: bool = False) -> str:
    """Return rows as CSV with Unix line ends; `is_quoted`: quote every cell. None is an empty cell."""
    out = io.StringIO()
    for row in rows:
        # Python quotes the characters of the line end that it writes itself: a carriage return in a cell ends no row.
        line = io.StringIO()
        csv.writer(line, quoting=csv.QUOTE_ALL if is_quoted else csv.QUOTE_MINIMAL).writerow(map(_cell, row))
        out.write(line.getvalue().removesuffix("\r\n") + "\n")
    return out.getvalue()


def tsv_line(cells: Iterable[object], is_shielded: bool = True) -> str:
    """Return cells as a line of TSV without its line feed. TSV has no quotes: a tab or a line end becomes a space.

    `is_shielded`: false for a stand-in of a file of others, which has its bytes and which their program would read.
    """
    texts = (BREAKS.sub(" ", cell) if isinstance(cell, str) else cell for cell in cells)
    return "\t".join(map(_cell if is_shielded else str, texts))


def _cell(value: object) -> str:
    return "" if value is None else shield(str(value))
