"""Stage 6: the translations of another system, checked and written as those of a trained system are."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docmt.base.paths import ADOPTED, TRANSLATIONS
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import say
from docmt.base.sealing import sealing
from docmt.grid.grid import Grid
from docmt.grid.markers import source_of
from docmt.settings.external import files_at
from docmt.steps.of_grid import data_of, libraries_of_side, run_names, tokens_of
from docmt.steps.step import Inputs, Names, parsed, step_of
from docmt.steps.translate import WRITES

if TYPE_CHECKING:
    from docmt.external.adopt import AdoptionSettings, Restore
    from docmt.text.pipeline import TextPipeline


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return where the lines of a system come from."""
    entry = grid.find(names["corpus"], names["system"])
    is_stand_in = grid.fixtures is not None and entry.system.source.has_stand_ins
    return {**run_names(grid, entry, names), "source": source_of(entry.system), "stand_in": is_stand_in}


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the corpus, with the lines of the test set, and its text, by which translations are tokenised."""
    data = data_of(grid, grid.find(names["corpus"], names["system"]))
    return Inputs({"corpus": ("corpus", {"corpus": data["corpus"]}), "tokens": tokens_of(data)})


def path_of(grid: Grid, names: Names) -> Path | None:
    """Return the path of the user's translations; None where the scale has generated lines in their place."""
    entry = grid.find(names["corpus"], names["system"])
    return None if grid.fixtures else Path(entry.system.source.path_of(entry.corpus, int(names["seed"])))


def files(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the user's files of translations."""
    path = path_of(grid, names)
    return {} if path is None else files_at(path)


def hints(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the path of the user's translations, a file or a folder."""
    path = path_of(grid, names)
    return {} if path is None else {"translations": str(path)}


def libraries(grid: Grid, names: Names) -> Iterable[str]:
    """Return the libraries that cut translations into tokens, or join their tokens to plain text."""
    entry = grid.find(names["corpus"], names["system"])
    return libraries_of_side(grid.texts[entry.system.text], "target", grid.corpora[entry.corpus].target_language)


def run(recipe: Recipe, resources: Resources) -> None:
    """Check the translations of another system, and write them as those of a trained system are written."""
    from docmt.external.adopt import AdoptionSettings, adopted_lines, read_expected, write_adopted
    from docmt.text.pipeline import TextPipeline
    from docmt.text.signs import signs_of

    job, path = parsed(recipe, AdoptionSettings), recipe.hint("translations", str | None)
    translations = None if path is None else Path(path)
    with sealing(recipe):
        pipeline, test = TextPipeline.load(recipe.input("tokens") / "text"), read_expected(recipe.input("corpus"))
        lines, noted = adopted_lines(job, test, translations, signs_of, pipeline.config.target_language)
        write_adopted(job, test, lines, noted, recipe.folder, restoring(pipeline, job))
        for note in noted:
            say(f"{translations}: {note}")


def restoring(pipeline: "TextPipeline", job: "AdoptionSettings") -> "Restore":
    """Return the function that returns the tokens and the plain text of a line of translations."""
    from docmt.text.others import restore_line

    is_truecased, is_tokenised = job.source.case == "truecased", job.source.tokenised
    language, is_theirs = pipeline.config.target_language, not job.stand_in
    return lambda line: restore_line(
        pipeline.target, language, line, is_tokenised and is_theirs, is_truecased and is_theirs
    )


STEP = step_of(
    __name__,
    folder=ADOPTED,
    read_as=TRANSLATIONS,
    version=7,
    code=("docmt/external",),
    writes=WRITES,
)
