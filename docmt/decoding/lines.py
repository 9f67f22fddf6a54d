"""Documents as lines of text: a line a sentence, a blank line between documents."""

from docmt.core.errors import UserError
from docmt.decoding.segments import Sentence


def read_lines(data: bytes, where: str) -> list[str]:
    """Raises UserError, with the number of the line, for what is not UTF-8."""
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    for number, line in enumerate(lines, start=1):
        try:
            lines[number - 1] = line.decode("utf-8").removesuffix("\r")
        except UnicodeDecodeError as problem:
            raise UserError("not valid UTF-8", where=f"{where}:{number}", found=problem.reason) from None
    return lines


def document_numbers(lines: list[str], ids: list[Sentence]) -> dict[int, int]:
    """For each line that has anything to translate the number of its document, from 0 on, in order.

    A blank line ends a document; a line of which no piece is left (say, of invisible characters) does not.
    """
    numbers: dict[int, int] = {}
    number, written = 0, False
    for index, line in enumerate(lines):
        if ids[index]:
            numbers[index], written = number, True
        elif not line.strip() and written:
            number, written = number + 1, False
    return numbers
