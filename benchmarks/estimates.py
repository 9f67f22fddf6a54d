"""Estimates of finished trainings beside the device-hours that they took.

    python benchmarks/estimates.py PROJECT [--config KEY=VALUE ...]

PROJECT is a folder in which studies were run. Each finished training is estimated three times: as before its run, when
nothing but the catalogue was known; from the cards of stages 2 and 3, at the assumed rate; and from the cards and the
records of all other trainings, without its own.
"""

import argparse
import copy
from pathlib import Path

from docmt.base.artifacts import read_object
from docmt.base.manifest import RECORD
from docmt.grid.grid import load_grid
from docmt.plan.estimates import Estimates
from docmt.plan.plan import Job, Plan


def known(plan: Plan, *steps: str, but: Job | None = None) -> Plan:
    """Return the plan as if only jobs of some steps had run, and not one of them."""
    less = copy.copy(plan)
    less.folder = lambda step, names: (
        plan.folder(step, names) if step in steps and Job.of(step, **names) != but else None
    )
    return less


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("--config", nargs="*", default=[])
    arguments = parser.parse_args()
    config = dict(pair.split("=", 1) for pair in arguments.config)
    plan = Plan(load_grid(arguments.project, config), arguments.project)
    trained = [(entry, seed) for entry in plan.grid.entries if entry.has_model for seed in entry.seeds]
    jobs = {Job.of("train", corpus=e.corpus, system=e.trained, seed=seed): e for e, seed in trained}
    print("| training | seconds | before any run | with cards | with cards and other records |")
    print("|---|---|---|---|---|")
    for job, entry in jobs.items():
        folder = plan.folder(job.step, job.names)
        if folder is None or not plan.is_finished(job):
            continue
        record, cells = read_object(folder / RECORD), []
        for steps in ((), ("tokens", "views"), ("tokens", "views", "train")):
            estimate = Estimates(known(plan, *steps, but=job), record["device"]).hours(entry)
            cells.append("unknown" if estimate is None else f"{estimate / record['device_hours']:.2f}")
        name = f"{entry.corpus} {entry.trained}"
        print(f"| {name} | {record['device_hours'] * 3600:.0f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
