"""How `docmt` ends: by one message and a status, whatever went wrong; with a trace only for mistakes of its own."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from docmt.base.errors import INTERRUPTED, TRY_AGAIN, UserError
from docmt.cli.main import main

DOCMT = Path(sys.executable).parent / "docmt"
READER = "docmt.scoring.plain_files.read_plain_files"
SCORE = ("score", "--hypotheses", "a", "--reference", "b")


@pytest.fixture
def ends(capsys, monkeypatch):
    """Status and message of a command in whose midst an exception is raised."""

    def run(problem: BaseException) -> tuple[int, str]:
        def fail(*_: object) -> None:
            raise problem

        monkeypatch.setattr(READER, fail)
        monkeypatch.setattr(sys, "argv", ["docmt", *SCORE])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code, capsys.readouterr().err

    return run


@pytest.mark.parametrize(
    ("problem", "status", "message"),
    [
        (UserError("what", where="a"), 2, "docmt: a: what\n"),
        (UserError("what", status=TRY_AGAIN), 75, "docmt: what\n"),
        (OSError(errno.EROFS, "Read-only file system", "a/b"), 2, "docmt: a/b: the file system is read-only\n"),
        (OSError(errno.ESTALE, "Stale file handle", "a/b"), 75, "docmt: a/b: the system says: Stale file handle\n"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), 2, "docmt: not valid UTF-8\n"),
        (EOFError("Ran out of input"), 2, "docmt: a file ends too early\n"),
        (KeyboardInterrupt(), 130, "docmt: interrupted\n"),
    ],
)
def test_the_end_is_a_message(ends, problem, status, message):
    outcome = ends(problem)
    assert outcome[0] == status
    assert outcome[1].startswith(message) and outcome[1].count("docmt: ") == 1


def test_a_command_that_ends_as_interrupted_after_its_own_line_gets_no_second_one(ends):
    """As a training does, whose line names the checkpoint that stays."""
    assert ends(typer.Exit(INTERRUPTED)) == (INTERRUPTED, "")


@pytest.mark.parametrize("mistake", [KeyError("a"), RuntimeError("b"), AssertionError()])
def test_mistakes_of_ours_keep_their_trace(ends, mistake):
    with pytest.raises(type(mistake)):
        ends(mistake)


@pytest.mark.parametrize("problem", [UserError("what"), OSError(errno.EROFS, "no", "a")])
def test_a_trace_can_be_asked_for(ends, monkeypatch, problem):
    monkeypatch.setenv("DOCMT_DEBUG", "1")
    with pytest.raises(type(problem)):
        ends(problem)


def test_a_wrong_option_is_told_as_before(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["docmt", "score", "--no-such"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2 and "No such option" in capsys.readouterr().err


def texts(folder: Path, lines: int = 3) -> list[str]:
    (folder / "a").write_text("one two three four\n" * lines)
    return [str(DOCMT), "align", "--source", str(folder / "a"), "--target", str(folder / "a")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_standard_output_on_a_full_disk(tmp_path):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(texts(tmp_path), stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert "docmt: standard output: the disk is full\n" in done.stderr
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


def test_a_reader_that_has_seen_enough(tmp_path):
    """As with `docmt align ... | head`."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(texts(tmp_path, 2000), stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


def test_ctrl_c(tmp_path):
    """Once it waits for a file that never comes."""
    os.mkfifo(tmp_path / "b")
    (tmp_path / "a").write_text("one\n")
    command = [str(DOCMT), "align", "--source", str(tmp_path / "a"), "--target", str(tmp_path / "b")]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    with running, (tmp_path / "b").open("w"):  # which waits until the other end is open
        running.send_signal(signal.SIGINT)
        _, printed = running.communicate()
    assert running.returncode == 130
    assert printed == "docmt: interrupted\n"
