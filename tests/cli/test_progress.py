"""What is seen of a long command: a line a minute, or a bar; and tables that fit the terminal."""

import sys
from functools import partial

from docmt.base import screen
from docmt.base.screen import progress_display


def test_a_log_gets_a_line_a_minute(capsys, monkeypatch):
    now = iter([0.0, 30.0, 60.0, 90.0, 125.0])
    clock = partial(screen.Minutes, clock=lambda: next(now))
    monkeypatch.setattr(screen, "Minutes", clock)
    with progress_display("decoding", "segments") as progress:
        for done in range(1, 5):
            progress(done, 4, 1000 * done)
    assert capsys.readouterr().err.splitlines() == [
        "decoding: 2 of 4 segments, 33 source pieces/s",
        "decoding: 4 of 4 segments, 32 source pieces/s",
    ]


def test_a_terminal_gets_a_bar(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress_display("decoding", "segments") as progress:
        progress(1, 2, 100)
        progress(2, 2, 200)
    assert capsys.readouterr().out == ""


def test_nothing_is_shown_of_a_quick_command(capsys):
    with progress_display("decoding", "segments") as progress:
        progress(1, 1, 100)
    assert capsys.readouterr() == ("", "")


def test_a_table_fits_the_terminal_and_is_whole_in_a_file(monkeypatch, capsys):
    columns, rows = ("folder", "size"), [("results/5_training/toy_zh-en/sentence", "1 MB")]
    screen.show_table(columns, rows, ("size",))
    whole = capsys.readouterr().out
    assert whole.splitlines()[1] == "results/5_training/toy_zh-en/sentence  1 MB"
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    screen.show_table(columns, rows, ("size",))
    assert capsys.readouterr().out.splitlines()[1] == "results/5_training/toy_zh-en/…"
