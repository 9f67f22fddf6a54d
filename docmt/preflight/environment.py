"""The packages and programs that the jobs need, and versions that differ from pins.txt."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from docmt.base.errors import UserError, install, quoted
from docmt.base.machine import installed_version
from docmt.grid.scored import scoring_of
from docmt.plan.plan import Job
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.packages import check_packages, required_packages
from docmt.preflight.planned import PlannedRun
from docmt.settings.programs import need_program
from docmt.steps.ask import program_of

AREA = Area("environment")
PINS = Path("pins.txt")
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)
MOST_NAMED = 8
"""The largest number of packages that a message names."""


def check_environment(run: PlannedRun) -> Iterator[RunFinding]:
    """Yield packages that are missing or of other versions, and programs that cannot be run."""
    extras = _extras(run)
    try:
        check_packages(extras)
    except UserError as problem:
        yield AREA.of(problem)
    yield from _other_versions(extras)
    yield from _programs(run)
    yield AREA.fact(f"packages of docmt, and programs of the jobs; torch {installed_version('torch')}")


def _extras(run: PlannedRun) -> list[str]:
    """Return the names of what extras of docmt may be for: aligners, languages, engines, and the kind of the store."""
    pairs = [(run.grid.find_scored(*_names(job)).study, _names(job)[0]) for job in run.jobs if job.step == "scores"]
    aligners = [scoring_of(run.grid, study, corpus).aligner for study, corpus in dict.fromkeys(pairs)]
    languages = [run.grid.corpora[corpus].target_language for _, corpus in dict.fromkeys(pairs)]
    store = (run.grid.store or "").partition("://")
    of_jobs = [*(aligner.kind for aligner in aligners if aligner), *languages, *_engines(run)]
    return [*of_jobs, *(store[:1] if store[1] else ())]


def _engines(run: PlannedRun) -> Iterator[str]:
    """Yield the engine of each job that searches translations, where it is another program than docmt."""
    for job in run.jobs:
        if job.step in ("translate", "passage") and (engine := run.grid.find(*_names(job)).engine) != "docmt":
            yield engine


def _names(job: Job) -> tuple[str, str]:
    """Return the corpus and the system of a job."""
    return job.names["corpus"], job.names["system"]


def _other_versions(extras: list[str]) -> Iterator[RunFinding]:
    """Yield a warning about the installed packages whose version is another one than in pins.txt."""
    if not PINS.is_file():
        return
    pins = {name.lower(): version for name, version in PIN.findall(PINS.read_text(encoding="utf-8"))}
    needed = {name for name in required_packages(extras) if name.lower() in pins}
    versions = {name: installed_version(name) for name in sorted(needed)}
    # A version of torch ends in the device that it is built for, such as 2.13.0+cpu.
    other = {name: version for name, version in versions.items() if version.partition("+")[0] != pins[name.lower()]}
    other = {name: version for name, version in other.items() if version != "missing"}
    if other:
        texts = [f"{name} {version} (pinned: {pins[name.lower()]})" for name, version in other.items()]
        more = f" and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
        yield AREA.warning(
            "packages have other versions than pins.txt, with which docmt was tested",
            where="this Python's environment",
            found=", ".join(texts[:MOST_NAMED]) + more,
            remedy=install(),
        )


def _programs(run: PlannedRun) -> Iterator[RunFinding]:
    """Yield the programs that the jobs, or the records of what ran, need and that cannot be run."""
    if shutil.which("git") is None:
        remedy = "install git: records of jobs then have the commit of docmt"
        yield AREA.warning("git is not there, so that records do not say which code ran", found="git", remedy=remedy)
    for words, where in _command_lines(run):
        try:
            need_program(words, where)
        except UserError as problem:
            yield AREA.of(problem)
    for job in _asked(run):
        for path in program_of(run.grid, job.names).files.values():
            if not path.is_file():
                where, remedy = f"{job.names['system']}: command.depends_on", "correct the path"
                yield AREA.error("file not found", where=where, found=quoted(str(path)), remedy=remedy)


def _command_lines(run: PlannedRun) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the command lines that jobs run beside docmt, and the setting that states each; each once."""
    seen = set()
    for job in _asked(run):
        words = program_of(run.grid, job.names).words(job.names["corpus"], int(job.names["seed"]))
        seen.add((words, f"{job.names['system']}: command.run"))
    for job in run.jobs:
        if job.step == "scores":
            comet = scoring_of(run.grid, run.grid.find_scored(*_names(job)).study, job.names["corpus"]).comet
            seen |= {(comet.words, "scoring.comet.command")} if comet else set()
    yield from sorted(seen)


def _asked(run: PlannedRun) -> list[Job]:
    """Return the jobs that ask a program for translations."""
    return [job for job in run.jobs if job.step == "ask"]
