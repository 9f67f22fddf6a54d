"""The items of a list in a JSON file, one at a time, in flat memory."""

import io
import json
import re
from collections.abc import Iterator
from typing import Any

from docmt.base.artifacts import BYTE_ORDER_MARK
from docmt.base.errors import UserError
from docmt.base.foreign import first_line
from docmt.base.untrusted import LONGEST_LINE
from docmt.corpus.inputs import ReaderInputs

CHUNK = 1 << 20  # The number of characters that are read at once.
BETWEEN = re.compile(r"[\s,]*")  # What is between two items.


def is_list(inputs: ReaderInputs, path: str) -> bool:
    """Return whether a JSON file begins as a list; it may be one line of any length."""
    with inputs.opened(path) as stream:
        text = stream.read(CHUNK).removeprefix(BYTE_ORDER_MARK.encode()).lstrip()
        while not text and (chunk := stream.read(CHUNK)):
            text = chunk.lstrip()
    return text.startswith(b"[")


def json_items(inputs: ReaderInputs, path: str) -> Iterator[Any]:
    """Yield the items of a JSON list. Raises UserError for a file that is missing, damaged or no JSON."""
    file, decoder, number = inputs.display_name(path), json.JSONDecoder(), 1
    with inputs.opened(path) as stream:
        characters = io.TextIOWrapper(stream, "utf-8-sig")
        text, place = _more(characters, file).lstrip(), 1
        while True:
            place = BETWEEN.match(text, place).end()
            if text.startswith("]", place):
                return
            try:
                item, place = decoder.raw_decode(text, place)
            except (ValueError, RecursionError) as problem:
                # The end of an item may be in the part that is not read yet.
                more = _more(characters, file) if len(text) - place <= LONGEST_LINE else ""
                if not more:
                    mistake = problem.msg if isinstance(problem, json.JSONDecodeError) else first_line(problem)
                    raise UserError("not JSON", where=f"{file}:{number}", found=mistake) from None
                text, place = text[place:] + more, 0
                continue
            yield item
            number += 1


def _more(characters: io.TextIOWrapper, file: str) -> str:
    try:
        return characters.read(CHUNK)
    except UnicodeDecodeError as problem:
        raise UserError("not valid UTF-8", where=file, found=f"byte 0x{problem.object[problem.start]:02x}") from None
