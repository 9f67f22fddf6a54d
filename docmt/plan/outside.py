"""The digests of files that are not outputs of jobs: downloads, checkpoints and files of the user's.

They are part of the identities of jobs, so that a changed file makes again what was made from it. Reading large files
at each plan would take long: a digest is remembered with the size, the time and the number (inode) of its file.
"""

from pathlib import Path

from docmt.base.artifacts import read_object, write_json
from docmt.base.digests import kind_of
from docmt.base.errors import UserError
from docmt.base.manifest import check_seal, sealed
from docmt.base.paths import RESULTS
from docmt.catalogue.checksums import file_digest
from docmt.catalogue.files import FileConfig

MEMORY = f"{RESULTS}/digests.json"
"""The file that remembers digests; nothing is lost where it is removed."""
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
        """Return the SHA-256 of a file; for a file of the catalogue a digest of the kind that the catalogue states.

        Raises UserError where the file cannot be read.
        """
        kind = kind_of(file.digest) if file else "sha256"
        objects = file.git_objects if file else {}
        place = self.root / path
        try:
            status = place.stat()
        except OSError:
            return file_digest(place)  # raises the UserError
        version = [status.st_size, status.st_mtime_ns, status.st_ino]
        # The digest of an archive depends on the paths in it whose content is checked.
        key = "\n".join([str(place.absolute()), *([kind] if kind != "sha256" else []), *sorted(objects)])
        *known, result = self._remembered.get(key, [None])
        if known != version:
            result = file_digest(place, kind, objects)
            self._remembered[key] = [*version, result]
            self._is_changed = True
        return result

    def save(self) -> None:
        """Write the digests for the next plan, without those of files that are gone."""
        if self._is_changed:
            files = {key: entry for key, entry in sorted(self._remembered.items()) if Path(key.split("\n")[0]).exists()}
            write_json(self._path, sealed({"files": files}))
            self._is_changed = False
