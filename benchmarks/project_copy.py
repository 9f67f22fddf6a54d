"""A copy of the project for benchmarks of the workflow."""

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]


def copy_project(folder: Path) -> None:
    """Copy what a run reads into a new folder; an old one of this path is removed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("config.yaml", "Snakefile"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("workflow", "profiles", "slurm", "envs"):
        shutil.copytree(ROOT / name, folder / name)
