"""How fast `docmt list-results --verify` reads: python benchmarks/verifying.py FOLDER [GIGABYTES].

The record is manifests.md.

FOLDER is a finished project, or a new folder that gets so many gigabytes of random files of 64 MiB with manifests.
The command and `sha256sum` of the same files run in turn, each as a whole process, with the files in memory.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from docmt.base.artifacts import atomic_file
from docmt.base.recipe import Recipe
from docmt.base.sealing import sealing

PAIRS = 9
MIB = 2**20
SUMS = "find results -type f -print0 | xargs -0 sha256sum > /dev/null"


def prepare(root: Path, gigabytes: float) -> None:
    """Write trainings of one file each."""
    for seed in range(round(gigabytes * 1e9 / (64 * MIB))):
        recipe = Recipe("train", 1, {}, root / f"results/5_training/corpus/system/seed{seed}")
        recipe.write()
        with sealing(recipe), atomic_file(recipe.folder / "model.safetensors", "wb") as stream:
            stream.write(os.urandom(64 * MIB))


def seconds(command: list[str], root: Path) -> float:
    """How long a command takes by the clock."""
    start = time.perf_counter()
    subprocess.run(command, cwd=root, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Print the rates and the median of the ratios."""
    root, gigabytes = Path(sys.argv[1]), float((sys.argv[2:] or ["0"])[0])
    if not (root / "results").exists():
        prepare(root, gigabytes)
    size = sum(path.stat().st_size for path in (root / "results").rglob("*") if path.is_file()) / 1e6
    commands = ["docmt", "list-results", "--verify"], ["sh", "-c", SUMS]
    pairs = [[seconds(command, root) for command in commands] for _ in range(PAIRS + 1)][1:]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(other / own for own, other in pairs)
    print(f"{size:,.0f} MB: docmt {size / ours:,.0f} MB/s, sha256sum {size / theirs:,.0f} MB/s, rate {ratio:.2f} of it")


if __name__ == "__main__":
    main()
