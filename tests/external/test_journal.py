"""The journal of answers: what is in it survives any end of the job, and what is torn is asked again."""

import json
import os
import subprocess
import sys

import pytest
from helpers.support import ROOT

from docmt.base.errors import TRY_AGAIN, UserError
from docmt.external.journal import journal_path, open_journal, remove_journal

IDENTITY = "0123456789abcdef0123"


def test_answers_are_there_when_it_is_opened_again(tmp_path):
    with open_journal(tmp_path / "state", IDENTITY) as journal:
        assert journal.answers == {}
        journal.add("one", ["Eins.", "Zwei\u2028drei."])
        journal.add("two", [])
    with open_journal(tmp_path / "state", IDENTITY) as journal:
        assert journal.answers == {"one": ["Eins.", "Zwei\u2028drei."], "two": []}


def test_a_job_of_another_identity_has_no_answers(tmp_path):
    with open_journal(tmp_path, IDENTITY) as journal:
        journal.add("one", ["Eins."])
    with open_journal(tmp_path, IDENTITY[::-1]) as journal:
        assert journal.answers == {}


def test_a_line_that_a_kill_cut_is_dropped_wherever_it_was_cut(tmp_path):
    with open_journal(tmp_path, IDENTITY) as journal:
        journal.add("one", ["Eins."])
        journal.add("two", ["Zwei. ü"])
    path = journal_path(tmp_path, IDENTITY)
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for size in range(first, len(whole)):
        path.write_bytes(whole[:size])
        with open_journal(tmp_path, IDENTITY) as journal:
            assert journal.answers == {"one": ["Eins."]}
            journal.add("two", ["Zwei. ü"])
        assert path.read_bytes() == whole


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
    path = journal_path(tmp_path, IDENTITY)
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(UserError) as refusal, open_journal(tmp_path, IDENTITY):
        pass
    assert message in str(refusal.value)
    assert path.read_text(encoding="utf-8") == line + "\n"


def test_two_processes_do_not_ask_at_the_same_time(tmp_path):
    with (
        open_journal(tmp_path, IDENTITY),
        pytest.raises(UserError, match="another process asks") as refusal,
        open_journal(tmp_path, IDENTITY),
    ):
        pass
    assert refusal.value.status == TRY_AGAIN


def test_a_journal_is_removed_alone(tmp_path):
    folder, other = tmp_path / "state", IDENTITY[::-1]
    for identity in (IDENTITY, other):
        with open_journal(folder, identity):
            pass
    remove_journal(folder, IDENTITY)
    assert list(folder.iterdir()) == [journal_path(folder, other)]
    remove_journal(folder, other)
    assert not folder.exists()


def test_an_answer_is_on_the_disk_when_add_returns(tmp_path):
    """The process ends at once after it, without any cleaning up."""
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from docmt.external.journal import open_journal\n"
        f"with open_journal(Path({str(tmp_path)!r}), {IDENTITY!r}) as journal:\n"
        "    journal.add('one', ['Eins.'])\n"
        "    os._exit(9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={**os.environ}).returncode == 9
    lines = journal_path(tmp_path, IDENTITY).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [{"request": "one", "translations": ["Eins."]}]
