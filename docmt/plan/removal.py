"""The removal of artifacts. The manifest goes first: a folder that looks finished is finished, also after a kill."""

import shutil
from collections.abc import Collection, Iterable
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.foreign import naming
from docmt.base.manifest import MANIFEST, normal_path
from docmt.base.paths import PAGE, RESULTS
from docmt.plan.explain import recipe_in
from docmt.plan.inventory import Artifact
from docmt.supervision.lease import holder_of


def chosen(artifacts: Iterable[Artifact], places: Iterable[Path], unused: bool) -> list[Artifact]:
    """Return the artifacts in places or folders, relative to the project's folder; with `unused`, those of nobody.

    Raises UserError for a place without artifacts. Downloads are never among the result.
    """
    removable = [artifact for artifact in artifacts if artifact.state != "downloads"]
    picked = {artifact.path: artifact for artifact in removable if unused and artifact.state == "unused"}
    for place in places:
        below = [artifact for artifact in removable if Path(artifact.path).is_relative_to(place)]
        if not below:
            remedy = "docmt list-results --all names what is there"
            raise UserError("no results are here", where=str(place), remedy=remedy)
        picked |= {artifact.path: artifact for artifact in below}
    return sorted(picked.values(), key=lambda artifact: artifact.path)


def check_idle(root: Path, artifacts: Collection[Artifact], every: Iterable[Artifact]) -> None:
    """Raise UserError where a job works on one of the artifacts, or reads one of them; `every`: all that are there."""
    removed = {Path(artifact.path) for artifact in artifacts}
    for path in (Path(artifact.path) for artifact in every):
        holder = holder_of(root / path)
        if holder is None:
            continue
        recipe = recipe_in(root / path)
        if path in removed or (recipe and removed & {*recipe.inputs.values()}):
            what = "a job works on this folder" if path in removed else "the job of this folder reads what is removed"
            raise UserError(what, where=str(path), found=holder.process, remedy="remove results when it has ended")


def remove(root: Path, artifact: Artifact) -> None:
    """Remove an artifact, the folders that are empty then, and links to its page."""
    folder = root / artifact.path
    with naming(folder):
        if folder.is_symlink():  # it leads to a folder of the user's elsewhere, which stays
            folder.unlink()
        else:
            (folder / MANIFEST).unlink(missing_ok=True)
            shutil.rmtree(folder)
        above = folder.parent
        while len(above.relative_to(root / RESULTS).parts) > 1 and not any(above.iterdir()):
            above.rmdir()
            above = above.parent
        for pattern in ("*", f"{PAGE.stage}/*/*/*"):
            for link in (root / RESULTS).glob(pattern):
                if link.is_symlink() and normal_path(link.parent / link.readlink()).is_relative_to(normal_path(folder)):
                    link.unlink()
