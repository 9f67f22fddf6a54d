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


def damaged_files(folder: Path) -> Iterator[DamagedFile]:
    """Yield the damaged files of a finished artifact below the present folder.

    Where its recipe, its manifest or its record is damaged, nobody knows the digests of its files.
    """
    mend = f"rm -r {quote(folder.as_posix())}"
    try:
        artifact = RunArtifact.read(Path(), folder.as_posix())
    except UserError as problem:
        yield DamagedFile(f"{folder}/{Path(problem.where or '').name}", problem.what, mend)
        return
    for name, stated in sorted(artifact.files.items()) if artifact else ():
        path = folder / name
        try:
            with reading(path, "it cannot be read"):
                need_file(path)
            actual = sha256_file(path)
        except UserError as problem:
            yield DamagedFile(path.as_posix(), problem.what, mend)
            continue
        if actual != stated.sha256:
            what = f"sha256 {actual[:DIGITS]}, not {stated.sha256[:DIGITS]} as its manifest or record states"
            yield DamagedFile(path.as_posix(), what, mend)
