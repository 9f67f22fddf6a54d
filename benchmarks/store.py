"""What a push and a pull cost beside a plain copy: python benchmarks/store.py FOLDER [PAIRS]; the record is store.md.

An artifact of a few large files (3 of 1 GB), and one of 10,000 small ones (100 MB), on the disk of FOLDER. Each round
has, one after another, `cp -r` alone, `cp -r` with `sync -f` after it (bytes that are on the disk, as those of a push
are), a push to a new store, and a pull from it, so that other work on the machine meets all of them. The least time of
PAIRS rounds (5) counts, and so does the median of the quotients of each round.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from docmt.base.recipe import Recipe
from docmt.base.sealing import sealing
from docmt.store.entries import StoreEntry
from docmt.store.store import open_store

SETS = {"3 files of 1 GB": (3, 1_000_000_000), "10,000 files of 10 kB": (10_000, 10_000)}
BLOCK = 1 << 20


def make_artifact(place: Path, count: int, size: int) -> Recipe:
    """Write an artifact of files with bytes that differ, as a job does; return its recipe."""
    recipe = Recipe("train", 1, {"count": count}, place)
    for number in range(count):
        path = recipe.folder / f"files/{number // 100}/{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as stream:
            for start in range(0, size, BLOCK):
                stream.write(os.urandom(min(BLOCK, size - start)))
    with sealing(recipe) as seal:
        seal.close(events=sorted(recipe.folder.glob("files/*/*")))
    return recipe


def seconds_of(action: Callable[[], object]) -> float:
    """Return how long an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def copy(source: Path, target: Path, is_on_disk: bool) -> None:
    """Copy a folder with cp, and wait for the disk where this is wanted."""
    subprocess.run(["cp", "-r", source, target], check=True)
    if is_on_disk:
        subprocess.run(["sync", "-f", target], check=True)


def round_of(folder: Path, recipe: Recipe) -> dict[str, float]:
    """Return the seconds of each action, all in new folders of a disk that has nothing left to write."""
    entry, job = StoreEntry.of_recipe(recipe), recipe.folder
    (folder / "store").mkdir()
    store = open_store(str(folder / "store"))
    store.begin()
    actions: dict[str, Callable[[], object]] = {
        "cp": lambda: copy(job, folder / "copy", is_on_disk=False),
        "cp, sync": lambda: copy(job, folder / "synced", is_on_disk=True),
        "push": lambda: store.push(entry, job),
        "pull": lambda: store.pull(entry, folder / "pulled"),
    }
    seconds = {}
    for name, action in actions.items():
        os.sync()
        seconds[name] = seconds_of(action)
    for name in ("store", "copy", "synced", "pulled"):
        shutil.rmtree(folder / name)
    return seconds


def main() -> None:
    """Measure each set of files."""
    folder, pairs = Path(sys.argv[1]).absolute(), int((sys.argv[2:] or ["5"])[0])
    for title, (count, size) in SETS.items():
        recipe = make_artifact(folder / "job", count, size)
        rounds = []
        for _ in range(pairs):
            rounds.append(round_of(folder, recipe))
            times = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in rounds[-1].items())
            print(f"{title}: {times}; load {os.getloadavg()[0]:.1f}", flush=True)
        for name, other in (("push", "cp"), ("push", "cp, sync"), ("pull", "cp"), ("pull", "cp, sync")):
            ratio = statistics.median(seconds[name] / seconds[other] for seconds in rounds)
            least = min(seconds[name] for seconds in rounds) / min(seconds[other] for seconds in rounds)
            print(f"{title}: {name} / {other}: median {ratio:.2f}, least {least:.2f}", flush=True)
        shutil.rmtree(recipe.place)


if __name__ == "__main__":
    main()
