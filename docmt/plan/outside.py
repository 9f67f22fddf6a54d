"""The digests of files that are not outputs of jobs: downloads, checkpoints and files of the user's.

They are part of the identities of jobs, so that a changed file makes again what was made from it. Reading large files
at each plan would take long: a digest is remembered with the size, the time and the number (inode) of its file.
"""

from pathlib import Path

from docmt.base.artifacts import read_object, write_json
from docmt.base.digests import kind_of, sha256_file
from docmt.base.errors import UserError
from docmt.base.manifest import check_seal, sealed
from docmt.base.paths import RESULTS
from docmt.catalogue.checksums import file_digest
from docmt.catalogue.files import FileConfig
from docmt.catalogue.folders import version_of

MEMORY = f"{RESULTS}/digests.json"  # The file that remembers digests; nothing is lost where it is removed.
REMEDY = f"delete the file; digests are then computed again ({MEMORY})"


class FileDigests:
    """The digests of files, each computed once as long as the file does not change."""

    def __init__(self, root: Path = Path()) -> None:
        """Read the remembered digests of the project in the folder `root`; a damaged file is no reason to stop."""
        self.root, self._path = root, root / MEMORY
        self._remembered: dict[str, list] = self._read()
        self._is_changed = False

    def _read(self) -> dict[str, list]:
        """Return the remembered digests; none where the file is missing or was changed by hand."""
        try:
            value = read_object(self._path, "files", "digest")
            check_seal(value, self._path, REMEDY)
            return dict(value["files"])
        except UserError:
            return {}

    def of(self, path: Path, file: FileConfig | None = None) -> str:
        """Return the SHA-256 of a file, or the catalogue's kind of digest. Raises UserError without the file."""
        place = self.root / path
        try:
            status = place.stat()
        except OSError:
            return sha256_file(place)  # raises the UserError
        version = [status.st_size, status.st_mtime_ns, status.st_ino]
        if place.is_dir():
            version = [*version, version_of(place)]
        key = "\n".join([str(place.absolute()), *_manner(file)])
        *known, result = self._remembered.get(key, [None])
        if known != version:
            result = file_digest(place, file) if file else sha256_file(place)
            self._remembered[key] = [*version, result]
            self._is_changed = True
        return result

    def save(self) -> None:
        """Write the digests for the next plan, without those of files that are gone."""
        if self._is_changed:
            files = {key: entry for key, entry in sorted(self._remembered.items()) if Path(key.split("\n")[0]).exists()}
            write_json(self._path, sealed({"files": files}))
            self._is_changed = False


def _manner(file: FileConfig | None) -> list[str]:
    """Return how the digest of a file is computed, where it is not the SHA-256 of its bytes."""
    # The digest of an archive depends on the paths in it whose content is checked.
    if file is None:
        return []
    kind = kind_of(file.digest)
    manner = [*([kind] if kind != "sha256" else []), *([file.line_ends] if file.line_ends != "keep" else [])]
    return [*manner, *sorted(file.git_objects)]
