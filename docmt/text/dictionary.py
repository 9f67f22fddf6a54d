"""Dictionaries of fairseq: a piece and its count a line, in the order of their numbers."""

from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.texts import read_lines


def read_dictionary(path: Path | str) -> tuple[str, ...]:
    """The pieces of a `dict.<language>.txt`, in order.

    Raises UserError where the file is missing, is not UTF-8, or has a line that is no piece with its count.
    """
    lines = read_lines(path)
    if not lines:
        raise UserError("an empty dictionary", where=str(path), expected="a piece and its count a line")
    return tuple(_piece(line, f"{path}:{number}") for number, line in enumerate(lines, start=1))


def _piece(line: str, where: str) -> str:
    piece, _, count = line.rstrip().rpartition(" ")
    if not piece or not count.isdecimal():
        raise UserError("not an entry of a fairseq dictionary", where=where, found=repr(line), expected="piece count")
    return piece
