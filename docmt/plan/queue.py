"""The jobs of a project in Slurm's queue, by one call of `squeue`, which only reads."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docmt.base.errors import printable
from docmt.base.paths import ID_DIGITS

COMMENT = re.compile(rf"rule_(.+?)(?:_wildcards_(.*?)([0-9a-f]{{{ID_DIGITS}}})?)?")
"""The comment of a job, as the plugin of Snakemake writes it: its rule, the names in its place, and its id."""
FIELDS = "%i|%T|%R|%Z|%k"
"""The number, the state, the reason or the nodes, the working folder, and the comment."""
WAIT_S = 60
"""Seconds that `squeue` may take."""


@dataclass(frozen=True)
class QueuedJob:
    """A job in Slurm's queue.

    `what`: its rule and the names in its place. `id`: that of the folder of its outputs; empty for jobs without one.
    `about`: Slurm's word for the reason why it waits, or the nodes on which it runs.
    """

    number: str
    what: str
    id: str
    is_running: bool
    about: str


def read_queue(root: Path) -> tuple[list[QueuedJob], str]:
    """Return the jobs of this user whose working folder is `root`, and why Slurm does not answer, or an empty text.

    There are no jobs where this machine has no `squeue`.
    """
    if shutil.which("squeue") is None:
        return [], ""
    try:
        command = ["squeue", "--me", "--noheader", f"--format={FIELDS}"]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=WAIT_S, check=True)
    except subprocess.CalledProcessError as problem:
        return [], printable(f"squeue: {problem.stderr.strip()}")
    except (OSError, subprocess.TimeoutExpired) as problem:
        return [], printable(f"squeue: {problem}")
    return [*_jobs(done.stdout, root)], ""


def _jobs(text: str, root: Path) -> Iterator[QueuedJob]:
    """Yield the jobs of a project among the lines that `squeue` prints."""
    for line in text.splitlines():
        number, state, about, folder, comment = [*line.split("|", 4), "", "", "", ""][:5]
        match = COMMENT.fullmatch(comment.strip())
        if match and Path(folder).resolve() == root.resolve():
            rule, names, digits = (part or "" for part in match.groups())
            what = printable(f"{rule} {names.strip('_')}".strip(), "")
            yield QueuedJob(number, what, digits, state != "PENDING", printable(about, ""))
