"""The jobs of an earlier driver that still wait or run for this project: a driver that was killed leaves them behind.

The comment of a job says what it does, and for which project. A group's comment has only a digest, so the driver writes
the names of the group's jobs to `results/state/groups/<digest>.json` before it submits the group.
"""

import json
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from docmt.base.artifacts import write_json
from docmt.base.failures import STATE

from .naming import Comment, digest_of_folder
from .states import answer, lines_of_numbers

GROUPS = f"{STATE}/groups"
"""The folder with the names of the jobs of groups."""
ALIVE = "PENDING,RUNNING,SUSPENDED,COMPLETING,CONFIGURING,REQUEUED,STAGE_OUT,STOPPED"


@dataclass(frozen=True)
class Earlier:
    """A job that Slurm still has. `jobs`: the texts of the jobs of Snakemake that it runs (`job_text`)."""

    number: str
    run: str
    work: str
    jobs: frozenset[str]


def alive(folder: Path) -> list[Earlier]:
    """Return the jobs of this user that wait or run for the project in a folder; none where Slurm does not answer."""
    text = answer(["squeue", "--me", f"--states={ALIVE}", "--noheader", "--format=%i|%k"]) or ""
    jobs, project = [], digest_of_folder(folder)
    for line in text.splitlines():
        number, _, words = line.partition("|")
        comment = Comment.read(words)
        if comment and comment.project == project:
            jobs.append(Earlier(number.strip(), comment.run, comment.work, texts(folder, comment.words, comment.work)))
    return jobs


def texts(folder: Path, words: str, work: str) -> frozenset[str]:
    """Return the texts of the jobs of Snakemake of a job of Slurm, from the words of its comment."""
    if not words.startswith("group "):
        return frozenset([words])
    try:
        return frozenset(json.loads((folder / GROUPS / f"{work}.json").read_bytes()))
    except (OSError, ValueError):
        return frozenset()


def write_group(folder: Path, work: str, jobs: Iterable[str]) -> None:
    """Write the texts of the jobs of a group, by the digest of its work."""
    write_json(folder / GROUPS / f"{work}.json", sorted(jobs))


def cancel(numbers: Sequence[str]) -> list[str]:
    """Cancel jobs, as many in one call as fit a command line; return the messages of calls that failed."""
    problems = []
    for part in lines_of_numbers(numbers):
        try:
            done = subprocess.run(["scancel", *part], capture_output=True, text=True, timeout=60)
        except (OSError, subprocess.TimeoutExpired) as problem:
            problems.append(str(problem))
            continue
        problems += [done.stderr.strip()] if done.returncode else []
    return problems
