"""`docmt init`: a folder for studies of one's own outside the clone: what a user edits, and links to the clone."""

import re
import shutil
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.artifacts import atomic_folder, need_new_folder
from docmt.base.clone import CONFIG, WORKFLOW, clone_of
from docmt.base.errors import UserError
from docmt.base.screen import answer
from docmt.cli.options import AsJson

TEMPLATE = Path(WORKFLOW, "study-folder")  # The folder of the clone with the files that each study folder gets.
LINKED = (WORKFLOW, "envs")  # What stays in the clone.
COPIED = ("profiles", "slurm")  # Folders of settings that a user edits.
IGNORED = "results/\nlogs/\n.snakemake/\n/models/\n/downloads/\n"
# The studies that config.yaml names, on one line or on several.
STUDIES = re.compile(r"^studies:.*\n(?:[ -].*\n)*", re.MULTILINE)
EXAMPLE = "studies/example.yaml"


def init(
    folder: Annotated[Path, typer.Argument(help="the folder to make", metavar="FOLDER")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Make a folder for studies of your own.

    It is outside the clone, and has config.yaml, profiles, an example and a README. snakemake and docmt work in this
    folder, and write there alone: the clone may be read-only. Without FOLDER it is the present folder, which must be
    empty.
    """
    clone = clone_of(Path())
    make_study_folder(folder, clone)
    record = {"folder": folder, "clone": clone.resolve(), "study": folder / EXAMPLE}
    answer(as_json, record, f"{folder}: edit config.yaml and {EXAMPLE}; README.md has the commands")


def make_study_folder(folder: Path, clone: Path) -> None:
    """Make a study folder: config.yaml, profiles, an example of a study, a README, and links to the clone.

    Raises UserError where the folder has files, and where it is inside the clone.
    """
    clone = clone.resolve()
    if folder.resolve().is_relative_to(clone):
        raise UserError(
            "a study folder is outside the clone",
            where=str(folder),
            found=f"a folder in {clone}",
            remedy="name another folder; in the clone itself, snakemake and docmt work without it",
        )
    is_here = folder.resolve() == Path.cwd()
    if not is_here or any(folder.iterdir()):
        need_new_folder(folder)
    # The present folder itself cannot be replaced by a finished one.
    made = folder / ".new" if is_here else folder
    with atomic_folder(made) as new:
        shutil.copytree(clone / TEMPLATE, new, dirs_exist_ok=True)
        shutil.copy(clone / "Snakefile", new)
        for name in COPIED:
            shutil.copytree(clone / name, new / name)
        for name in LINKED:
            (new / name).symlink_to(clone / name)
        text = (clone / CONFIG).read_text(encoding="utf-8")
        (new / CONFIG).write_text(STUDIES.sub(f"studies: [{EXAMPLE}]\n", text, count=1), encoding="utf-8")
        (new / ".gitignore").write_text(IGNORED, encoding="utf-8")
        for path in (new, *new.rglob("*")):  # files of a read-only clone are copied with their modes
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | 0o200)
    if is_here:
        for path in made.iterdir():
            path.rename(folder / path.name)
        made.rmdir()
