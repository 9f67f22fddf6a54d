"""The needs of the jobs of each rule: outputs of other jobs, files of the user's, and libraries.

Each function has the grid and the names of the job as arguments.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docmt.base import paths
from docmt.catalogue.corpus import CorpusConfig
from docmt.plan.external import RULES
from docmt.plan.grid import Grid
from docmt.plan.items import compared_systems, item_files, item_of, run_folder, sheet_files, study_files
from docmt.plan.scored import scoring_of_entry
from docmt.settings.comet import files_of_comet
from docmt.settings.data import TextConfig
from docmt.settings.metrics import TOKENISER_LIBRARIES
from docmt.settings.models import READS_CHAINS
from docmt.settings.pretrained import (
    aligner_files,
    check_model,
    checkpoint_files,
    files_by_role,
    has_weights,
    is_random_checkpoint,
    tokenizer_file,
)
from docmt.settings.programs import need_program
from docmt.settings.scoring import TRAINED
from docmt.settings.system import Entry

Names = Mapping[str, str]


@dataclass(frozen=True)
class Inputs:
    """The outputs of other jobs that a job reads.

    `roles`: the rule and the names of an input's job, by the role of the input. `files`: paths of files of further
    jobs, which have no roles.
    """

    roles: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    files: tuple[str, ...] = ()


def nothing(grid: Grid, names: Names) -> Inputs:
    """Return no inputs."""
    return Inputs()


def no_files(grid: Grid, names: Names) -> dict[str, Path]:
    """Return no files."""
    return {}


def no_libraries(grid: Grid, names: Names) -> Iterable[str]:
    """Return no libraries."""
    return ()


def libraries(*libraries: str) -> Callable[[Grid, Names], Iterable[str]]:
    """Return a function that returns these libraries for every job."""
    return lambda grid, names: libraries


def of_corpus(grid: Grid, names: Names) -> Inputs:
    """Return the generated files of a fixture; real downloads are files (`downloads`)."""
    corpus = _corpus(grid, names)
    if grid.fixtures is None or not corpus.files:
        return Inputs()
    return Inputs({"fixture": ("fixture", {"corpus": names["corpus"]})})


def downloads(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the downloads of a corpus."""
    if grid.fixtures is not None:
        return {}
    folder = Path(paths.CORPUS.at(corpus=names["corpus"])) / "downloads"
    return {f"downloads/{file.name}": folder / file.name for file in _corpus(grid, names).files}


def of_tokens(grid: Grid, names: Names) -> Inputs:
    """Return the corpus, the tokens of the corpus that the text is learnt on, and the random checkpoint of the text."""
    text = _text(grid, names)
    roles = {"corpus": ("corpus", {"corpus": names["corpus"]})}
    other = text.takes_from(grid.corpus_in(names["corpus"], paths.TOKENS.at(**names)))
    if other:
        roles["learnt"] = ("tokens", {"corpus": grid.data_folder(other), "text": names["text"]})
    return Inputs(roles | _random("checkpoint", "checkpoint", text.pretrained))


