"""Quotes around the cells of a TSV, as csv, pandas and Excel write them, or of the text itself."""

import csv
import re
from collections.abc import Iterator
from typing import BinaryIO

from docmt.base.artifacts import BYTE_ORDER_MARK
from docmt.corpus.inputs import ReaderInputs

CHUNK = 1 << 20
CELL = re.compile(r'"(?:[^"]|"")*"')  # The pattern of a cell in quotes: quotes inside are doubled.
DOUBLED = b'""'


def has_quotes(inputs: ReaderInputs, path: str) -> bool:
    """Return whether the cells of a TSV may be in quotes: the file keeps the rules of csv, and shows that it does.

    It shows it by a cell with doubled quotes inside of quotes, as in `"He said ""no""."`, or by a first row whose cells
    are all in quotes. Quotes of the text itself keep no rules: `"No," he said.` Raises UserError for a missing or
    damaged file.
    """
    with inputs.opened(path) as stream:
        if not _may_have_quotes(stream):
            return False
    shown = False

    def lines() -> Iterator[str]:
        nonlocal shown
        for number, line in enumerate(stream):
            text = line.decode("utf-8", errors="replace").rstrip("\r\n")
            if not shown and '"' in text:
                cells = text.removeprefix(BYTE_ORDER_MARK).split("\t")
                quoted = [cell for cell in cells if CELL.fullmatch(cell)]
                shown = any('""' in cell[1:-1] for cell in quoted) or (number == 0 and len(quoted) == len(cells))
            yield f"{text}\n"

    with inputs.opened(path) as stream:
        try:
            for _ in csv.reader(lines(), delimiter="\t", strict=True):
                pass
        except csv.Error:
            return False
    return shown


def _may_have_quotes(stream: BinaryIO) -> bool:
    # This quick look is all that a file without such quotes costs.
    chunk = stream.read(CHUNK)
    if chunk.removeprefix(BYTE_ORDER_MARK.encode()).startswith(b'"'):
        return True
    last = b""
    while chunk:
        if DOUBLED in last + chunk:
            return True
        last = chunk[-1:]
        chunk = stream.read(CHUNK)
    return False
