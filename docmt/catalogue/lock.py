"""The lock file with the digests of first downloads, for files whose digest the catalogue does not state."""

import json
from collections.abc import Mapping
from pathlib import Path

from docmt.base.artifacts import folder_lock, write_json
from docmt.base.errors import quoted
from docmt.base.foreign import reading
from docmt.base.paths import RESULTS

# The file with the digest of the first download of each file whose digest the catalogue does not state.
LOCK = f"{RESULTS}/checksums.lock.json"


def locked_checksums(lock: Path) -> dict[str, str]:
    """Return the digest of the first download of each file, by `corpus/file`. Raises UserError for another file."""
    remedy = "restore it, or remove it: then each first download is recorded again"
    with reading(lock, "not a lock file of downloads", "a digest by the name corpus/file", remedy):
        locked = json.loads(lock.read_text(encoding="utf-8")) if lock.exists() else {}
        if not isinstance(locked, dict) or not all(isinstance(digest, str) for digest in locked.values()):
            raise TypeError(quoted(locked))
    return locked


def place_in_lock(lock: Path | str, key: str) -> str:
    """Return the place of a digest in the lock file for messages: the path and the number of the line."""
    path = Path(lock)
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    number = next((number for number, line in enumerate(lines, 1) if f'"{key}"' in line), None)
    return f"{lock}:{number}" if number else str(lock)


def record_first(lock: Path, digests: Mapping[str, str]) -> None:
    """Add digests of first downloads to the lock file, by `corpus/file`; those that it has stay as they are."""
    if not digests:
        return
    lock.parent.mkdir(parents=True, exist_ok=True)
    with folder_lock(lock.parent):  # several jobs may write the lock file at the same time
        locked = locked_checksums(lock)
        if digests.keys() - locked.keys():
            write_json(lock, {**digests, **locked})
