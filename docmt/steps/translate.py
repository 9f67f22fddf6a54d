"""Stage 6: translations of the test set by a trained system: beam search, one output line per input line."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from docmt.base.paths import TRANSLATIONS
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import progress_display
from docmt.grid.grid import Grid
from docmt.steps.of_grid import decoding_inputs, decoding_libraries, run_names
from docmt.steps.step import Names, opened_model, parsed, step_of


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the settings of decoding and the cuts of the view."""
    entry = grid.with_model(names["corpus"], names["system"])
    system = entry.system
    return {**run_names(grid, entry, names), "decode": asdict(system.decode), "view": asdict(system.view)}


def knobs(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the size of batches, unless the longest sentence of a batch limits the length of all."""
    return () if settings["decode"]["max_length_of"] == "batch" else ("decode.batch_tokens",)


def run(recipe: Recipe, resources: Resources) -> None:
    """Translate the test segments of a view: one line for each sentence of the test set."""
    from docmt.decoding import files
    from docmt.decoding.segments import View
    from docmt.trained.engine import translator_of

    job, segments = parsed(recipe, files.TranslationSettings), View(recipe.input("view"), recipe.folder_of("chains"))
    with opened_model(recipe, resources) as (seal, trained):
        with progress_display("decoding", "segments") as progress:
            translator = translator_of(trained, job.view.test, job.decode, progress)
            restore = trained.pipeline.target.restore
            facts = files.write_translations(job, translator, segments, recipe.folder, restore)
        seal.close(facts)


# What the translations of a system consist of, whoever made them.
WRITES = ("decoding.json", "test.txt", "test.tok.txt", "test.j*.txt", "test.nbest.tsv")

STEP = step_of(
    __name__,
    folder=TRANSLATIONS,
    version=7,
    code=("docmt/decoding", "docmt/models", "docmt/trained/engine.py", "docmt/trained/model.py"),
    writes=WRITES,
    inputs=decoding_inputs,
    libraries=decoding_libraries,
)