def tokenizer(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the tokenizer of a text with pretrained pieces."""
    folder = _text(grid, names).pretrained
    return {"tokenizer": Path(tokenizer_file(folder))} if _is_of_user(grid, folder) else {}


def libraries_of_text(grid: Grid, names: Names) -> Iterable[str]:
    """Return the libraries that cut the text of a corpus into words and pieces."""
    text, corpus = _text(grid, names), _corpus(grid, names)
    for side, language in zip(("source", "target"), corpus.languages, strict=True):
        yield from libraries_of_side(text, side, language)


def libraries_of_side(text: TextConfig, side: str, language: str) -> Iterable[str]:
    """Return the libraries that cut the text of one side into words and pieces."""
    if text.is_pretrained(side):
        yield "tokenizers"
        return
    yield "subword-nmt"
    if language != "zh":
        yield "sacremoses"
    elif text.chinese == "jieba":
        yield "jieba"


def of_data(grid: Grid, names: Names) -> Inputs:
    """Return the tokens of a corpus."""
    return Inputs({"tokens": _tokens(names)})


def of_segment_chains(grid: Grid, names: Names) -> Inputs:
    """Return the tokens, the stop list and the view of lexical chains."""
    data = {"corpus": names["corpus"], "text": names["text"]}
    return Inputs({"tokens": _tokens(names), "words": ("chain_words", data), "view": ("views", dict(names))})


def of_training(grid: Grid, names: Names) -> Inputs:
    """Return the view, the text, the chains if the model reads them, and the start of a training."""
    entry = grid.with_model(names["corpus"], names["system"])
    roles = {**_view(grid, entry), "tokens": ("tokens", _data(grid, entry))}
    start = grid.started_from(entry)
    if start:
        roles["init"] = _training(grid, start, names)
    return Inputs(roles | _random("checkpoint", "checkpoint", entry.system.pretrained))


def checkpoint_of_training(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the files of the checkpoint that a training starts from; refuse one that does not match the model."""
    system = grid.with_model(names["corpus"], names["system"]).system
    if not _is_of_user(grid, system.pretrained):
        return {}
    check_model(system.model, system.pretrained)
    return files_by_role("pretrained", checkpoint_files(system.pretrained))


def of_decoding(grid: Grid, names: Names) -> Inputs:
    """Return the view, the chains if the model reads them, and the model."""
    entry = grid.with_model(names["corpus"], names["system"])
    return Inputs({**_view(grid, entry), "model": _training(grid, entry, names)})


def libraries_of_translations(grid: Grid, names: Names) -> Iterable[str]:
    """Yield the libraries that search, and that restore plain text from the pieces of translations."""
    entry = grid.find(names["corpus"], names["system"])
    if entry.engine == "ctranslate2":
        yield entry.engine
    if grid.texts[entry.system.text].is_pretrained("target"):
        yield "tokenizers"
    elif grid.corpora[entry.corpus].target_language != "zh":
        yield "sacremoses"


def of_passage(grid: Grid, names: Names) -> Inputs:
    """Return the model that translates a passage."""
    return Inputs({"model": _training(grid, grid.with_model(names["corpus"], names["system"]), names)})


def of_scores(grid: Grid, names: Names) -> Inputs:
    """Return the outputs of all stages from which the scores of a run are computed.

    An external system has no view and no forced scores of contrastive sets.
    """
    entry = grid.find_scored(names["corpus"], names["system"])
    corpus, data, scoring = grid.corpora[entry.corpus], _data(grid, entry), scoring_of_entry(grid, entry)
    translated = {**names, "system": entry.folder}
    roles = {
        "corpus": ("corpus", {"corpus": data["corpus"]}),
        "tokens": ("tokens", data),
        **({"view": _view(grid, entry)["view"]} if entry.has_model else {}),
        "translations": (RULES[entry.system.origin], translated),
    }
    if corpus.contrastive and entry.has_model:
        whole = scoring.config.contrastive.unit == "target"
        role = "contrastive_whole" if whole else "contrastive"
        roles[role] = ("contrastive", {**translated, "whole": ".whole" if whole else ""})
    if scoring.needs_aligner_of_corpus:
        roles["aligner"] = ("aligner", data)
    if scoring.vectors == TRAINED:
        roles["word_vectors"] = ("word_vectors", data)
    roles |= _random("next_sentence_model", "checkpoint", scoring.model)
    return Inputs(roles | _random("aligner_model", "aligner_checkpoint", scoring.aligner_model))


def files_of_scores(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the stop lists, the word vectors and the models by which a system is scored.

    Raises UserError where a file is missing, or where the Python of COMET is no program that can be run.
    """
    scoring = scoring_of_entry(grid, grid.find_scored(names["corpus"], names["system"]))
    vectors = {} if scoring.vectors in (TRAINED, None) else {"word_vectors": scoring.vectors}
    files = {role: Path(path) for role, path in {**scoring.stop_lists, **vectors}.items()}
    if _is_of_user(grid, scoring.model):
        files |= files_by_role(
            "next_sentence_model", [*checkpoint_files(scoring.model), Path(tokenizer_file(scoring.model))]
        )
    if _is_of_user(grid, scoring.aligner_model):
        files |= files_by_role("aligner_model", aligner_files(scoring.aligner_model))
    if scoring.comet:
        need_program(scoring.comet.words, "scoring.comet.command")
        files |= files_of_comet(scoring.comet.model, scoring.comet.encoder)
    return files


def libraries_of_scores(grid: Grid, names: Names) -> Iterable[str]:
    """Return the libraries that compute scores."""
    scoring = scoring_of_entry(grid, grid.find_scored(names["corpus"], names["system"]))
    yield "sacrebleu"
    yield from TOKENISER_LIBRARIES.get(grid.corpora[names["corpus"]].target_language, ())
    if scoring.aligner is not None and scoring.aligner.kind != "default":
        yield scoring.aligner.kind
    if scoring.model is not None:
        yield "transformers"


def of_comparison(grid: Grid, names: Names) -> Inputs:
    """Return the scores, and their sums by unit of the test set (details.arrow), of all runs that a table compares."""
    item = item_of(grid, names["study"], names["table"])
    runs = [
        (entry, seed)
        for *pair, seeds in compared_systems(grid, names["study"], item)
        for entry, seeds_of_entry in zip(pair, seeds, strict=True)
        for seed in seeds_of_entry
    ]
    folders = (run_folder(grid, paths.SCORES, *run) for run in runs)
    files = (f"{folder}/{name}" for folder in folders for name in ("scores.json", "details.arrow"))
    return Inputs(files=tuple(dict.fromkeys(files)))


def of_item(grid: Grid, names: Names) -> Inputs:
    """Return the files that the page of an item reads."""
    return Inputs(files=_all(item_files(grid, names["study"], names["item"])))


def of_sheet(grid: Grid, names: Names) -> Inputs:
    """Return the test set, and its translations by the two systems of a sheet for annotators."""
    return Inputs(files=tuple(sheet_files(grid, names["study"], names["item"])))


def of_report(grid: Grid, names: Names) -> Inputs:
    """Return the files that the page of a study reads."""
    return Inputs(files=_all(study_files(grid, names["study"])))


def of_demo_report(grid: Grid, names: Names) -> Inputs:
    """Return the files that the page of the demo reads, and this page."""
    page = f"{paths.REPORT.at(scale=grid.scale, study='demo')}/index.html"
    return Inputs(files=(page, *_all(study_files(grid, "demo"))))


def human(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the file of human judgements that config.yaml names for a study."""
    study = names.get("study", "demo")
    return {"human": Path(grid.human[study])} if study in grid.human else {}


def _all(files: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Return the files of all inputs, each once."""
    return tuple(dict.fromkeys(path for paths_of_input in files.values() for path in paths_of_input))


def _corpus(grid: Grid, names: Names) -> CorpusConfig:
    """Return the corpus of a job of the stages 1 to 4. Raises UserError where there is none."""
    return grid.corpus_at_scale(grid.corpus_in(names["corpus"], paths.CORPUS.at(corpus=names["corpus"])))


def _text(grid: Grid, names: Names) -> TextConfig:
    """Return the preset of text of a job."""
    return grid.texts[names["text"]]


def _tokens(names: Names) -> tuple[str, dict[str, Any]]:
    """Return the job of the tokens of a corpus."""
    return "tokens", {"corpus": names["corpus"], "text": names["text"]}


def _data(grid: Grid, entry: Entry) -> dict[str, str]:
    """Return the folder of an entry's corpus, and its preset of text."""
    return {"corpus": grid.data_folder(entry.corpus), "text": entry.system.text}


def _view(grid: Grid, entry: Entry) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the jobs of an entry's view and, for models that read them, of its lexical chains."""
    names = {**_data(grid, entry), "view": entry.system.view.name}
    roles = {"view": ("views", names)}
    return roles | ({"chains": ("chain_segments", names)} if entry.system.model.kind in READS_CHAINS else {})


def _training(grid: Grid, entry: Entry, names: Names) -> tuple[str, dict[str, Any]]:
    """Return the training of an entry's model with the seed of a job."""
    return "train", {"scale": grid.scale, "corpus": entry.corpus, "system": entry.trained, "seed": names["seed"]}


def _random(role: str, rule: str, folder: str | None) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the job of a random checkpoint; nothing for a checkpoint of the user's, and for none."""
    if folder is None or not is_random_checkpoint(folder):
        return {}
    return {role: (rule, {"checkpoint": Path(folder).name})}


def _is_of_user(grid: Grid, folder: str | None) -> bool:
    """Return whether a folder is a checkpoint of the user's, and not a random one that a job makes.

    A run downloads checkpoints before its plan; only the plan of a dry run meets one that is not there yet.
    """
    if folder is None or is_random_checkpoint(folder):
        return False
    return not grid.fetch_checkpoints or has_weights(Path(folder))
