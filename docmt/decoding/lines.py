"""Documents as lines of text: a line a sentence, a blank line between documents."""

from docmt.base.texts import decoded
from docmt.decoding.segments import Sentence


def read_lines(data: bytes, where: str) -> list[str]:
    """Raises UserError, with the number of the line, for what is not UTF-8."""
    text = decoded(data, where)
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


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
