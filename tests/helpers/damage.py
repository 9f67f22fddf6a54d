"""Files as they are not meant to be, and commands that say so: one message, its status, no trace."""

import random
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.sealed import rewrite

from docmt.base.errors import TRY_AGAIN, USER_MISTAKE, UserError
from docmt.cli.main import main


def noise(data: bytes) -> bytes:
    """As long as the file, and not UTF-8."""
    return b"\xff" + random.Random(1).randbytes(max(len(data) - 1, 40))


DAMAGES: dict[str, Callable[[bytes], bytes] | None] = {
    "empty": lambda _: b"",
    "half": lambda data: data[: len(data) // 2],
    "noise": noise,
    "text": lambda _: b"this is something else\n",
    "list": lambda _: b"[1, 2]\n",
    "object": lambda _: b'{"a": {"b": [1]}}\n',
    "number": lambda _: b"3\n",
    "deep": lambda _: b"[" * 100_000,
    "missing": None,
    "folder": None,
}


@contextmanager
def damaged(path: Path, damage: str) -> Iterator[None]:
    """The file is as it was afterwards."""
    content = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    elif damage != "missing":
        path.write_bytes(DAMAGES[damage](content))
    try:
        yield
    finally:
        if path.is_dir():
            shutil.rmtree(path)
        path.write_bytes(content)


def told(capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, arguments: Sequence[object]) -> str:
    """The one message of a command that a user can mend: ours, or that of typer, in the form of ours."""
    monkeypatch.setattr(sys, "argv", ["docmt", *map(str, arguments)])
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main()
    printed = once(capsys.readouterr().err)
    assert end.value.code in (USER_MISTAKE, TRY_AGAIN), printed
    assert "Traceback" not in printed and "Aborted" not in printed
    if printed.startswith("Usage: "):
        _, try_help, error = (part.strip() for part in re.split("\n(?=Try |Error: )", printed.replace("\n\n", "\n")))
        return f"{error}\n  {try_help}"
    return the_message(printed)


def once(printed: str) -> str:
    """What was printed without its second half where this is the same: a job in this process logs its message too."""
    half = printed[: len(printed) // 2]
    return half if printed == half * 2 else printed


def the_message(printed: str) -> str:
    """The one message of docmt in what a command has printed, after lines of progress and the place of a job's log."""
    printed = re.sub(r"^docmt: .* failed; its log is .*\n", "", printed, flags=re.MULTILINE)
    assert printed.count("docmt: ") == 1, printed
    return printed[printed.index("docmt: ") :]


def check_message(message: str, name: str) -> None:
    """The file is named, and below the first line stands what was found or expected, or what to do."""
    assert name in message, message
    assert len(message.splitlines()) > 1, message
    assert all(line.startswith("  ") for line in message.splitlines()[1:]), message


def content_of(folder: Path) -> dict[str, bytes | None]:
    """All that is in a folder, by name; nothing for folders."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def changes(content: bytes) -> Iterator[bytes]:
    """The content with each byte changed by a bit, cut, and longer."""
    for place in range(len(content)):
        yield content[:place] + bytes([content[place] ^ 1 << place % 8]) + content[place + 1 :]
    yield from (b"", content[: len(content) // 2], content[:-1], content + b"\0", content + b"\n", content + content)


def refused_changes(path: Path, read: Callable[[], object]) -> int:
    """How many changes of a file its reader refuses, each with a message; after the others it reads the same."""
    content, expected, refused = path.read_bytes(), read(), 0
    for changed in changes(content):
        rewrite(path, changed)
        try:
            assert read() == expected, f"{changed!r} is read as something else"
        except UserError as problem:
            assert problem.status == USER_MISTAKE
            assert problem.where and problem.remedy
            refused += 1
    rewrite(path, content)
    assert read() == expected
    return refused
