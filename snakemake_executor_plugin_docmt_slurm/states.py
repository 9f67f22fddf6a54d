"""The states of Slurm's jobs, by their numbers: from `squeue` and, where there is accounting, from `sacct`."""

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from docmt.base.failures import FailureCause

ENDED = {
    "COMPLETED": None,
    "BOOT_FAIL": FailureCause.OTHER,
    "CANCELLED": FailureCause.OTHER,
    "DEADLINE": FailureCause.TIME,
    "FAILED": FailureCause.OTHER,
    "NODE_FAIL": FailureCause.OTHER,
    "OUT_OF_MEMORY": FailureCause.MEMORY,
    "PREEMPTED": FailureCause.OTHER,
    "REVOKED": FailureCause.OTHER,
    "TIMEOUT": FailureCause.TIME,
}
"""The states of jobs that have ended, with the cause of the failure; all other states are of jobs that wait or run."""
MAY_RETURN = ("NODE_FAIL", "PREEMPTED", "REVOKED")
"""States after which Slurm may start the same job again; a job that is still in one at the next query has ended."""
LOST = "LOST"
"""The state of a job that Slurm no longer knows."""
PATIENCE = 5
"""The number of queries in which a job may be unknown before it is lost; accounting is told of a job with delay."""
AT_ONCE = 200
"""The largest number of jobs in one command line."""
DAYS = 30
"""The age in days up to which accounting is searched; a date makes the search independent of its default, today."""


def normal(state: str) -> str:
    """Return a state's first word, without a plus sign: `CANCELLED by 0` is `CANCELLED`."""
    words = state.replace("+", " ").split()
    return words[0].upper() if words else ""


def lines_of_numbers(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the numbers of jobs in parts that fit a command line."""
    for start in range(0, len(ids), AT_ONCE):
        yield ids[start : start + AT_ONCE]


def answer(command: Sequence[str]) -> str | None:
    """Return the standard output of a query; None where it failed or took more than a minute."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def pairs(text: str) -> dict[str, str]:
    """Return the states of lines `number|state`."""
    lines = (line.split("|") for line in text.splitlines() if "|" in line)
    return {fields[0].strip(): normal(fields[1]) for fields in lines}


def from_squeue(ids: Sequence[str]) -> dict[str, str] | None:
    """Return the states that `squeue` knows of these jobs; it forgets a job some minutes after its end."""
    text = answer(["squeue", "--me", "--states=all", "--noheader", "--format=%i|%T"])
    return None if text is None else {number: state for number, state in pairs(text).items() if number in set(ids)}


def from_sacct(ids: Sequence[str]) -> dict[str, str] | None:
    """Return the states that accounting knows of these jobs; None where there is none, or it does not answer."""
    since = f"{datetime.now() - timedelta(days=DAYS):%Y-%m-%d}"
    states: dict[str, str] = {}
    for part in lines_of_numbers(ids):
        asked = ["sacct", "-X", "--parsable2", "--noheader", "--format=JobIDRaw,State", f"--starttime={since}"]
        text = answer([*asked, f"--jobs={','.join(part)}"])
        if text is None:
            return None
        states |= pairs(text)
    return states


QUERIES = {"squeue": from_squeue, "sacct": from_sacct}


@dataclass
class States:
    """The states of a run's jobs. `first`: the command that is asked first; the other knows what the first forgot."""

    first: str
    _returning: set[str] = field(default_factory=set)
    _unknown: dict[str, int] = field(default_factory=dict)

    def of(self, ids: Iterable[str]) -> dict[str, str] | None:
        """Return the states of jobs; None where no command answers.

        A job that waits or runs has the state of Slurm. A job in a state of `MAY_RETURN` is `PENDING` until the next
        query shows the same. A job that no answer has named `PATIENCE` times in a row is `LOST`.
        """
        ids = sorted(ids)
        states = QUERIES[self.first](ids)
        doubtful = [number for number in ids if self._is_doubtful((states or {}).get(number))]
        more = QUERIES["sacct" if self.first == "squeue" else "squeue"](doubtful) if doubtful else {}
        if states is None and more is None:
            return None
        known = (states or {}) | (more or {})
        return {number: self._settled(number, known.get(number)) for number in ids}

    def _is_doubtful(self, state: str | None) -> bool:
        """Return whether the second command is asked too: the first knows no state, or accounting an old one."""
        return state is None or (self.first == "sacct" and state in MAY_RETURN)

    def _settled(self, number: str, state: str | None) -> str:
        """Return the state of a job, with what earlier queries said."""
        self._unknown[number] = 0 if state else self._unknown.get(number, 0) + 1
        if state is None:
            return LOST if self._unknown[number] >= PATIENCE else "PENDING"
        if state not in MAY_RETURN:
            self._returning.discard(number)
            return state
        if number in self._returning:
            return state
        self._returning.add(number)
        return "PENDING"
