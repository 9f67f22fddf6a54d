"""Stage 6: translations of sentences that a study states.

There is no view among the inputs: the model folder has the text and the cut of documents.
"""

from dataclasses import asdict
from typing import Any

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError
from docmt.base.paths import PASSAGE
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import progress_display, say
from docmt.grid.grid import Grid
from docmt.grid.items import study_of
from docmt.steps.of_grid import decoding_libraries, run_names, training_of
from docmt.steps.step import Inputs, Names, opened_model, step_of
from docmt.steps.translate import knobs


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the settings of decoding and the source sentences. Raises UserError without such a passage."""
    where = PASSAGE.at(**names)
    stated = study_of(grid, names["study"], where).passages.get(names["passage"])
    if stated is None:
        raise UserError("unknown passage", where=where)
    entry = grid.with_model(names["corpus"], names["system"])
    return {
        **run_names(grid, entry, names),
        "decode": asdict(entry.system.decode),
        "documents": [list(document.source) for document in stated.documents],
    }


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the model that translates a passage."""
    return Inputs({"model": training_of(grid, grid.with_model(names["corpus"], names["system"]), names)})


def run(recipe: Recipe, resources: Resources) -> None:
    """Translate the documents of a passage, sentence by sentence.

    A model that does not mark the ends of sentences writes one line for a whole document.
    """
    from docmt.decoding.files import read_passages
    from docmt.trained.translate import fallback_text, translate_documents

    documents, config = read_passages(recipe.path)
    with opened_model(recipe, resources) as (_, trained):
        with progress_display("translating", "segments") as progress:
            texts, translated = translate_documents(trained, documents, config, progress)
        if translated.fallbacks.windows:
            say(f"docmt: {fallback_text(translated.fallbacks)}")
        write_json(recipe.folder / "passages.json", {"documents": texts})


STEP = step_of(
    __name__,
    folder=PASSAGE,
    version=6,
    code=("docmt/decoding", "docmt/models", "docmt/trained/model.py", "docmt/trained/translate.py"),
    writes=("passages.json",),
    libraries=decoding_libraries,
    knobs=knobs,
)
