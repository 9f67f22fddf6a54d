"""The removal of artifacts that nobody needs: old versions that were set aside, and those of removed systems.

An artifact disappears from its place at once, before its files are removed one by one: a folder that looks complete is
complete, also after a kill. What a killed removal leaves is listed, and removed, by the next one.
"""

import shutil
import uuid
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.foreign import naming
from docmt.base.paths import ASIDE, RESULTS, STATE
from docmt.base.untrusted import inside
from docmt.plan.aside import PLACE
from docmt.plan.inventory import Artifact

LOCKS = ".snakemake/locks"
"""The folder of Snakemake's locks."""
DAY_S = 86_400.0


def removable(
    artifacts: Iterable[Artifact], aside: bool, orphans: bool, oldest: float = float("inf")
) -> list[Artifact]:
    """Return the artifacts to remove.

    `aside`: those that were set aside before the time `oldest`, in seconds, and that the next run does not move back.
    `orphans`: the orphaned artifacts and the state folders of their trainings, unless they run.
    """
    artifacts = [*artifacts]
    running = {artifact.path.replace(STATE, RESULTS, 1) for artifact in artifacts if artifact.state == "running"}
    return [
        artifact
        for artifact in artifacts
        if (aside and artifact.state == "set aside" and not artifact.is_asked and artifact.since <= oldest)
        or (orphans and artifact.state == "orphaned" and artifact.path not in running)
    ]


def check_lock(root: Path) -> None:
    """Raise UserError while a run of Snakemake works in the folder of the project."""
    if any((root / LOCKS).glob("*")):
        raise UserError(
            "a run of snakemake works in this folder",
            where=str(root / LOCKS),
            remedy="remove results when it has ended; after a run that was killed: snakemake --unlock",
        )


def remove(root: Path, artifact: Artifact) -> None:
    """Remove the files of an artifact, and folders that are empty then."""
    folder = root / artifact.path
    with naming(folder):
        if artifact.files:
            home = (root / artifact.files[0]).parent
            for file in artifact.files:  # the manifest is the first
                inside(home, (root / file).relative_to(home).as_posix()).unlink(missing_ok=True)
            prune(root, {(root / file).parent for file in artifact.files})
        elif artifact.state == "set aside":
            (folder / PLACE).unlink(missing_ok=True)
            shutil.rmtree(folder)
            prune(root, {folder.parent})
        else:
            # Without the file `place.json` it is listed as incomplete, and removed, after a kill.
            removed = root / ASIDE / f"removed-{uuid.uuid4().hex}"
            removed.parent.mkdir(parents=True, exist_ok=True)
            folder.replace(removed)
            # A link leads to a folder of the user's elsewhere, which stays.
            (removed.unlink if removed.is_symlink() else partial(shutil.rmtree, removed))()
            prune(root, {folder.parent})


def prune(root: Path, folders: Iterable[Path]) -> None:
    """Remove folders that are empty, and the empty folders above them up to the folder of their stage."""
    for folder in sorted(folders, key=lambda path: -len(path.parts)):
        while len(folder.relative_to(root / RESULTS).parts) > 1 and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
