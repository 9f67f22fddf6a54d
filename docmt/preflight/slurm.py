"""Slurm, asked whether it takes the jobs (`sbatch --test-only`), and settings with which a run waits for ever.

What jobs ask for is what Snakemake itself says of them: a dry run with the profile writes it into a file of notes.
"""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from logging import Handler, LogRecord
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from docmt.base.errors import UserError, printable
from docmt.base.foreign import LONGEST_DETAIL
from docmt.base.parse import mapping
from docmt.base.yaml_files import Lines, load_yaml
from docmt.preflight.finding import RunFinding, told

# The variable of the environment that names the file of notes; workflow/rules/common.smk reads it.
NOTES = "DOCMT_REQUESTS"
# The rules whose jobs run where snakemake does; dry runs do not say it.
HERE = ("checkpoint", "fixture", "front", "page", "sheet", "show")
OPTIONS = {"account": "slurm_account", "partition": "slurm_partition", "time": "runtime", "mem": "mem_mb"}
OPTIONS |= {name: name for name in ("qos", "constraint", "gres", "nodes")} | {"ntasks": "tasks"}
"""The resource that gives each option of sbatch, as the plugin of Snakemake has them."""
PREFIX = "docmt-slurm"  # The prefix of the options of the executor, which is also its name.
STATUS = f"{PREFIX}-status-command"


class RequestNotes(Handler):
    """Writes what each job of a dry run asks for, as a line of JSON: it hears what Snakemake says of the job."""

    def emit(self, record: LogRecord) -> None:
        """Note a job that has a command and is sent to the cluster, or a group, whose members run one after another."""
        event, members = getattr(record, "event", None), []
        if event == "group_info":
            members = [(job.rule.name, job.threads, job.resources) for job in record.jobs]
        elif event == "job_info" and not record.indent and record.shellcmd and record.rule_name not in HERE:
            members = [(record.rule_name, record.threads, record.resources)]
        asked: dict[str, Any] = {"rule": " and ".join(sorted({rule for rule, _, _ in members})), "threads": 1}
        for _, threads, resources in members:
            for name, value in (("threads", threads), *resources.items()):
                if isinstance(value, int):
                    before = asked.get(name, 0)
                    asked[name] = before + value if name == "runtime" else max(before, value)
                elif isinstance(value, str):
                    asked[name] = value
        if members:
            with Path(os.environ[NOTES]).open("a", encoding="utf-8") as file:
                file.write(json.dumps(asked) + "\n")


@dataclass(frozen=True)
class Requests:
    """What the jobs of a run ask a cluster for."""

    executor: str | None = None  # The executor of the profile; None where jobs run on this machine.
    jobs: Sequence[Mapping[str, Any]] = ()  # The rule, the threads and the resources of each job or group.
    # `profile`, `lines`: the values of the profile, and where they are stated.
    profile: Mapping[str, Any] = field(default_factory=dict)
    lines: Lines = field(default_factory=lambda: Lines("--profile"))

    @property
    def gpus(self) -> int:
        """The largest number of GPUs that a job asks for."""
        return max((job.get("gpu", 0) for job in self.jobs), default=0)


