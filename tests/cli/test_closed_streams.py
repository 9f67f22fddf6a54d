"""Standard streams that are closed, full, or of the wrong kind: a message where there is a stream for it, no trace."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.damage import content_of

DOCMT = Path(sys.executable).parent / "docmt"
LINKS = "score-links --gold links --links links"
CLOSED_OUT = "docmt: standard output: it is closed\n"
CLOSED_IN = "docmt: standard input: it is closed\n"
FULL = "docmt: standard output: the disk is full\n"
STREAMS: dict[str, tuple[str, int, str]] = {
    "output is closed": (f"{LINKS} >&-", 2, CLOSED_OUT),
    "output is full": (f"{LINKS} >/dev/full", 2, FULL),
    "output can only be read": (f"{LINKS} 1</dev/null", 2, CLOSED_OUT),
    "output of help is closed": ("score-links --help >&-", 2, CLOSED_OUT),
    "the version and closed output": ("--version >&-", 2, CLOSED_OUT),
    "input is closed": ("score-links --gold links --links - <&-", 2, CLOSED_IN),
    "input can only be written": ("score-links --gold links --links - 0>/dev/null", 2, CLOSED_IN),
    "input and output are closed": ("score-links --gold links --links - <&- >&-", 2, CLOSED_IN),
    "input is closed and not needed": (f"{LINKS} <&-", 0, ""),
    "standard error is closed": (f"{LINKS} 2>&-", 0, ""),
    "standard error is closed for a message": ("score-links --gold links --links no 2>&-", 2, ""),
    "standard error is full": ("score-links --gold links --links no 2>/dev/full", 2, ""),
    "all are closed": (f"{LINKS} <&- >&- 2>&-", 2, ""),
    "all are closed and a file is written": ("init out <&- >&- 2>&-", 2, ""),
    "a reader that has seen enough": (f"{LINKS} | true", 1, ""),
}
"""What a shell is told, the status, and the message."""


@pytest.mark.some(6)
@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_cannot_be_used(name, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work/links").write_text("0-0 1-1\n" * 2000)
    before = content_of(tmp_path)
    words, status, message = STREAMS[name]
    command = ["bash", "-c", f"set -o pipefail; {DOCMT} {words}"]
    done = subprocess.run(command, cwd=tmp_path / "work", capture_output=True, text=True)
    assert done.returncode == status
    assert done.stderr.startswith(message) and done.stderr.count("docmt: ") == (message != "")
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
    written = {name: data for name, data in content_of(tmp_path).items() if not name.startswith("work/out")}
    assert written == before


def test_output_is_utf_8_in_any_locale():
    code = "from docmt.cli.main import open_closed_streams; open_closed_streams(); print('中')"
    for encoding in ("latin-1", "gb18030"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
        assert subprocess.check_output([sys.executable, "-c", code], env=environment) == "中\n".encode()
