"""Small artifacts as jobs leave them, for tests of stores."""

import json
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from docmt.base.artifacts import atomic_file, write_json
from docmt.base.digests import indented_json
from docmt.base.manifest import MANIFEST, RECORD, read_manifest, sealed
from docmt.base.recipe import Recipe
from docmt.base.sealing import sealing
from docmt.store.entries import StoreEntry
from docmt.store.store import Store, open_store

WEIGHTS = "model/weights.txt"


def recipe_of(seed: int = 1) -> Recipe:
    return Recipe("train", 1, {"seed": seed}, Path(f"results/5_training/toy_zh-en/sentence/seed{seed}"))


def make_artifact(folder: Path, text: str = "a model\n", seed: int = 1) -> Path:
    """Write an artifact with two files as a job does, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with sealing(recipe_of(seed), folder) as seal:
        with atomic_file(folder / WEIGHTS) as stream:
            stream.write(text)
        write_json(folder / "speed.json", {"seconds": 3})
        seal.close(records=["speed.json"])
    return folder


def entry_of(folder: Path) -> StoreEntry:
    identity = read_manifest(folder / MANIFEST).identity
    recipe = next(recipe for recipe in map(recipe_of, range(1, 100)) if recipe.identity == identity)
    values = {name: json.loads((folder / name).read_bytes()) for name in (MANIFEST, RECORD)}
    return StoreEntry(recipe.place.as_posix(), recipe.asked, values)


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def new_store(folder: Path, mode: int = 0o755) -> Store:
    """Begin a store in a new folder with this mode."""
    folder.mkdir()
    folder.chmod(mode)
    store = open_store(str(folder))
    store.begin()
    return store


def write_key(path: Path, number: int = 1, passphrase: bytes | None = None) -> str:
    """Write a private key of OpenSSH, and return its public line."""
    key = Ed25519PrivateKey.from_private_bytes(b"%d" % number * 32)
    encryption = BestAvailableEncryption(passphrase) if passphrase else NoEncryption()
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, encryption))
    path.chmod(0o600)
    return key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def reseal(value: dict[str, Any], change: Any) -> None:
    """Change a sealed object as somebody does who writes a right digest beside it."""
    value.pop("digest", None)
    change(value)
    value.update(sealed(value))


def rewrite_entry(path: Path, change: Any) -> None:
    """Change the file of an entry, and its digest."""
    value = json.loads(path.read_text())
    reseal(value, change)
    path.chmod(0o644)
    path.write_text(indented_json(value))
