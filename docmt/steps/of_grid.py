"""What several steps take from the grid."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from docmt.base import paths
from docmt.base.errors import UserError, check_known
from docmt.catalogue.corpus import CorpusConfig
from docmt.grid.grid import Grid
from docmt.grid.markers import given
from docmt.settings.data import TextConfig, ViewConfig
from docmt.settings.models import READS_CHAINS
from docmt.settings.pretrained import has_weights, is_random_checkpoint
from docmt.settings.system import Entry
from docmt.steps.step import Inputs, Names


def corpus_of(grid: Grid, names: Names) -> CorpusConfig:
    """Return the corpus of a job of the stages 1 to 4. Raises UserError where there is none."""
    return grid.corpus_at_scale(grid.corpus_in(names["corpus"], paths.CORPUS.at(corpus=names["corpus"])))


def text_of(grid: Grid, names: Names) -> TextConfig:
    """Return the preset of text of a job."""
    check_known("text", names["text"], grid.texts, paths.TOKENS.at(corpus=names["corpus"], text=names["text"]))
    return grid.texts[names["text"]]


def text_settings(grid: Grid, text: str) -> dict[str, Any]:
    """Return the settings of a preset of text, without the path of its checkpoint."""
    config = grid.texts[text]
    return config.stated() | {"pretrained": given(config.pretrained)}


def libraries_of_side(text: TextConfig, side: str, language: str) -> Iterable[str]:
    """Return the libraries that cut the text of one side into words and pieces."""
    if text.is_pretrained(side):
        yield "tokenizers"
        return
    if text.sentencepiece is not None:
        yield "sentencepiece"
        return
    yield "subword-nmt"
    if language != "zh":
        yield "regex" if text.join == "reversible" else "sacremoses"
    elif text.chinese == "jieba":
        yield "jieba"


def languages(grid: Grid, corpus: str) -> dict[str, str]:
    """Return the source language and the target language of a corpus."""
    config = grid.corpora[corpus]
    return {"source_language": config.source_language, "target_language": config.target_language}


def view_of(grid: Grid, names: Names, folder: paths.Folder) -> ViewConfig:
    """Return the cuts of a view. Raises UserError where no system on the corpus with this text has the view."""
    where = folder.at(**names)
    corpus = grid.corpus_in(names["corpus"], where)
    views = {
        e.system.view.name: e.system.view
        for e in grid.entries
        if e.has_model and (e.corpus, e.system.text) == (corpus, names["text"])
    }
    if names["view"] not in views:
        raise UserError("unknown view", where=where, expected=", ".join(sorted(views)))
    return views[names["view"]]


def run_names(grid: Grid, entry: Entry, names: Names) -> dict[str, Any]:
    """Return the names that identify a run: its study, its corpus, the folder of its system, its scale and its seed."""
    of_entry = {"study": entry.study, "corpus": entry.corpus, "system": entry.folder}
    return {**of_entry, "scale": grid.scale, "seed": int(names["seed"])}


def tokens_input(grid: Grid, names: Names) -> Inputs:
    """Return the tokens of a corpus."""
    return Inputs({"tokens": tokens_of(names)})


def tokens_of(names: Names) -> tuple[str, dict[str, Any]]:
    """Return the job of the tokens of a corpus."""
    return "tokens", {"corpus": names["corpus"], "text": names["text"]}


def data_of(grid: Grid, entry: Entry) -> dict[str, str]:
    """Return the folder of an entry's corpus, and its preset of text."""
    return {"corpus": grid.data_folder(entry.corpus), "text": entry.system.text}


def view_inputs(grid: Grid, entry: Entry) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the jobs of an entry's view and, for models that read them, of its lexical chains."""
    names = {**data_of(grid, entry), "view": entry.system.view.name}
    roles = {"view": ("views", names)}
    return roles | ({"chains": ("chain_segments", names)} if entry.system.model.kind in READS_CHAINS else {})


def training_of(grid: Grid, entry: Entry, names: Names) -> tuple[str, dict[str, Any]]:
    """Return the training of an entry's model with the seed of a job."""
    return "train", {"corpus": entry.corpus, "system": entry.trained, "seed": names["seed"]}


def decoding_inputs(grid: Grid, names: Names) -> Inputs:
    """Return the view, the chains if the model reads them, and the model."""
    entry = grid.with_model(names["corpus"], names["system"])
    return Inputs({**view_inputs(grid, entry), "model": training_of(grid, entry, names)})


def decoding_libraries(grid: Grid, names: Names) -> Iterable[str]:
    """Yield the libraries that search, and that restore plain text from the pieces of translations."""
    entry = grid.find(names["corpus"], names["system"])
    if entry.system.decode.engine == "ctranslate2":
        yield "ctranslate2"
    text = grid.texts[entry.system.text]
    if text.is_pretrained("target"):
        yield "tokenizers"
    elif text.sentencepiece is not None:
        yield "sentencepiece"
    elif grid.corpora[entry.corpus].target_language != "zh":
        yield "sacremoses"


def random_input(role: str, step: str, folder: str | None) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the job of a random checkpoint; nothing for a checkpoint of the user's, and for none."""
    if folder is None or not is_random_checkpoint(folder):
        return {}
    return {role: (step, {"checkpoint": Path(folder).name})}


def is_of_user(grid: Grid, folder: str | None) -> bool:
    """Return whether a folder is a checkpoint of the user's, and not a random one that a job makes."""
    if folder is None or is_random_checkpoint(folder):
        return False
    # A run downloads checkpoints before its plan; only the plan of a dry run meets one that is not there yet.
    return not grid.fetch_checkpoints or has_weights(Path(folder))
