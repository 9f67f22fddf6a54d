"""Programs by the names of Slurm's that print what a real Slurm 22.05 printed, for tests of what docmt reads of it."""

import os
from collections.abc import Mapping
from pathlib import Path

RECORDED = Path(__file__).parents[1] / "preflight/slurm_22.05"
"""The output of `scontrol show config`, and of `scontrol -o show partition` and `node`: a node with 8 processors, 32000
MB, two GPUs h100 and the features ib and a; partitions low (the default), high (a day), cpu (4 hours), old (down)."""
NO_ACCOUNTS = "Slurm accounting storage is disabled"


class FakeSlurm:
    """A folder with the programs; `changes` replaces texts in what they print."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        texts = {
            name: (RECORDED / f"{name}.txt").read_text(encoding="utf-8") for name in ("config", "partition", "node")
        }
        for name, text in texts.items():
            (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        find = 'text="$(dirname "$0")/$(echo "$*" | sed "s/.*show //").txt"'
        # Without -o a record has several lines.
        lines = '[ "$*" = "show partition" ] && exec tr " " "\\n" < "$text"'
        self.program("scontrol", f'{find}\n{lines}\ncat "$text"')
        self.program("sbatch", "echo 'nothing may be submitted' >&2; exit 1")
        self.program("sacct", f"echo '{NO_ACCOUNTS}' >&2; exit 1")
        self.program("sacctmgr", "echo 'root|normal'; echo 'physics|normal,long'")

    def program(self, name: str, script: str) -> None:
        """Write a program."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def change(self, changes: Mapping[str, Mapping[str, str]]) -> None:
        """Replace texts, by the name of the file that has them."""
        for name, pairs in changes.items():
            path = self.folder / f"{name}.txt"
            text = path.read_text(encoding="utf-8")
            for old, new in pairs.items():
                assert old in text, old
                text = text.replace(old, new)
            path.write_text(text, encoding="utf-8")

    @property
    def path(self) -> str:
        """The value of PATH with these programs first."""
        return os.pathsep.join((str(self.folder), os.environ["PATH"]))


KEEPS_ACCOUNTS = {"config": {"accounting_storage/none": "accounting_storage/slurmdbd"}}
"""The changes of a cluster that keeps accounts."""
