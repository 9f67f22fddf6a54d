"""Stand-ins for the commands of Slurm, on PATH: a cluster whose jobs never run, and have the states that tests set."""

import json
import os
import sys
from pathlib import Path

import pytest
from helpers import slurm_stand_in
from helpers.slurm_stand_in import option

__all__ = ["FakeSlurm", "option"]
NAMES = ("sbatch", "squeue", "sacct", "scancel")
SILENT = ("scontrol", "sinfo", "sacctmgr", "sshare")
"""Commands that answer nothing."""


class FakeSlurm:
    """The cluster. Its file has `jobs` by number (state, comment, `in_squeue`, `in_sacct`) and `calls`: command lines.

    `without` names commands that fail, such as sacct where there is no accounting.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        programs = folder / "programs"
        programs.mkdir(parents=True)
        self.file = folder / "cluster.json"
        self._write({"jobs": {}, "calls": [], "without": []})
        for name in (*NAMES, *SILENT):
            answers = f'exec "{sys.executable}" -IS "{slurm_stand_in.__file__}" "{self.file}" {name} "$@"'
            (programs / name).write_text(f"#!/bin/sh\n{answers if name in NAMES else 'exit 0'}\n")
            (programs / name).chmod(0o755)
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
