"""The sets of files beside corpora that docmt can download: checkpoints, gold alignments, test sets.

`workflow/downloads` has a file for each set.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from docmt.base.checks import Checked, need_name, need_path, needed, setting, within
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.yaml_files import load_yaml
from docmt.catalogue.files import FileConfig, need_each_once

FOLDER = Path("workflow/downloads")  # The folder of the files of sets, relative to the clone.


@dataclass(frozen=True, kw_only=True)
class FileSetConfig(Checked):
    """The schema of `workflow/downloads/<set>.yaml`."""

    set: str = needed("name of the set, which is that of its file", need_name)
    kind: Literal["checkpoint", "alignments", "contrastive", "expected_words"]
    about: str
    licence: str
    citation: str
    folder: str = needed("folder of the files; settings name the folder of a checkpoint", need_path)
    gigabytes: float = setting(0.0, "size of all files together in GB, rounded", within("0 or more", minimum=0))
    files: tuple[FileConfig, ...] = needed("files to download", need_each_once)

    @property
    def bytes(self) -> float:
        """The size of all files together in bytes, rounded."""
        return self.gigabytes * 1e9


def load_file_sets(clone: Path) -> dict[str, FileSetConfig]:
    """Return the sets of a clone by their names. Raises UserError for a mistake, and another name than the file's."""
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
