"""Text files as people and programs write them: UTF-8, with or without a byte order mark."""

from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.foreign import reading

BYTE_ORDER_MARK = "\ufeff"
"""Some editors put it before a text; it is none of its characters."""


def decoded(data: bytes, where: str) -> str:
    """The text without a byte order mark. Raises UserError, with the line, for what is not UTF-8."""
    try:
        return data.decode("utf-8").removeprefix(BYTE_ORDER_MARK)
    except UnicodeDecodeError as problem:
        before = data[: problem.start]
        line, column = before.count(b"\n") + 1, problem.start - before.rfind(b"\n")
        raise UserError(
            "not valid UTF-8",
            where=f"{where}:{line}",
            found=f"byte 0x{data[problem.start]:02x} at column {column} ({problem.reason})",
            remedy="save it as UTF-8, or make or fetch it again",
        ) from None


def read_text(path: Path | str) -> str:
    """Raises UserError where the file cannot be read, or is not UTF-8."""
    with reading(path, "cannot be read"):
        data = Path(path).read_bytes()
    return decoded(data, str(path))


def read_lines(path: Path | str) -> list[str]:
    """Lines end at line feeds only: str.splitlines would also cut at U+2028 and its like inside a sentence.

    Raises UserError as `read_text` does.
    """
    text = read_text(path)
    return text.removesuffix("\n").split("\n") if text else []
