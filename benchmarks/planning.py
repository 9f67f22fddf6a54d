"""How long a plan takes: python benchmarks/planning.py FOLDER [paper]; the records are manifests.md and cluster.md.

`snakemake -n all` at scale smoke, in a copy of the project: with no results; with all of them, as small files with the
manifests that their jobs would have written; and with a training whose weights are gone. Twice each: with one seed and
with two, which has some 1,800 jobs. The processor time of all processes counts.
"""

import resource
import subprocess
import sys
import time
from pathlib import Path

from project_copy import copy_project

from docmt.base.artifacts import write_json
from docmt.base.digests import FileDigest, indented_json
from docmt.base.manifest import RECORD, InputContent, Manifest, sealed
from docmt.base.paths import CORPUS
from docmt.grid.grid import load_grid
from docmt.plan.driver import targets_of, write_settings
from docmt.plan.jobs import Job
from docmt.plan.outside import MEMORY, _manner
from docmt.plan.planning import Planner
from docmt.steps import get_step

FILES = 6
"""How many further files each job has."""


def finish(folder: Path, seeds: tuple[int, ...]) -> Job:
    """Write small outputs of all jobs, with their manifests; return a training."""
    planner = Planner(load_grid(folder, {"scale": "smoke", "seeds": list(seeds)}), folder)
    manifests: dict[Job, Manifest] = {}
    for job in planner.closure(targets_of(planner, ["all"])):
        place = folder / job.folder
        write_settings(planner, job)
        names = [name.format(**job.names) for name in get_step(job.rule).outputs]
        names = [f"{name}/file" if name in ("model", "downloads") else name for name in names]
        names = [name for name in names if name != RECORD]
        names += [Path(job.file(f"more{number}.txt")).name for number in range(FILES)]
        for name in names:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(name)
        files = {name: FileDigest.of(place / name) for name in [*names, Path(job.settings_path).name]}
        record = Path(job.file(RECORD)).name
        (place / record).write_text(indented_json(sealed({"files": {}})))
        asked = planner.identities.asked(job)
        contents = {
            role: InputContent(manifests[read].identity, manifests[read].content)
            for role, read in planner.jobs.inputs(job).items()
        }
        manifests[job] = Manifest(asked.identity, job.rule, contents, files, (record,))
        (folder / job.manifest).write_text(indented_json(manifests[job].to_json()))
    return next(job for job in manifests if job.is_training)


def have_downloads(folder: Path) -> None:
    """Write a small file in place of each file of each corpus, and remember the digest that the catalogue states."""
    digests = {}
    for name, corpus in load_grid(folder, {}).corpora.items():
        for file in corpus.files:
            path = folder.absolute() / CORPUS.at(corpus=name) / "downloads" / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{name} {file.name}")
            status = path.stat()
            version = [status.st_size, status.st_mtime_ns, status.st_ino]
            digests["\n".join([str(path), *_manner(file)])] = [*version, file.digest or "0" * 64]
    write_json(folder / MEMORY, sealed({"files": digests}))


def print_paper(folder: Path) -> None:
    copy_project(folder)
    have_downloads(folder)
    print("| where | jobs planned | CPU s | s |\n|---|---|---|---|")
    for where, options in (("this machine", []), ("a cluster, in groups", ["--profile", "slurm"])):
        runs = [timed(folder, [*options, "--config", "fetch_checkpoints=true"]) for _ in range(5)]
        cpu, seconds, jobs = min(runs)
        print(f"| {where} | {jobs} | {cpu:.1f} | {seconds:.1f} |", flush=True)


def timed(folder: Path, options: list[str]) -> tuple[float, float, str]:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "snakemake", "-n", "all", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("total ")]
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - start, total[-1] if total else "0"


def main(folder: Path) -> None:
    print("| seeds | results | jobs planned | CPU s | s |\n|---|---|---|---|---|")
    for seeds in ((1,), (1, 2)):
        copy_project(folder)
        options = ["--config", "scale=smoke", f"seeds={[*seeds]}"]
        print_row(seeds, "none", folder, options)
        training = finish(folder, seeds)
        print_row(seeds, "all", folder, options)
        (folder / training.folder / "model/file").unlink()
        print_row(seeds, "all but a model's weights", folder, options)


def print_row(seeds: tuple[int, ...], what: str, folder: Path, options: list[str]) -> None:
    cpu, seconds, jobs = timed(folder, options)
    print(f"| {len(seeds)} | {what} | {jobs} | {cpu:.1f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    print_paper(Path(sys.argv[1])) if sys.argv[2:] == ["paper"] else main(Path(sys.argv[1]))
