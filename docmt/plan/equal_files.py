"""Lines about two systems of a study whose translations are the same files."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from docmt.grid.grid import Grid
from docmt.plan.outside import FileDigests
from docmt.settings.external import files_at
from docmt.settings.system import Entry


def lines_about_equal_files(grid: Grid, digests: FileDigests, studies: Iterable[str]) -> Iterator[str]:
    """Yield a line for each file that two systems of a study have under two names, on the same corpus."""
    for study in studies:
        seen: dict[tuple, Entry] = {}
        for entry in (entry for entry in grid.of_study(study) if grid.left_out(entry) is None):
            for path in grid.translations_for(entry):
                key = (entry.corpus, *(digests.of(file) for file in files_at(Path(path)).values()))
                other = seen.setdefault(key, entry)
                if other is not entry:
                    names = f"{other.system.name} and {entry.system.name}"
                    yield f"{names} of study {study} have the same translations of {entry.corpus}: {path}"
