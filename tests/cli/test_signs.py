"""No command waits in silence."""

import io
import time

import pytest

from docmt.base import screen
from docmt.cli.commands import FOR_YOU, STORE, command


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def wait() -> None:
    """Do the work of a command that is blocked."""
    time.sleep(0.2)


def signs(monkeypatch, stream: io.StringIO, name: str, function=wait) -> list[str]:
    """The lines that a command writes to standard error."""
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(screen, "FIRST_S", 0.05)
    command(name, function)([], standalone_mode=False)
    return stream.getvalue().splitlines()


COMMANDS = {*(name for names in FOR_YOU.values() for name in names), *STORE} - {"job"}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_blocked_command_shows_a_sign_at_a_terminal(monkeypatch, name):
    (line,) = signs(monkeypatch, Terminal(), name)
    assert line.startswith(f"docmt: {name} has been at work for 0.")


def test_a_log_has_a_line_a_minute(monkeypatch):
    assert signs(monkeypatch, io.StringIO(), "align") == []
    monkeypatch.setattr(screen, "EVERY_S", 0.05)
    assert len(signs(monkeypatch, io.StringIO(), "align")) > 1


def test_a_job_and_a_command_that_speaks_are_left_alone(monkeypatch):
    def speak() -> None:
        """Do work that says how far it is."""
        for number in range(10):
            screen.say(f"{number} of 10")
            time.sleep(0.02)

    assert signs(monkeypatch, Terminal(), "job") == []
    assert signs(monkeypatch, Terminal(), "align", speak) == [f"{number} of 10" for number in range(10)]
