"""Stage 2: tokens, and the text (codes, vocabularies, truecaser) that models carry along.

A large corpus is divided into parts (config.yaml's `shards`): each part is tokenised, all of them together are learnt
from, each is encoded, and the parts are joined. The result has the same bytes.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docmt.base.artifacts import atomic_folder
from docmt.base.part import Part
from docmt.base.paths import TOKENS
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import tell, workers_of
from docmt.base.sealing import sealing
from docmt.base.workers import Workers
from docmt.grid.grid import Grid
from docmt.settings.pretrained import tokenizer_file
from docmt.steps.of_grid import (
    corpus_of,
    is_of_user,
    languages,
    libraries_of_side,
    random_input,
    text_of,
    text_settings,
)
from docmt.steps.step import Inputs, Names, parsed, step_of

if TYPE_CHECKING:
    from docmt.text.pipeline import TokensSettings

SHARDS = "shards"  # The folder of the outputs of parts.
LEARNT = f"{SHARDS}/learnt"  # The folder of what is learnt from all parts.


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the name and the languages of a corpus, and the settings of a preset of text."""
    corpus = grid.corpus_in(names["corpus"], TOKENS.at(**names))
    text_of(grid, names)
    return {"corpus": corpus, **languages(grid, corpus), "text": text_settings(grid, names["text"])}


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the corpus, the tokens of the corpus that the text is learnt on, and the random checkpoint of the text."""
    text = text_of(grid, names)
    roles = {"corpus": ("corpus", {"corpus": names["corpus"]})}
    other = text.takes_from(grid.corpus_in(names["corpus"], TOKENS.at(**names)))
    if other:
        roles["learnt"] = ("tokens", {"corpus": grid.data_folder(other), "text": names["text"]})
    return Inputs(roles | random_input("checkpoint", "checkpoint", text.pretrained))


def files(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the tokenizer of a text with pretrained pieces."""
    folder = text_of(grid, names).pretrained
    return {"tokenizer": Path(tokenizer_file(folder))} if is_of_user(grid, folder) else {}


def libraries(grid: Grid, names: Names) -> Iterable[str]:
    """Return the libraries that cut the text of a corpus into words and pieces."""
    text, corpus = text_of(grid, names), corpus_of(grid, names)
    for side, language in zip(("source", "target"), corpus.languages, strict=True):
        yield from libraries_of_side(text, side, language)


def hints(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the number of parts, on which no output depends."""
    return {"shards": grid.shards}


def run(recipe: Recipe, resources: Resources) -> None:
    """Tokenise a corpus, learn its cases, BPE and vocabularies (or use those of another), and number the pieces."""
    from docmt.text.process import process_corpus

    shards = recipe.hint("shards", int, 1)
    if resources.part or shards > 1:  # `tokenised.2of8` is the second of eight parts
        name, _, numbers = (resources.part or "joined").partition(".")
        part = Part.parse(numbers) if numbers else Part(1, shards)
        PARTS[name](recipe, part, workers_of(resources.threads))
        return
    with sealing(recipe):
        corpus, workers = recipe.input("corpus"), workers_of(resources.threads)
        tell(process_corpus(text_job(recipe), corpus, recipe.folder, workers, learnt_text(recipe)))


def part_folder(recipe: Recipe, name: str, part: Part) -> Path:
    """Return the folder of the outputs of a part."""
    return recipe.folder / SHARDS / f"{name}.{part.number}of{part.of}"


def part_folders(recipe: Recipe, name: str, count: int) -> list[Path]:
    """Return the folders of a pass over all parts, in order."""
    return [part_folder(recipe, name, Part(number, count)) for number in range(1, count + 1)]


def _tokenise(recipe: Recipe, part: Part, workers: Workers) -> None:
    from docmt.text.process import tokenise_part

    with atomic_folder(part_folder(recipe, "tokenised", part)) as output, sealing(recipe, output):
        tokenise_part(text_job(recipe), recipe.input("corpus"), part, output, workers)


def _learn(recipe: Recipe, part: Part, workers: Workers) -> None:
    from docmt.text.process import learn_parts

    parts = part_folders(recipe, "tokenised", part.of)
    with atomic_folder(recipe.folder / LEARNT) as output, sealing(recipe, output):
        learn_parts(text_job(recipe), recipe.input("corpus"), parts, output, workers, learnt_text(recipe))


def _encode(recipe: Recipe, part: Part, workers: Workers) -> None:
    from docmt.text.process import encode_part

    with atomic_folder(part_folder(recipe, "encoded", part)) as output, sealing(recipe, output):
        encode_part(part_folder(recipe, "tokenised", part), recipe.folder / LEARNT / "text", output, workers)


def _join(recipe: Recipe, part: Part, workers: Workers) -> None:
    from docmt.text.process import join_parts

    with sealing(recipe):
        parts = part_folders(recipe, "encoded", part.of)
        tell(join_parts(parts, recipe.folder / LEARNT, recipe.input("corpus"), recipe.folder))


# The functions that do a part of the job; `learnt` and `joined` are of all parts together.
PARTS = {"tokenised": _tokenise, "learnt": _learn, "encoded": _encode, "joined": _join}


def learnt_text(recipe: Recipe) -> Path | None:
    """Return the folder text/ of the corpus that the text is learnt on; None where it is this corpus."""
    return recipe.input("learnt") / "text" if "learnt" in recipe.inputs else None


def text_job(recipe: Recipe) -> "TokensSettings":
    """Return the settings, with the folder of the checkpoint whose pieces the text has."""
    from docmt.text.pipeline import TokensSettings

    chosen = parsed(recipe, TokensSettings)
    tokenizer = recipe.file("tokenizer")
    pretrained = tokenizer.parent if tokenizer else recipe.folder_of("checkpoint")
    return chosen.with_checkpoint(pretrained) if pretrained else chosen


STEP = step_of(
    __name__,
    folder=TOKENS,
    version=8,
    code=("docmt/text",),
    writes=("card.json", "*.arrow", "text/*"),
    parts=tuple(PARTS),
)
