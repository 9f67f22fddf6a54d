"""The jobs of external systems, which adopt a file or ask a program: inputs, files, and lines about equal files."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from docmt.plan.grid import Grid
from docmt.plan.needs import Inputs, libraries_of_side, of_data
from docmt.plan.outside import FileDigests
from docmt.settings.external import CommandTranslations, files_at
from docmt.settings.programs import need_program
from docmt.settings.system import Entry

Names = Mapping[str, str]


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the corpus, with the lines of the test set, and its text, by which translations are tokenised."""
    entry = grid.find(names["corpus"], names["system"])
    data = {"corpus": grid.data_folder(entry.corpus), "text": entry.system.text}
    return Inputs({"corpus": ("corpus", {"corpus": data["corpus"]}), **of_data(grid, data).roles})


def path_of(grid: Grid, names: Names) -> Path | None:
    """Return the path of the user's translations; None where the scale has generated lines in their place."""
    entry = grid.find(names["corpus"], names["system"])
    if grid.has_stand_ins:
        return None
    return Path(entry.system.source.path_of(entry.corpus, int(names["seed"])))


def files(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the user's files of translations."""
    path = path_of(grid, names)
    return {} if path is None else files_at(path)


def program_of(grid: Grid, names: Names) -> CommandTranslations:
    """Return the settings of a system whose translations a program makes."""
    return grid.find(names["corpus"], names["system"]).system.source


def files_of_program(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the files that decide what a program answers. Raises UserError where there is no such program."""
    source = program_of(grid, names)
    need_program(source.words(names["corpus"], int(names["seed"])), f"{names['system']}: command.run")
    return source.files


def libraries(grid: Grid, names: Names) -> Iterable[str]:
    """Return the libraries that cut translations into tokens, or join their tokens to plain text."""
    entry = grid.find(names["corpus"], names["system"])
    text, language = grid.texts[entry.system.text], grid.corpora[entry.corpus].target_language
    return libraries_of_side(text, "target", language)


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
