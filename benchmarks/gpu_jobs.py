"""The trainings and translations of a study on one GPU that has neither Snakemake nor its rules, several at a time.

    python benchmarks/gpu_jobs.py STUDY SYSTEM [SYSTEM ...] [--at-once 6] [--seconds 540] [--pack jobs.tar.gz]

The recipes are those that `snakemake` has written; each job is what `docmt job FOLDER` does. Systems are named in the
order of their importance: of the jobs whose inputs are there, the first one starts next, a translation before any
training. Jobs share the GPU, which would else wait for the host to start its kernels. After so many seconds no job
starts, and running ones are stopped 20 seconds later. A line of JSON says how each one ended. The pack has all files
of finished jobs but models.
"""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import time
from pathlib import Path

JOB = """import sys
from pathlib import Path
from docmt.base.recipe import Resources
from docmt.cli.job import run_job
run_job(Path(sys.argv[1]), Resources(device=sys.argv[2], threads=2))
"""
GRACE_S = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study")
    parser.add_argument("systems", nargs="+")
    parser.add_argument("--at-once", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--scale", default="paper")
    parser.add_argument("--pack", type=Path)
    options = parser.parse_args()
    began, running = time.monotonic(), {}
    waiting = jobs(options)
    while True:
        passed = time.monotonic() - began
        for folder, (process, since) in list(running.items()):
            if passed > options.seconds + GRACE_S:
                process.kill()
            if process.poll() is not None:
                seconds = round(time.monotonic() - since, 1)
                told = {"job": str(folder), "began": round(since - began, 1), "seconds": seconds}
                print(json.dumps(told | {"status": process.returncode}), flush=True)
                del running[folder]
        in_time = passed <= options.seconds
        ready = [folder for folder in waiting if in_time and all(map(finished, inputs(folder)))]
        for folder in ready[: options.at_once - len(running)]:
            running[folder] = (start(folder, options.device), time.monotonic())
            waiting.remove(folder)
        if not running and not ready:
            break
        time.sleep(0.2)
    print(json.dumps({"left_out": list(map(str, waiting)), "seconds": round(time.monotonic() - began, 1)}))
    if options.pack:
        with tarfile.open(options.pack, "w:gz") as pack:
            for folder in filter(finished, jobs(options)):
                pack.add(folder, filter=lambda file: None if file.name.endswith((".safetensors", ".pt")) else file)


def jobs(options: argparse.Namespace) -> list[Path]:
    """Return the folders of the translations and trainings, the important ones first."""
    found = {system: [] for system in options.systems}
    for path in sorted(Path("results").glob("[56]_*/**/job.json")):
        recipe = json.loads(path.read_text())
        settings, study = recipe["settings"], recipe["hints"]["knobs"]["study"]
        if settings["system"] in found and (settings["scale"], study) == (options.scale, options.study):
            found[settings["system"]].append(path.parent)
    ordered = [folder for system in options.systems for folder in found[system]]
    return sorted(ordered, key=lambda folder: folder.parts[1], reverse=True)


def inputs(folder: Path) -> list[Path]:
    return list(map(Path, json.loads((folder / "job.json").read_text())["inputs"].values()))


def finished(folder: Path) -> bool:
    return (folder / "manifest.json").is_file()


def start(folder: Path, device: str) -> subprocess.Popen:
    environment = os.environ | {"DOCMT_ON_CLUSTER": "1"}  # several jobs share the GPU: no lock
    return subprocess.Popen([sys.executable, "-c", JOB, folder, device], env=environment)


if __name__ == "__main__":
    main()
