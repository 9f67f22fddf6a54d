"""Slurm, asked whether it takes the jobs (`sbatch --test-only`), and settings with which a run waits for ever."""

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from docmt.base.errors import UserError
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.requests import Requests

AREA = Area("Slurm")
WAIT_S = 60
"""Seconds that a command of Slurm may take: without its controller some commands try for a minute."""
AT_ONCE = 4
"""The number of questions that are asked at the same time."""
OPTIONS = {
    "slurm_account": "account",
    "slurm_partition": "partition",
    "qos": "qos",
    "constraint": "constraint",
    "gres": "gres",
    "runtime": "time",
    "mem_mb": "mem",
    "nodes": "nodes",
    "tasks": "ntasks",
}
"""The options of sbatch by the names of resources, as the plugin of Snakemake has them."""
STATUS, SECONDS = "slurm-status-command", "slurm-init-seconds-before-status-checks"
INIT_SECONDS = 40
"""The seconds before the first question for the status of a job, where the profile states none."""
POLLS = 3
"""The number of questions for which Slurm must remember a job that has ended."""


def check_slurm(requests: Requests) -> Iterator[RunFinding]:
    """Yield what Slurm does not take of what the jobs ask for; only that it does not answer, where it does not."""
    try:
        config = dict(re.findall(r"^(\w+) += (.*)$", ask("scontrol", "show", "config"), re.MULTILINE))
    except UserError as problem:
        yield AREA.of(problem)
        return
    yield from _waiting(requests, config)
    asked: dict[tuple[str, ...], list[str]] = {}
    for rule, resources in requests.of_rules:
        asked.setdefault(("sbatch", "--test-only", *options_of(resources), "--wrap=true"), []).append(rule)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        reasons = dict(zip(asked, pool.map(_refusal, asked), strict=True))
    for reason in dict.fromkeys(filter(None, reasons.values())):
        refused = [command for command in asked if reasons[command] == reason]
        what = (
            f"Slurm does not take jobs of {', '.join(dict.fromkeys(rule for each in refused for rule in asked[each]))}"
        )
        remedy = "ask for less, or name another partition (default-resources and set-resources of the profile)"
        yield AREA.error(what, where=shlex.join(refused[0]), found=reason, remedy=remedy)
    version = config.get("SLURM_VERSION", "?")
    yield AREA.fact(f"Slurm {version} was asked for {len(asked)} kinds of jobs, each in its first attempt")
    yield AREA.fact("not checked: that all nodes have this folder under the same path")


def options_of(resources: Mapping[str, str]) -> list[str]:
    """Return the options of sbatch for the resources of a job.

    >>> options_of({"threads": "1", "mem_mb": "8000", "gpu": "2", "gpu_model": "h100"})
    ['--mem=8000', '--gpus=h100:2', '--cpus-per-task=1']
    """
    options = [f"--{option}={resources[name]}" for name, option in OPTIONS.items() if resources.get(name)]
    gpus, model = int(resources.get("gpu", 0)), resources.get("gpu_model")
    options += [f"--gpus={model}:{gpus}" if model else f"--gpus={gpus}"] if gpus else []
    per_gpu = resources.get("cpus_per_gpu") if gpus else None
    cpus = resources.get("cpus_per_task", resources["threads"])
    options.append(f"--cpus-per-gpu={per_gpu}" if per_gpu else f"--cpus-per-task={cpus}")
    return options + shlex.split(resources.get("slurm_extra", ""))


def ask(*words: str) -> str:
    """Return what a command of Slurm prints. Raises UserError where it fails, or does not answer in time."""
    what, where = "Slurm does not answer", " ".join(words)
    remedy = "run on a login node, and ask the administrators whether the controller of Slurm runs (`scontrol ping`)"
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=WAIT_S, check=False)
    except FileNotFoundError:
        raise UserError(what, where=where, found=f"no {words[0]} in PATH", remedy=remedy) from None
    except subprocess.TimeoutExpired:
        raise UserError(what, where=where, found=f"nothing in {WAIT_S} s", remedy=remedy) from None
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split()) or f"status {done.returncode}"
        raise UserError(what, where=where, found=said, remedy=remedy)
    return done.stdout


def _refusal(command: tuple[str, ...]) -> str | None:
    """Return why Slurm does not take a job; None where it does."""
    try:
        ask(*command)
    except UserError as problem:
        return problem.found
    return None


def _waiting(requests: Requests, config: Mapping[str, str]) -> Iterator[RunFinding]:
    """Yield the settings with which a run does not notice the end of a job, and waits for ever."""
    if str(requests.profile.get(STATUS, "sacct")) != "squeue":
        what = "a run would wait for ever for a job that somebody cancels, and without accounting for every job"
        yield AREA.error(what, where=requests.place(STATUS), found="sacct", remedy=f"set {STATUS}: squeue")
    seconds, age = requests.profile.get(SECONDS, INIT_SECONDS), config.get("MinJobAge", "").partition(" ")[0]
    # With 0 Slurm forgets no job.
    if age.isdecimal() and isinstance(seconds, int) and 0 < int(age) < POLLS * seconds:
        yield AREA.error(
            "Slurm forgets jobs that have ended before squeue is asked for them",
            where=requests.place(SECONDS),
            found=f"{seconds} s before the first question; MinJobAge = {age} s",
            expected=f"MinJobAge of {POLLS} times these seconds or more",
            remedy=f"lower {SECONDS} to {int(age) // POLLS}, or ask the administrators for a larger MinJobAge",
        )
    if "CANCEL" in config.get("PreemptMode", "") and not config.get("PreemptType", "").endswith("none"):
        remedy = "use a partition that is not preempted, or ask the administrators for REQUEUE"
        what = "a run waits for ever for a job that a more urgent one has replaced"
        yield AREA.warning(what, where="PreemptMode", found=config["PreemptMode"], expected="REQUEUE", remedy=remedy)
