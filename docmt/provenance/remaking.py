"""A target made again in a folder of its own: its settings, the files of the user, and the run of its jobs."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object, write_json
from docmt.base.errors import UserError

MARK = "reproduce.json"
"""The file of a folder in which a target is made again; a folder with the same content is continued."""
NO_STORE = {"store_mode": "off"}
"""The settings with which nothing comes from a store."""


def prepare_folder(folder: Path, entries: Mapping[str, Path], mark: Mapping[str, str], copies: bool = False) -> None:
    """Link files and folders into a new folder, by their names there; one that was begun with the same `mark` stays.

    `copies`: whether they are copied, since they do not stay where they are. Raises UserError where the folder has
    other files.
    """
    if (folder / MARK).is_file() and read_object(folder / MARK) == dict(mark):
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what, remedy = "the folder has other files", "name a new --folder, or remove this one"
        raise UserError(what, where=str(folder), remedy=remedy)
    folder.mkdir(parents=True, exist_ok=True)
    for path, place in entries.items():
        if not copies:
            (folder / path).symlink_to(place.absolute())
        elif place.is_dir():
            shutil.copytree(place, folder / path)
        else:
            shutil.copy(place, folder / path)
    write_json(folder / MARK, dict(mark))


def run_snakemake(folder: Path, target: str, cores: int, config: Mapping[str, Any]) -> None:
    """Make a target in a folder. Raises UserError where Snakemake does not end with success."""
    stated = {**config, **NO_STORE}
    texts = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in stated.items()]
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), target, "--config", *texts]
    # Python would import modules from the folder, before those that are installed.
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    status = subprocess.run(command, cwd=folder, stdout=2, env=environment).returncode
    if status:
        raise UserError(
            "snakemake failed to make the target again",
            where=str(folder),
            found=f"status {status}; its messages are above",
            remedy="run the same command again: it goes on with what is there",
        )
