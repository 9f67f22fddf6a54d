"""Programs that mean harm: one message in time, no process of their group stays, and no other one is ended."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.damage import content_of
from helpers.support import ROOT

from docmt.base.errors import USER_MISTAKE, UserError
from docmt.base.programs import Program, Request

REQUESTS = [Request(name, {}, "translations", str, 1) for name in ("1", "2")]
ANSWER = r"""echo '{"id": "1", "translations": ["a"]}'"""
READ = "read line; "
ENDLESS = "while :; do sleep 0.01; done"
TIMEOUT_S = 0.6
IN_TIME_S = 10.0
LATE = "no answer in 0.6 seconds"
NO_JSON = "the program wrote not a line of JSON with the id of a request"
NO_START = "the program cannot be started"


def sh(script: str) -> list[str]:
    return ["bash", "-c", script]


def python(script: str) -> list[str]:
    return [sys.executable, "-Sc", f"import os, signal, sys, time\n{script}"]


PROGRAMS: dict[str, tuple[list[str], str]] = {
    "never answers": (sh(READ + "exec sleep 60"), LATE),
    "writes to standard error without end": (sh("while :; do echo noise >&2; sleep 0.001; done"), LATE),
    "writes a byte now and then": (sh("while :; do printf x; sleep 0.01; done"), LATE),
    "writes a line without an end": (sh("exec cat /dev/zero"), "more than 67,108,864 bytes"),
    "answers for ever": (sh(f"while :; do {ANSWER}; done"), "an answer to no request, or the third to one"),
    "answers twice and waits": (sh(f"{ANSWER}; {ANSWER}; exec sleep 60"), LATE),
    "closes its output and lives": (sh("exec >&-; exec sleep 60"), "it closed its standard output"),
    "ignores signals": (sh("trap '' TERM INT HUP PIPE; " + ENDLESS), LATE),
    "ends well without an answer": (sh(READ + "exit 0"), "it ended with status 0"),
    "kills its group": (sh("sleep 60 & kill -KILL 0"), "it was ended by signal 9"),
    "writes NUL bytes": (sh(r"printf '\0\0\0\n'"), NO_JSON),
    "writes no UTF-8": (sh(r"""printf '{"id": "1", "translations": ["\xff"]}\n'"""), NO_JSON),
    "writes half a character": (
        python("""print('{"id": "1", "translations": ["' + chr(92) + 'ud800"]}')"""),
        "a list of texts",
    ),
    "writes a deep value": (python("print('[' * 1_000_000)"), NO_JSON),
    "leaves children behind": (sh("for n in {1..50}; do sleep 60 & done; exit 3"), LATE),
    "is no program": ([str(ROOT / "README.md")], NO_START),
    "has no interpreter": (["./no-interpreter"], NO_START),
    "has a NUL byte": (["./noise", "\0"], NO_START),
    "has too many words": (["true", *["x" * 100_000] * 30], NO_START),
}  # fmt: skip


def holders(canary: str) -> list[str]:
    """The processes that have the canary in their environment or command line, but for those that have ended."""
    result = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if any(canary.encode() in (folder / name).read_bytes() for name in ("environ", "cmdline")):
                result.append(f"{folder.name} {(folder / 'cmdline').read_bytes()!r}")
        except OSError:
            continue
    return result


@pytest.fixture
def canary(tmp_path, monkeypatch) -> Iterator[str]:
    """A word in the environment of all children; none has it at the end, nor are there zombies."""
    word = f"canary-{time.monotonic_ns()}"
    (tmp_path / "work" / "here").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work" / "here")
    for name, content in (("no-interpreter", b"#!/no/such/program\n"), ("noise", b"\x7fELF" + bytes(100))):
        Path(name).write_bytes(content)
        Path(name).chmod(0o755)
    monkeypatch.setenv("DOCMT_CANARY", word)
    yield word
    gone(word)


def gone(canary: str) -> None:
    """Nothing is left that has the canary: what was killed may take a moment to end."""
    until(lambda: holders(canary) == [])
    left = holders(canary)
    for line in left:
        os.kill(int(line.split()[0]), signal.SIGKILL)
    assert left == []


def until(holds: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Wait until something holds, and return whether it does."""
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


def zombies() -> int:
    """How many children of this process have ended and were not waited for."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    states = [Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] for child in children]
    return states.count("Z")


@pytest.mark.some(6)
@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_hostile_program_is_refused_in_time_and_leaves_nothing(name, canary, tmp_path, monkeypatch):
    monkeypatch.setattr("docmt.base.programs.END_S", TIMEOUT_S)
    monkeypatch.setattr("docmt.base.programs.END_S", TIMEOUT_S)
    words, message = PROGRAMS[name]
    program = Program(words, "the setting", TIMEOUT_S if message == LATE else IN_TIME_S)
    before, ended = content_of(tmp_path), zombies()
    with pytest.raises(UserError) as refusal:
        list(program.answers(REQUESTS))
    assert refusal.value.status == USER_MISTAKE
    assert message in str(refusal.value) and str(refusal.value).count("the setting: ") == 1
    gone(canary)
    assert zombies() == ended
    assert content_of(tmp_path) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_input_of_a_program_ends_when_docmt_ends(number, canary):
    code = (
        "from docmt.base.programs import LineProcess\n"
        "process = LineProcess(['bash', '-c', 'echo ready; cat'], 'x')\n"
        "print(process.receive(20), flush=True)\n"
        "process.receive(60)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, **pipes) as docmt:
        assert docmt.stdout.readline() == b"b'ready'\n"
        docmt.send_signal(number)
        docmt.communicate()
    gone(canary)


def test_children_of_others_live():
    """docmt may be a library of a process that has children of its own."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as other:
        with pytest.raises(UserError, match=LATE):
            list(Program(sh("exec sleep 60"), "the setting", TIMEOUT_S).answers(REQUESTS))
        assert other.poll() is None
        other.kill()
