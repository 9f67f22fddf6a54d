"""How long a plan takes: python benchmarks/planning.py FOLDER [paper]; the records are manifests.md and cluster.md.

`snakemake -n all` at scale smoke, in a copy of the project: with no results, and with the recipes and manifests of all
of them. Twice each: with one seed and with two. With `paper` at scale paper, with a file in place of each download. The
processor time of all processes counts.
"""

import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from helpers.finished import finish
from helpers.plans import closure, plan_of
from project_copy import copy_project

from docmt.base.paths import DOWNLOADS
from docmt.grid.grid import load_grid
from docmt.plan.links import LINKS, set_link


def finish_all(folder: Path, seeds: list[int]) -> None:
    """Leave what a finished run leaves, without the outputs, which no plan reads."""
    plan = plan_of(folder, scale="smoke", seeds=seeds)
    jobs = closure(plan, "all")
    finish(plan, jobs)
    for job in (job for job in jobs if job.step in LINKS):
        set_link(plan, job)


def have_downloads(folder: Path) -> None:
    """Write a small file in place of each file of each corpus."""
    for name, corpus in load_grid(folder, {}).corpora.items():
        downloads = folder / DOWNLOADS.format(corpus=name)
        downloads.mkdir(parents=True)
        for file in corpus.files:
            (downloads / file.name).write_text(f"{name} {file.name}")


def print_paper(folder: Path) -> None:
    copy_project(folder)
    have_downloads(folder)
    print("| where | jobs planned | CPU s | s |\n|---|---|---|---|")
    for where, options in (("this machine", []), ("a cluster", ["--profile", "slurm"])):
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


def main() -> None:
    folder = Path(sys.argv[1])
    if sys.argv[2:] == ["paper"]:
        print_paper(folder)
        return
    print("| seeds | results | jobs planned | CPU s | s |\n|---|---|---|---|---|")
    for seeds in ([1], [1, 2]):
        copy_project(folder)
        for results in ("none", "all"):
            if results == "all":
                finish_all(folder.absolute(), seeds)
            cpu, seconds, jobs = timed(folder, ["--config", "scale=smoke", f"seeds={seeds}"])
            print(f"| {len(seeds)} | {results} | {jobs} | {cpu:.1f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
