"""Steps between what a source gives and the file that is stored: a member of a zip, a tar of a folder, line ends."""

import shutil
import zipfile
from pathlib import Path

from docmt.base.digests import BYTES_AT_ONCE
from docmt.base.foreign import first_line, is_of_disk, naming
from docmt.catalogue.checksums import content
from docmt.fetching.problems import WrongContent


def extract_member(archive: Path, member: str, output: Path) -> None:
    """Write the member of a zip whose path is `member`, or ends in it, to `output`.

    Raises WrongContent where the file is no zip, and where it has no such member or several.
    """
    try:
        with zipfile.ZipFile(archive) as zipped:
            paths = [name for name in zipped.namelist() if name == member or name.endswith(f"/{member}")]
            if len(paths) != 1:
                raise WrongContent(f"the zip has {len(paths)} members {member}, expected one")
            with zipped.open(paths[0]) as stored, naming(output), output.open("wb") as stream:
                shutil.copyfileobj(stored, stream, BYTES_AT_ONCE)
    except WrongContent:
        raise
    except Exception as problem:
        # For a damaged zip the library raises errors of many classes.
        if is_of_disk(problem):
            raise
        raise WrongContent(f"not a zip, or damaged: {first_line(problem)}") from None


def write_content(path: Path, output: Path, line_ends: str = "keep") -> None:
    """Write a file with other line ends to `output`, or a tar of the files of a folder; see `content`."""
    with naming(output), output.open("wb") as stream:
        stream.writelines(content(path, line_ends))
