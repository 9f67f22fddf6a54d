"""The folders of the results that a job reads, by the names in their paths."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.paths import RESULTS, Folder

OLD = f"{RESULTS}/frozen_grid.json"  # A file that runs of older versions wrote, whose folders had no ids.


@dataclass(frozen=True)
class ResultFolders:
    """The folders of results."""

    root: Path  # The folder of all results.
    # Where single results are, by their paths below `root` (`7_scores/paper/toy_zh-en/sentence/seed1`); others are at
    # their paths.
    folders: Mapping[str, Path] = field(default_factory=dict)

    def at(self, folder: Folder, **names: str | int) -> Path:
        """Return the folder of a result; it need not exist."""
        part = folder.part(**names)
        return self.folders.get(part, self.root / part)

    def file(self, path: str) -> Path:
        """Return a file of a result by its path below `root`; it need not exist."""
        part, _, name = path.rpartition("/")
        return self.folders.get(part, self.root / part) / name


def check_layout(root: Path) -> None:
    """Raise UserError where an older version of docmt has made the results of a project."""
    if (root / OLD).exists():
        what, remedy = "results of an older docmt, whose folders have no ids", "move results/ away, and run snakemake"
        raise UserError(what, where=str(root / RESULTS), found=OLD, remedy=remedy)
