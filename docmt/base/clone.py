"""The folders of a run: the clone, which has docmt's own files, and the present folder, which has those of the user.

The clone has `workflow/` (rules, studies, corpora, scales, downloads); a wheel brings the same files to `share/docmt`
of its environment. The present folder has `results/`, `logs/`, and what a user writes: config.yaml, studies and
corpora. They are one folder unless the user separates them: with `snakemake --directory`, in a study folder (`docmt
init`), or where another workflow takes docmt as a module. Nothing is written below the clone of another folder, so that
it may be read-only.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.paths import RESULTS

WORKFLOW = "workflow"  # The folder of docmt's own files in the clone.
CONFIG = "config.yaml"
# The folder of the package `docmt`: the clone, where docmt was installed from it with `pip install -e`.
PACKAGE_PARENT = Path(__file__).parents[2]
SHARE = Path(sys.prefix, "share", "docmt")  # The files of the clone, where docmt was installed from a wheel.


def clone_of(root: Path) -> Path:
    """Return the clone whose `workflow/` is used in the folder `root`: this folder, or that of this package.

    Raises UserError where neither has `workflow/`: the package was copied without it.
    """
    for folder in (root, PACKAGE_PARENT, SHARE):
        if (folder / WORKFLOW / "scales").is_dir():
            return folder
    raise UserError(
        "no workflow is there: docmt was installed as a copy, without the files of its clone",
        where=str(root / WORKFLOW),
        found=f"the package in {PACKAGE_PARENT}",
        expected="a clone of docmt, installed with pip install -e, or a wheel of it",
        remedy="git clone docmt, and in the clone: pip install -c pins.txt -e .",
    )


def settings_folder(root: Path, clone: Path | None = None) -> Path:
    """Return the folder of config.yaml for the folder `root`: this folder or, where it has none, the clone.

    `clone`: the clone of the workflow that runs; None without a workflow.
    """
    # Without a workflow, `root` must have results: a mistyped folder does not take the settings of the clone.
    if (root / CONFIG).is_file() or (clone is None and not (root / RESULTS).exists()):
        return root
    return clone or clone_of(root)


@dataclass(frozen=True)
class Folders:
    """The folders of a run: `root` has the results, `settings` has config.yaml, and `clone` has `workflow/`."""

    root: Path
    settings: Path
    clone: Path

    @classmethod
    def of(cls, root: Path, clone: Path | None = None) -> "Folders":
        """Return the folders of a run in `root`, with the workflow of `clone`. Raises UserError without a clone."""
        return cls(root, settings_folder(root, clone), clone or clone_of(root))
