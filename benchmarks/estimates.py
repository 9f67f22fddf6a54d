"""Estimates of finished trainings beside the device-hours that they took.

    python benchmarks/estimates.py PROJECT [--config KEY=VALUE ...]

PROJECT is a folder in which studies were run. Each finished training is estimated three times: as before its run, when
nothing but the catalogue was known; from the cards of stages 2 and 3, at the assumed rate; and from the cards and the
records of all other trainings, without its own.
"""

import argparse
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from docmt.base.artifacts import read_object
from docmt.base.paths import RESULTS, TRAINING
from docmt.grid.grid import Grid, load_grid
from docmt.plan.estimates import Estimates
from docmt.settings.system import Entry

CARDS = ("2_tokens/*/*/card.json", "3_views/*/*/*/card.json")


def record_of(grid: Grid, entry: Entry, seed: int) -> str:
    """Return the path of the record of a training below the folder of results."""
    names = {"scale": grid.scale, "corpus": entry.corpus, "system": entry.trained, "seed": seed}
    return f"{TRAINING.part(**names)}/record.json"


def copied(results: Path, files: list[str], place: Path) -> Path:
    """Return the folder `place` with copies of some files of the results."""
    for file in files:
        (place / file).parent.mkdir(parents=True)
        shutil.copy(results / file, place / file)
    return place


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("--config", nargs="*", default=[])
    arguments = parser.parse_args()
    grid = load_grid(arguments.project, dict(pair.split("=", 1) for pair in arguments.config))
    results = arguments.project / RESULTS
    cards = [str(path.relative_to(results)) for pattern in CARDS for path in results.glob(pattern)]
    every = {record_of(grid, entry, seed): entry for entry in grid.entries for seed in entry.seeds}
    finished = {path: entry for path, entry in every.items() if (results / path).exists()}
    print("| training | seconds | before any run | with cards | with cards and other records |")
    print("|---|---|---|---|---|")
    for path, entry in finished.items():
        record, cells = read_object(results / path), []
        for files in ([], cards, [*cards, *(other for other in finished if other != path)]):
            with TemporaryDirectory() as folder:
                estimates = Estimates(grid, copied(results, files, Path(folder)), record["device"])
                estimate = estimates.hours(entry)
            cells.append("unknown" if estimate is None else f"{estimate.hours / record['device_hours']:.2f}")
        name = f"{entry.corpus} {entry.trained}"
        print(f"| {name} | {record['device_hours'] * 3600:.0f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
