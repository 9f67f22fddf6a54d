"""Stand-ins for the commands of LSF, PBS and Slurm, on PATH: a job is a process of this machine.

python fake_cluster.py FOLDER COMMAND ARGUMENTS: calls are noted in FOLDER/calls.jsonl. FOLDER/mode says what becomes of
a job: `run` runs it, `fail` ends it with status 1, `hang` keeps it running until somebody cancels it, and `refuse`
submits none, in Slurm's words. `forget` runs it on a Slurm that does not answer each third question, and that knows no
job that has ended.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = {
    "lsf": ("bsub", "bjobs", "bkill", "badmin", "lsclusters", "bhist"),
    "pbs": ("qsub", "qstat", "qdel"),
    "slurm": ("sbatch", "squeue", "scancel", "srun", "scontrol", "sinfo", "sacct", "sacctmgr", "sshare"),
}


class Cluster:
    """The folder of the stand-ins, as a test has it."""

    def __init__(self, folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.kind = folder, kind
        programs = folder / "programs"
        programs.mkdir(parents=True)
        for name in COMMANDS[kind]:
            words = shlex.join([sys.executable, __file__, str(folder), name])
            (programs / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
            (programs / name).chmod(0o755)
        parameters = folder / "lsbatch/here/configdir/lsb.params"
        parameters.parent.mkdir(parents=True)
        parameters.write_text("DEFAULT_QUEUE = normal # of this site\n", encoding="utf-8")
        monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
        self.does("run")

    def does(self, mode: str) -> None:
        """Say what becomes of jobs from now on."""
        (self.folder / "mode").write_text(mode, encoding="utf-8")

    def calls(self, command: str) -> list[list[str]]:
        """The arguments of each call of a command."""
        path = self.folder / "calls.jsonl"
        calls = map(json.loads, path.read_text(encoding="utf-8").splitlines() if path.exists() else [])
        return [words for name, *words in calls if name == command]


def note(folder: Path, words: list[str]) -> None:
    with (folder / "calls.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(words) + "\n")


def submit(folder: Path, script: str, environment: dict[str, str]) -> int:
    """Start a job, or what the mode makes of it; its number."""
    number = 100 + len([*folder.glob("*.job")])
    mode = (folder / "mode").read_text(encoding="utf-8")
    (folder / f"{number}.sh").write_text(script, encoding="utf-8")
    script = {"fail": "exit 1", "hang": "exec sleep 600"}.get(mode, f". {shlex.quote(str(folder / f'{number}.sh'))}")
    command = ["sh", "-c", f'({script}); echo $? > "{folder}/{number}.end"']
    with (folder / f"{number}.log").open("w") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, env={**os.environ, **environment}, start_new_session=True
        )
    (folder / f"{number}.job").write_text(str(process.pid), encoding="utf-8")
    return number


def ending(folder: Path, number: str) -> str | None:
    """The exit status of a job that has ended."""
    path = folder / f"{number}.end"
    return path.read_text(encoding="utf-8").strip() if path.exists() else None


def cancel(folder: Path, numbers: list[str]) -> None:
    for number in numbers:
        pid = int((folder / f"{number}.job").read_text(encoding="utf-8"))
        try:
            os.killpg(pid, 9)
        except ProcessLookupError:
            continue
        (folder / f"{number}.end").write_text("271", encoding="utf-8")


def lsf(folder: Path, command: str, words: list[str]) -> str:
    if command == "bsub":
        return f"Job <{submit(folder, words[-1], {})}> is submitted to queue <normal>."
    if command == "bjobs":
        states = {None: "RUN", "0": "DONE"}
        jobs = sorted(path.stem for path in folder.glob("*.job"))
        return "\n".join(f"{number} {states.get(ending(folder, number), 'EXIT')}" for number in jobs)
    if command == "bkill":
        cancel(folder, words)
    facts = f"configuration\n LSF_CONFDIR = {folder}\n LSB_SHAREDIR = {folder}\n LSF_UNIT_FOR_LIMITS = MB"
    return {"badmin": facts, "lsclusters": "CLUSTER_NAME STATUS\nhere ok"}.get(command, "")


def pbs(folder: Path, command: str, words: list[str]) -> str:
    if command == "qsub":
        script = sys.stdin.read()
        expected = 100 + len([*folder.glob("*.job")])
        return f"{submit(folder, script, {'PBS_JOBID': f'{expected}.server'})}.server"
    numbers = [word.removesuffix(".server") for word in words if re.match(r"\d", word)]
    if command == "qdel":
        cancel(folder, numbers)
        return ""
    if ending(folder, numbers[0]) is None:
        return f"Job Id: {numbers[0]}.server\n    job_state = R"
    sys.stderr.write(
        f"qstat: {numbers[0]}.server Job has finished, use -x or -H to obtain historical job information\n"
    )
    sys.exit(35)


def slurm(folder: Path, command: str, words: list[str]) -> str:
    if command == "srun":
        # The options of the plugin are joined to their values; the program is the first word that is none.
        program = next(index for index, word in enumerate(words) if not word.startswith("-"))
        os.execvp(words[program], words[program:])
    if command == "sbatch":
        if (folder / "mode").read_text(encoding="utf-8") == "refuse":
            sys.exit("sbatch: error: Batch job submission failed: Requested node configuration is not available")
        (script,) = (word.partition("=")[2] for word in words if word.startswith("--wrap="))
        return str(submit(folder, script, {"SLURM_JOB_ID": "1"}))
    if command == "squeue":
        states = {None: "RUNNING", "0": "COMPLETED", "271": "CANCELLED"}
        jobs = sorted(path.stem for path in folder.glob("*.job"))
        if (folder / "mode").read_text(encoding="utf-8") == "forget":
            asked = sum('"squeue"' in line for line in (folder / "calls.jsonl").read_text().splitlines())
            if asked % 3 == 0:
                sys.exit("slurm_load_jobs error: Unable to contact slurm controller (connect failure)")
            jobs = [number for number in jobs if ending(folder, number) is None]
        return "\n".join(f"{number}|{states.get(ending(folder, number), 'FAILED')}" for number in jobs)
    if command == "scancel":
        cancel(folder, [word for word in words if word.isdecimal()])
    return "MinJobAge = 300 sec" if command == "scontrol" else ""


if __name__ == "__main__":
    place, name, *rest = sys.argv[1:]
    note(Path(place), [name, *rest])
    (kind,) = (kind for kind, names in COMMANDS.items() if name in names)
    print({"lsf": lsf, "pbs": pbs, "slurm": slurm}[kind](Path(place), name, rest))
