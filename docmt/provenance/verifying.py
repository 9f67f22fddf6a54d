"""The check of every byte of finished artifacts: `docmt list-results --verify`. Nothing is written."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from docmt.base.digests import sha256_file
from docmt.base.errors import UserError
from docmt.base.foreign import need_file, reading
from docmt.base.manifest import DIGITS
from docmt.provenance.artifacts import RunArtifact


@dataclass(frozen=True)
class DamagedFile:
    """A file that is missing or has other bytes, what is wrong with it, and the command that removes its artifact."""

    path: str
    problem: str
    mend: str


def damaged_files(root: Path, folder: Path) -> Iterator[DamagedFile]:
    """Yield the damaged files of the finished artifact in a folder, relative to the project's folder `root`.

    Where its recipe, its manifest or its record is damaged, nobody knows the digests of its files.
    """
    mend = f"rm -r {quote((root / folder).as_posix())}"
    try:
        artifact = RunArtifact.read(root, folder.as_posix())
    except UserError as problem:
        yield DamagedFile(f"{folder}/{Path(problem.where or '').name}", problem.what, mend)
        return
    for name, stated in sorted(artifact.files.items()) if artifact else ():
        path, place = folder / name, root / folder / name
        try:
            with reading(place, "it cannot be read"):
                need_file(place)
            actual = sha256_file(place)
        except UserError as problem:
            yield DamagedFile(path.as_posix(), problem.what, mend)
            continue
        if actual != stated.sha256:
            what = f"sha256 {actual[:DIGITS]}, not {stated.sha256[:DIGITS]} as its manifest or record states"
            yield DamagedFile(path.as_posix(), what, mend)
