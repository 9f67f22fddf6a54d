"""Small artifacts as jobs leave them, for tests of stores."""

import json
from pathlib import Path
from typing import Any

from docmt.base.artifacts import atomic_file, write_json
from docmt.base.asked import Asked
from docmt.base.digests import indented_json
from docmt.base.manifest import MANIFEST, sealed
from docmt.base.sealing import sealing
from docmt.store.addresses import open_store
from docmt.store.entries import StoreEntry
from docmt.store.store import FORMAT, HEAD, Store

WEIGHTS = "model/weights.txt"


def make_artifact(folder: Path, text: str = "a model\n", seed: int = 1) -> Path:
    """Write an artifact with two files as a job does, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(Asked("train", {"seed": seed}).text(), encoding="utf-8")
    with sealing(folder / "settings.json", "train", folder) as seal:
        with atomic_file(folder / WEIGHTS) as stream:
            stream.write(text)
        write_json(folder / "speed.json", {"seconds": 3})
        seal.close(records=["speed.json"])
    return folder


def entry_of(folder: Path) -> StoreEntry:
    return StoreEntry.of_folder("train", {"seed": "1"}, folder / MANIFEST)


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def new_store(folder: Path, mode: int = 0o755) -> Store:
    """Begin a store in a new folder with this mode.

    Its folders are made one by one when they are needed: to make and remove all of them takes most of a test's time.
    """
    folder.mkdir()
    folder.chmod(mode)
    store = open_store(str(folder))
    store.backend.create(HEAD, indented_json({"format": FORMAT}).encode())
    return store


def resealed(text: str, change: Any) -> str:
    """The text of a sealed JSON file after a change by somebody who writes a right digest beside it."""
    value = json.loads(text)
    value.pop("digest", None)
    change(value)
    return indented_json(sealed(value))
