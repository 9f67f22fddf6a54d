"""The sets of files beside corpora that docmt can download: checkpoints, gold alignments, test sets.

`workflow/downloads` has a file for each set.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from docmt.base.checks import Checked, need, need_path, setting
from docmt.base.errors import UserError
from docmt.base.names import NAMES_HAVE, is_name
from docmt.base.parse import parse
from docmt.base.yaml_files import load_yaml
from docmt.catalogue.files import FileConfig

FOLDER = Path("workflow/downloads")
"""The folder of the files of sets, relative to the clone."""


@dataclass(frozen=True, kw_only=True)
class FileSetConfig(Checked):
    """The schema of `workflow/downloads/<set>.yaml`."""

    set: str
    kind: Literal["checkpoint", "alignments", "contrastive", "expected_words"]
    about: str
    licence: str
    citation: str
    folder: str = setting("", "folder of the files; settings name the folder of a checkpoint", need_path)
    gigabytes: float = setting(0.0, "size of all files together in GB, rounded")
    files: tuple[FileConfig, ...]

    def __post_init__(self) -> None:
        """Check the name, the folder, the size, and that each file is listed once."""
        super().__post_init__()
        need(is_name(self.set), "set", self.set, NAMES_HAVE)
        need(bool(self.folder), "folder", self.folder, "the folder of the files")
        need(self.gigabytes >= 0, "gigabytes", self.gigabytes, "0 or more")
        names = [file.name for file in self.files]
        repeated = sorted({name for name in names if names.count(name) > 1})
        need(not repeated, "files", repeated, "each file once")

    @property
    def bytes(self) -> float:
        """The size of all files together in bytes, rounded."""
        return self.gigabytes * 1e9


def load_file_sets(clone: Path) -> dict[str, FileSetConfig]:
    """Return the sets of a clone by their names.

    Raises UserError for a mistake in a file, and where a set is not named as its file.
    """
    sets = map(load_file_set, sorted((clone / FOLDER).glob("*.yaml")))
    return {config.set: config for config in sets}


def load_file_set(path: Path) -> FileSetConfig:
    """Return the set of a file. Raises UserError for a mistake, and where the set is not named as the file."""
    value, lines = load_yaml(path)
    config = parse(FileSetConfig, value, lines)
    if config.set != path.stem:
        where = lines.place(("set",))
        raise UserError("the set is not named as its file", where=where, found=config.set, expected=path.stem)
    return config
