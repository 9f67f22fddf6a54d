"""The journal of answers: what is in it survives any end of the job, and what is torn is asked again."""

import json
import os
import subprocess
import sys

import pytest
from helpers.support import ROOT

from docmt.base.errors import UserError
from docmt.external.ask import NAME, Journal


def test_answers_are_there_when_it_is_opened_again(tmp_path):
    journal = Journal(tmp_path / "state")
    assert journal.answers == {}
    journal.add("one", ["Eins.", "Zwei\u2028drei."])
    journal.add("two", [])
    assert Journal(tmp_path / "state").answers == {"one": ["Eins.", "Zwei\u2028drei."], "two": []}


def test_a_line_that_a_kill_cut_is_dropped_wherever_it_was_cut(tmp_path):
    journal = Journal(tmp_path)
    journal.add("one", ["Eins."])
    journal.add("two", ["Zwei. ü"])
    whole = journal.path.read_bytes()
    first = whole.index(b"\n") + 1
    for size in range(first, len(whole)):
        journal.path.write_bytes(whole[:size])
        journal = Journal(tmp_path)
        assert journal.answers == {"one": ["Eins."]}
        journal.add("two", ["Zwei. ü"])
        assert journal.path.read_bytes() == whole


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("no JSON", "jsonl:1: not a JSON line"),
        ('{"request": "x"}', "translations"),
        ('{"request": "x", "translations": "abc"}', "not a journal of answers"),
        ('{"request": "x", "translations": [1]}', "not a journal of answers"),
    ],
)
def test_a_damaged_line_is_refused(tmp_path, line, message):
    path = tmp_path / NAME
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(UserError) as refusal:
        Journal(tmp_path)
    assert message in str(refusal.value)
    assert path.read_text(encoding="utf-8") == line + "\n"


def test_a_journal_is_removed_with_its_folder_unless_something_else_is_there(tmp_path):
    folder = tmp_path / "state"
    journal = Journal(folder)
    (folder / "other").touch()
    journal.remove()
    assert [path.name for path in folder.iterdir()] == ["other"]
    (folder / "other").unlink()
    Journal(folder).remove()
    assert not folder.exists()


def test_an_answer_is_on_the_disk_when_add_returns(tmp_path):
    """The process ends at once after it, without any cleaning up."""
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from docmt.external.ask import Journal\n"
        f"Journal(Path({str(tmp_path)!r})).add('one', ['Eins.'])\n"
        "os._exit(9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={**os.environ}).returncode == 9
    lines = (tmp_path / NAME).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [{"request": "one", "translations": ["Eins."]}]
