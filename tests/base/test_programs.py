"""Programs beside docmt: their answers, their failures, and their ends."""

import sys
from pathlib import Path

import pytest
from helpers.support import ROOT

from docmt.base.errors import UserError
from docmt.base.programs import Program, Request

ANSWERING = ROOT / "tests/helpers/answering.py"
REQUESTS = [Request(str(number), {"sentences": [f"a{number}", "b"]}, "translations", str, 2) for number in range(4)]


class Conversation:
    """The answers of the program `tests/helpers/answering.py`, and what it has noted."""

    def __init__(self, folder: Path, way: str = "well", number: str = "1", **limits: float) -> None:
        self.state = folder / "state"
        command = [sys.executable, "-S", str(ANSWERING), str(self.state), way, number]
        self.program = Program(command, "the setting", **{"timeout_seconds": 20, "retries": 1, **limits})

    def answers(self) -> dict[str, list[str]]:
        return {request.id: answer["translations"] for request, answer in self.program.answers(REQUESTS)}

    @property
    def notes(self) -> list[str]:
        return self.state.read_text(encoding="utf-8").splitlines()


EXPECTED = {str(number): [f"A{number}", "B"] for number in range(4)}


@pytest.mark.parametrize("at_once", [1, 3, 9])
def test_each_request_is_answered_once_and_the_program_ends(tmp_path, at_once):
    conversation = Conversation(tmp_path, at_once=at_once)
    assert conversation.answers() == EXPECTED
    assert conversation.notes == ["start", *EXPECTED, "end"]


@pytest.mark.parametrize("way", ["crash", "kill", "short", "error", "broken"])
@pytest.mark.parametrize("at_once", [1, 3])
def test_a_failure_is_repaired_by_a_new_start(tmp_path, capfd, way, at_once):
    conversation = Conversation(tmp_path, way, at_once=at_once)
    assert conversation.answers() == EXPECTED
    assert conversation.notes.count("start") == 2
    assert "the setting: " in capfd.readouterr().err


def test_an_answer_that_does_not_come_in_time_is_a_failure(tmp_path, capfd):
    conversation = Conversation(tmp_path, "late", timeout_seconds=1)
    assert conversation.answers() == EXPECTED
    assert conversation.notes == ["start", "0", "1", "start", "1", "2", "3", "end"]
    assert "no answer in 1 seconds; the program is started again" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("way", "what"),
    [
        ("crash!", "it ended with status 3, for the request '1', which was sent 3 times"),
        ("kill!", "it was ended by signal 9"),
        ("short!", "1 translations, where 2 were asked for"),
        ("error!", "the program says: 'quota used up'"),
        ("broken!", "translations with a line break"),
    ],
)
def test_a_request_that_always_fails_is_refused(tmp_path, way, what):
    conversation = Conversation(tmp_path, way, retries=2)
    with pytest.raises(UserError, match="gave no usable answer") as refusal:
        conversation.answers()
    assert what in str(refusal.value)
    assert conversation.notes.count("1") == 3


def test_a_second_answer_is_ignored(tmp_path, capfd):
    conversation = Conversation(tmp_path, "twice")
    assert conversation.answers() == EXPECTED
    assert "a second answer to '1' was ignored" in capfd.readouterr().err
    assert conversation.notes.count("start") == 1


@pytest.mark.parametrize(
    ("way", "what", "line"),
    [
        ("garbage", "not a line of JSON with the id of a request", "Loading the model"),
        ("stranger", "an answer to no request", "no such id"),
        ("number", "an answer without 'translations', a list of texts", "[1, 1]"),
        ("nothing", "an answer without 'translations', a list of texts", '{"id": "1"}'),
    ],
)
def test_a_line_that_is_no_answer_is_refused_at_once(tmp_path, way, what, line):
    conversation = Conversation(tmp_path, way, retries=9)
    with pytest.raises(UserError, match=r"^the setting: the program wrote") as refusal:
        conversation.answers()
    assert what in str(refusal.value)
    assert line in str(refusal.value)
    assert conversation.notes[:3] == ["start", "0", "1"] and "2" not in conversation.notes


def test_numbers_are_finite():
    code = "import json, sys\nfor line in sys.stdin: print(json.dumps({'id': json.loads(line)['id'], 's': [%s]}))"
    for number, is_number in [("1", True), ("0.5", True), ("float('nan')", False), ("10**400", False), ("True", False)]:
        program = Program([sys.executable, "-Suc", code % number], "the setting", 20)
        if is_number:
            ((_, answer),) = program.answers([Request("a", {}, "s", float, 1)])
            assert answer["s"] == [eval(number)]
            continue
        with pytest.raises(UserError, match="a list of finite numbers"):
            list(program.answers([Request("a", {}, "s", float, 1)]))


@pytest.mark.parametrize("command", [["no-such-program"], ["/"], [str(ROOT / "README.md")]])
def test_a_program_that_cannot_be_started_is_refused(command):
    program = Program(command, "the setting", 20, retries=5)
    with pytest.raises(UserError, match=r"^the setting: the program cannot be started"):
        list(program.answers(REQUESTS))


def test_without_requests_no_program_is_started():
    assert list(Program(["no-such-program"], "the setting", 20).answers([])) == []


def test_large_requests_and_answers_do_not_wait_for_each_other(tmp_path):
    """The program writes its first answers before it has read the later requests: pipes hold 64 KiB."""
    conversation = Conversation(tmp_path, at_once=4)
    large = [Request(str(n), {"sentences": ["x" * 200_000] * 2}, "translations", str, 2) for n in range(4)]
    answers = [answer for _, answer in conversation.program.answers(large)]
    assert [answer["translations"][1] for answer in answers] == ["X" * 200_000] * 4


def test_the_next_request_is_sent_after_the_answer_was_used(tmp_path):
    conversation = Conversation(tmp_path)
    answers = conversation.program.answers(REQUESTS)
    next(answers)
    assert conversation.notes[:2] == ["start", "0"]
    answers.close()
    assert "1" not in conversation.notes
