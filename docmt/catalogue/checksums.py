"""The digests of first downloads, for files whose digest the catalogue does not state."""

from pathlib import Path

from docmt.base.artifacts import read_object_if_there

LOCK = "workflow/corpora/checksums.lock.json"
"""The file with the SHA-256 of the first download of each file, by `corpus/file`."""


def locked_checksums(lock: Path) -> dict[str, str]:
    """Return the SHA-256 of the first download of each file, by `corpus/file`.

    Raises UserError where the file is damaged.
    """
    return read_object_if_there(lock) or {}
