"""Stand-ins for the commands of Slurm, on PATH: a cluster whose jobs never run, and have the states that a test sets."""

import json
import os
import sys
from pathlib import Path

import pytest

NAMES = ("sbatch", "squeue", "sacct", "scancel", "scontrol", "sinfo", "sacctmgr", "sshare")


class FakeSlurm:
    """The cluster. Its file has `jobs` (by number: state, comment, `in_squeue`, `in_sacct`) and `calls`, all command lines.

    `without` names commands that fail, such as sacct where there is no accounting.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        programs = folder / "programs"
        programs.mkdir(parents=True)
        self.file = folder / "cluster.json"
        self._write({"jobs": {}, "calls": [], "without": []})
        for name in NAMES:
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -IS "{__file__}" "{self.file}" {name} "$@"\n')
            program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")

    def read(self) -> dict:
        return json.loads(self.file.read_text())

    def _write(self, value: dict) -> None:
        self.file.write_text(json.dumps(value))

    def change(self, number: str, **facts: object) -> None:
        value = self.read()
        value["jobs"].setdefault(number, {"in_squeue": True, "in_sacct": True, "comment": ""}).update(facts)
        self._write(value)

    def refuse(self, *commands: str) -> None:
        self._write(self.read() | {"without": list(commands)})

    def calls(self, name: str) -> list[list[str]]:
        """The arguments of each call of a command."""
        return [call[1:] for call in self.read()["calls"] if call[0] == name]


def option(arguments: list[str], name: str) -> str | None:
    """The value of an option, joined by `=` or behind it."""
    for index, argument in enumerate(arguments):
        if argument == name:
            return arguments[index + 1]
        if argument.startswith(f"{name}="):
            return argument.partition("=")[2]
    return None


def answer(value: dict, name: str, arguments: list[str]) -> str:
    """What a command prints; it may change the cluster."""
    jobs = value["jobs"]
    if name == "sbatch":
        number = str(100 + len(jobs) + 1)
        comment = option(arguments, "--comment")
        jobs[number] = {"state": "PENDING", "comment": comment, "in_squeue": True, "in_sacct": True}
        return number
    if name == "squeue":
        states = option(arguments, "--states")
        listed = {n: job for n, job in jobs.items() if job["in_squeue"]}
        listed = {n: job for n, job in listed.items() if states == "all" or job["state"] in states.split(",")}
        form = option(arguments, "--format")
        return "\n".join(form.replace("%i", n).replace("%T", j["state"]).replace("%k", j["comment"]) for n, j in listed.items())
    if name == "sacct":
        numbers = option(arguments, "--jobs").split(",")
        word = {"CANCELLED": "CANCELLED by 0"}
        states = {n: word.get(jobs[n]["state"], jobs[n]["state"]) for n in numbers if n in jobs and jobs[n]["in_sacct"]}
        return "\n".join(f"{number}|{state}" for number, state in states.items())
    if name == "scancel":
        for number in arguments:
            jobs[number]["state"] = "CANCELLED"
    return ""


def main(file: Path, name: str, *arguments: str) -> int:
    value = json.loads(file.read_text())
    value["calls"].append([name, *arguments])
    text = "" if name in value["without"] else answer(value, name, list(arguments))
    file.write_text(json.dumps(value))
    print(text)
    return 1 if name in value["without"] else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
