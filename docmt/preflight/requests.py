"""Requests of jobs to a cluster, as Snakemake states them when it plans a run with the profile."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docmt.base.errors import UserError, printable
from docmt.base.foreign import LONGEST_DETAIL
from docmt.base.parse import mapping
from docmt.base.yaml_files import Lines, load_yaml

PROFILES = ("config.yaml", "profile.yaml", "config.v9+.yaml", "profile.v9+.yaml")
"""The names of the file of a profile."""
LOCAL = (None, "local", "dryrun", "touch")
"""The executors that run jobs on this machine, or none."""


@dataclass(frozen=True)
class Requests:
    """What the jobs of a run ask a cluster for.

    `executor`: the executor of the profile; None where jobs run on this machine. `of_rules`: the resources of the jobs
    of each rule by name, each kind of request once, with the longest of its times. `profile`, `lines`: the values of
    the profile, and where they are stated.
    """

    executor: str | None = None
    of_rules: tuple[tuple[str, Mapping[str, str]], ...] = ()
    profile: Mapping[str, Any] = field(default_factory=dict)
    lines: Lines | None = None

    @property
    def gpus(self) -> int:
        """The largest number of GPUs that a job asks for."""
        return max((int(resources.get("gpu", 0)) for _, resources in self.of_rules), default=0)

    def place(self, key: str) -> str:
        """Return file, line and key of the profile for messages."""
        return self.lines.place((key,)) if self.lines else key


def read_requests(profile: str, targets: Sequence[str], overrides: Mapping[str, Any]) -> Requests:
    """Return what the jobs of targets ask for in a run with `--profile NAME`, in the present folder.

    Raises UserError with what Snakemake says where it plans no such run.
    """
    value, lines = load_yaml(find_profile(profile))
    stated = mapping({} if value is None else value, lines)
    executor = stated.get("executor")
    if executor in LOCAL:
        return Requests(None, (), stated, lines)
    command = [sys.executable, "-m", "snakemake", "-n", *targets, "--profile", profile, "--nocolor"]
    command += ["--config", *(f"{key}={json.dumps(text)}" for key, text in overrides.items())] if overrides else []
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        told = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        first = max((number for number, line in enumerate(told) if line.startswith("docmt: ")), default=len(told) - 1)
        what, remedy = (
            "snakemake plans no such run",
            f"see it whole: snakemake -n {' '.join(targets)} --profile {profile}",
        )
        detail = printable(" ".join(told[first:]), "")[:LONGEST_DETAIL]
        raise UserError(what, where=f"--profile {profile}", found=detail, remedy=remedy)
    return Requests(str(executor), tuple(_longest(requests_in(done.stdout + done.stderr))), stated, lines)


def find_profile(name: str) -> Path:
    """Return the file of a profile, where Snakemake looks for it. Raises UserError where there is none."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    places = [Path(name), home / "snakemake" / name, Path("/etc/xdg/snakemake") / name]
    for file in (*places, *(place / file for place in places for file in PROFILES)):
        if file.is_file():
            return file
    expected = f"a folder with config.yaml: {', '.join(map(str, places))}"
    raise UserError("no such profile", where=f"--profile {name}", expected=expected, remedy="such as slurm")


def requests_in(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rule and the resources of each job that is sent, as a dry run of Snakemake prints them.

    >>> list(requests_in("rule train:\\n    threads: 2\\n    resources: mem_mb=8000, gpu=1\\nlocalrule page:\\n"))
    [('train', {'threads': '2', 'mem_mb': '8000', 'gpu': '1'})]
    """
    rule, threads = "", "1"
    for line in text.splitlines():
        key, _, value = line.strip().partition(": ")
        if not line.startswith(" "):
            rule, threads = line[len("rule ") : -1] if line.startswith("rule ") else "", "1"
        elif key == "threads":
            threads = value
        elif key == "resources" and rule:
            pairs = (part.partition("=") for part in value.split(", "))
            yield rule, {"threads": threads, **{name: text for name, _, text in pairs}}


def _longest(requests: Iterator[tuple[str, dict[str, str]]]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield requests that differ in more than the time, each with the longest time of its kind."""
    kinds: dict[tuple, tuple[str, dict[str, str]]] = {}
    for rule, resources in requests:
        kind = (rule, *((name, value) for name, value in resources.items() if name != "runtime"))
        if kind not in kinds or int(resources.get("runtime", 0)) > int(kinds[kind][1].get("runtime", 0)):
            kinds[kind] = rule, resources
    yield from kinds.values()
