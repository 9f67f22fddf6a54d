"""Text files, plain or compressed by gzip, line by line."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from docmt.base.foreign import reading
from docmt.base.texts import BYTE_ORDER_MARK
from docmt.corpus.problems import Problems

DAMAGED = "compressed file is damaged or truncated"


def read_lines(path: Path, shown: str, problems: Problems) -> Iterator[str]:
    """Lines are told apart by line feeds alone: other separators that Unicode knows may stand inside a sentence.

    Reports invalid UTF-8. Raises UserError for a missing or damaged file; it is `shown` in messages.
    """
    with reading(shown, DAMAGED, remedy="remove it, and make or fetch it again"), _opened(path) as stream:
        for number, line in enumerate(stream, 1):
            text = _decoded(line, f"{shown}:{number}", problems).rstrip("\r\n")
            yield text.removeprefix(BYTE_ORDER_MARK) if number == 1 else text


def _opened(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _decoded(line: bytes, where: str, problems: Problems) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as problem:
        found = f"byte 0x{line[problem.start]:02x} at column {problem.start + 1}"
        problems.report("not valid UTF-8", where=where, found=found)
        return line.decode("utf-8", errors="replace")