def read_requests(profile: str, targets: Sequence[str], overrides: Mapping[str, Any]) -> Requests:
    """Return what the jobs of targets ask for in a run with `--profile NAME`, in the present folder.

    Raises UserError with what Snakemake says where it plans no such run.
    """
    command = [sys.executable, "-m", "snakemake", "-n", *targets, "--profile", profile, "--nocolor"]
    command += ["--config", *(f"{key}={json.dumps(text)}" for key, text in overrides.items())] if overrides else []
    with TemporaryDirectory() as folder:
        notes = Path(folder, "notes")
        environment = {**os.environ, NOTES: str(notes)}
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, check=False)
        jobs = [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []
    if done.returncode:
        _, is_of_docmt, text = (done.stderr + done.stdout).strip().rpartition("docmt: ")
        words = (text if is_of_docmt else text.splitlines()[-1]).split()
        said = printable(" ".join(words), "")[:LONGEST_DETAIL]
        remedy = f"see it whole: snakemake -n {' '.join(targets)} --profile {profile}"
        raise UserError("snakemake cannot plan this run", where=f"--profile {profile}", found=said, remedy=remedy)
    value, lines = load_yaml(_file_of(profile))
    stated = mapping({} if value is None else value, lines)
    executor = stated.get("executor", "local")
    return Requests(None if executor in ("local", "dryrun", "touch") else str(executor), jobs, stated, lines)


def _file_of(profile: str) -> Path:
    """Return the file of a profile that Snakemake has read: itself, or in its folder."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    places = [Path(profile), home / "snakemake" / profile, Path("/etc/xdg/snakemake") / profile]
    place = next(path for path in places if path.exists())
    names = (path for path in sorted(place.glob("*.yaml")) if path.name.partition(".")[0] in ("config", "profile"))
    return place if place.is_file() else next(names)


def check_slurm(requests: Requests) -> Iterator[RunFinding]:
    """Yield what Slurm does not take of what the jobs ask for; only that it does not answer, where it does not."""
    if problem := _refusal(("sinfo",)):
        remedy = "run on a login node, and ask the administrators whether Slurm's controller runs"
        yield told("error", "Slurm does not answer", where="sinfo", found=problem, remedy=remedy)
        return
    asked = requests.profile.get(STATUS, "sacct")
    if asked != "squeue":
        what = "a run would wait for ever for a job that somebody cancels, and without accounting for every job"
        yield told("error", what, where=requests.lines.place((STATUS,)), found=asked, remedy=f"set {STATUS}: squeue")
    by_time, rules = sorted(requests.jobs, key=lambda job: job.get("runtime", 0)), dict[tuple[str, ...], set[str]]()
    # Of jobs that differ in the time alone, that with the longest is asked for.
    kinds = {tuple(pair for pair in job.items() if pair[0] != "runtime"): job for job in by_time}
    for job in kinds.values():
        rules.setdefault(("sbatch", "--test-only", *options_of(job), "--wrap=true"), set()).add(job["rule"])
    answers = {command: _refusal(command) for command in rules}
    for reason, command in {reason: command for command, reason in answers.items() if reason}.items():
        refused = set[str]().union(*(names for asked, names in rules.items() if answers[asked] == reason))
        what = f"Slurm does not take jobs of {', '.join(sorted(refused))}"
        remedy = "ask for less, or name another partition (default-resources and set-resources of the profile)"
        yield told("error", what, where=shlex.join(command), found=reason, remedy=remedy)
    yield told("fact", f"Slurm was asked for {len(rules)} kinds of jobs, each in its first attempt")


def options_of(job: Mapping[str, Any]) -> list[str]:
    """Return the options of sbatch for the resources of a job.

    >>> options_of({"threads": 1, "mem_mb": 8000, "gpu": 2, "gpu_model": "h100"})
    ['--mem=8000', '--gpus=h100:2', '--cpus-per-task=1']
    """
    options = [f"--{option}={job[name]}" for option, name in OPTIONS.items() if job.get(name)]
    gpus, model, per_gpu = job.get("gpu"), job.get("gpu_model"), job.get("cpus_per_gpu")
    options += [f"--gpus={f'{model}:' if model else ''}{gpus}"] if gpus else []
    cpus = f"gpu={per_gpu}" if gpus and per_gpu else f"task={job.get('cpus_per_task', job['threads'])}"
    return [*options, f"--cpus-per-{cpus}", *shlex.split(job.get("slurm_extra", ""))]


def _refusal(command: Sequence[str]) -> str:
    """Return why a command of Slurm fails; an empty text where it does not."""
    try:  # without its controller some commands try for a minute
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    return " ".join(done.stderr.split()) or f"status {done.returncode}" if done.returncode else ""
