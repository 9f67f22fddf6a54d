"""Stand-ins for the commands of Slurm, first on PATH: they print what a test says."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest


def answers(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    squeue: str | None = None,
    sacct: str = "",
    scripts: Mapping[str, str] | None = None,
) -> None:
    """Let `squeue` and `sacct` print these texts; `scripts` has the shell scripts of commands in their place."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    texts = {"sacct": sacct} | ({} if squeue is None else {"squeue": squeue})
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    given = {name: f"cat '{folder / name}.txt'" for name in texts if name not in (scripts or {})}
    for name, script in {**given, **(scripts or {})}.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    path = os.environ["PATH"]
    if not path.startswith(f"{programs}:"):
        monkeypatch.setenv("PATH", f"{programs}:{path}")
