"""The name and the comment of a job in Slurm, which people and `docmt status` read."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt.base.failures import job_text

LONGEST = 120
"""The largest number of characters of a name."""
FIRST = ("corpus", "system", "seed")
"""The names that stand first in the name of a job; the others follow in the order of the alphabet."""
LEFT_OUT = ("scale",)
"""Names that are in the comment only."""


def members(job: Any) -> list[Any]:
    """Return the jobs of a group, or the job itself."""
    return list(job.jobs) if job.is_group() else [job]


def text_of(job: Any) -> str:
    """Return the words `rule name=value ...` of a job that is no group."""
    return job_text(job.rule.name, job.wildcards_dict)


def job_name(job: Any, prefix: str = "docmt") -> str:
    """Return the name of a job: `docmt.<rule>.<corpus>.<system>.seed<n>`, or `docmt.<group>.<n>jobs`."""
    if job.is_group():
        return safe(f"{prefix}.{group_name(job)}.{len(members(job))}jobs")
    return safe(".".join([prefix, job.rule.name, *_parts(job.wildcards_dict)]))


def group_name(job: Any) -> str:
    """Return the name of a group: its rules, since Snakemake numbers groups by random ids."""
    return safe("+".join(sorted({member.rule.name for member in members(job)})))


def _parts(names: Mapping[str, str]) -> list[str]:
    """Return the parts of a job's name from its wildcards; empty values are left out."""
    order = [name for name in FIRST if name in names]
    order += [name for name in sorted(names) if name not in (*FIRST, *LEFT_OUT)]
    return [f"seed{names[name]}" if name == "seed" else names[name] for name in order if names[name]]


def safe(name: str) -> str:
    """Return a name in characters that shells and Slurm leave alone, shortened in its middle."""
    name = re.sub(r"[^\w.@+-]+", "_", name, flags=re.ASCII)
    half = LONGEST // 2 - 1
    return name if len(name) <= LONGEST else f"{name[:half]}..{name[-half:]}"


def work_of(jobs: Sequence[Any]) -> str:
    """Return the digest of what jobs are to do: their names, and the content of their settings.

    The driver has written the settings (parameter `settings`); they include the identities of all that a job reads.
    """
    digest = hashlib.sha256()
    for text, job in sorted((text_of(job), job) for job in jobs):
        path = job.params.get("settings") if job.params else None
        settings = Path(path).read_bytes() if path and Path(path).is_file() else b""
        digest.update(f"{text}\n{len(settings)}\n".encode() + settings)
    return digest.hexdigest()[:16]


def digest_of_folder(folder: Path) -> str:
    """Return the digest of a project's folder, by which a driver tells its project's jobs from those of another."""
    return hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:8]


@dataclass(frozen=True)
class Comment:
    """The comment of a job in Slurm: `docmt WORDS run=RUN project=PROJECT work=WORK`.

    `words`: `rule name=value ...` of a job, or `group NAME jobs=NUMBER`. `run`: the id of the driver's run. `project`:
    the digest of the project's folder. `work`: the digest of what the job is to do (`work_of`).
    """

    words: str
    run: str
    project: str
    work: str

    @classmethod
    def of(cls, job: Any, run: str, project: str, work: str) -> "Comment":
        """Return the comment of a job of Snakemake."""
        words = f"group {group_name(job)} jobs={len(members(job))}" if job.is_group() else text_of(job)
        return cls(words, run, project, work)

    @classmethod
    def read(cls, text: str) -> "Comment | None":
        """Read a comment; return None for the comment of another's job."""
        match = re.fullmatch(r"docmt (.+) run=(\S+) project=(\S+) work=(\S+)", text.strip())
        return cls(*match.groups()) if match else None

    def __str__(self) -> str:
        """Return the comment."""
        return f"docmt {self.words} run={self.run} project={self.project} work={self.work}"
