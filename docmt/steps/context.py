"""Stage 6: the score that a model gives each sentence of the reference, after 0, 1, ... sentences of context."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from docmt.base.paths import CONTEXT
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import progress_display
from docmt.grid.grid import Grid
from docmt.settings.models import READS_CHAINS
from docmt.steps.of_grid import data_of, training_of
from docmt.steps.step import Inputs, Names, opened_model, parsed, step_of

if TYPE_CHECKING:
    import pyarrow as pa

FILE = "context.arrow"  # The file of the scores.


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the largest number of sentences of context, which the place of the job has, and the size of batches."""
    decode = grid.with_model(names["corpus"], names["system"]).system.decode
    return {"context": int(names["context"]), "batch_tokens": decode.batch_tokens}


def knobs(settings: dict[str, Any]) -> tuple[str, ...]:
    """Return the size of batches."""
    return ("batch_tokens",)


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the model, the tokens and, for a model that reads lexical chains, the words that form none."""
    entry = grid.with_model(names["corpus"], names["system"])
    data = data_of(grid, entry)
    roles = {"tokens": ("tokens", data), "model": training_of(grid, entry, names)}
    return Inputs(roles | ({"words": ("chain_words", data)} if entry.system.model.kind in READS_CHAINS else {}))


def instances(tokens: Path, words: Path | None, most: int) -> tuple["pa.Table", "pa.Table | None"]:
    """Return each sentence of test after each size of its context, up to `most` sentences, with lexical chains.

    The tables are SEGMENTS and SEGMENT_CHAINS; the second one is None where there is no folder of the `words` that
    form no chain.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from docmt.base.columns import SEGMENT_CHAINS, SEGMENTS, STOP_WORDS, TOKENS
    from docmt.base.tables import ArrowFile
    from docmt.chains.documents import read_stop_words
    from docmt.chains.segments import words_of_segments
    from docmt.views.cuts import cut_by_context
    from docmt.views.segments import segments_of, sentences_of

    stop_words, file = words and read_stop_words(words / STOP_WORDS), ArrowFile(tokens / "tokens.arrow", TOKENS)
    batches, chains = [], []
    for shard in file.of_split("test"):
        rows = file[shard].filter(pc.field("split") == "test").combine_chunks()
        sentences = sentences_of(rows, f"{file.path}: test")
        batches.append(segments_of(sentences, cut_by_context(sentences.documents, most)))
        if stop_words is not None:
            texts = words_of_segments(rows, pa.Table.from_batches(batches[-1:]), lambda _: str(file.path))
            chains.append(texts.table(texts.chains(stop_words)))
    of_chains = None if stop_words is None else pa.Table.from_batches(chains, SEGMENT_CHAINS)
    return pa.Table.from_batches(batches, SEGMENTS), of_chains


def run(recipe: Recipe, resources: Resources) -> None:
    """Score the reference sentences of test after 0, 1, ... sentences of context: their log-probabilities."""
    from docmt.base.tables import write_arrow
    from docmt.decoding.context import ContextSettings, score_contexts
    from docmt.decoding.segments import check_fits

    job, tokens = parsed(recipe, ContextSettings), recipe.input("tokens")
    progress_bar = progress_display("scores by context", "instances")
    with opened_model(recipe, resources) as (_, trained), progress_bar as progress:
        segments, chains = instances(tokens, recipe.folder_of("words"), job.context)
        check_fits(tokens / "tokens.arrow", segments, trained.network)
        scores = score_contexts(trained.network, segments, chains, job.batch_tokens, progress)
        write_arrow(recipe.folder / FILE, scores)


STEP = step_of(
    __name__,
    folder=CONTEXT,
    version=1,
    code=("docmt/decoding/context.py", "docmt/models", "docmt/trained/model.py"),
    writes=(FILE,),
)
