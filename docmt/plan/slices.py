"""What each job gets to know: the slice of the grid that its output depends on, and nothing else.

The workflow writes a slice as `settings.json` beside the job's outputs, and the job reads only that. So a changed
beam retrains nothing, and a job that waits in a queue runs with the settings of its submission.
"""

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from docmt.base.errors import UserError, check_known
from docmt.base.paths import (
    ALIGNER,
    CHAINS,
    CHECKPOINT,
    COMPARISON,
    CORPUS,
    FOLDERS,
    ITEM,
    PASSAGE,
    RESULTS,
    SCORES,
    TOKENS,
    TRAINING,
    TRANSLATIONS,
    VECTORS,
    VIEW,
    WORDS,
    Folder,
)
from docmt.catalogue.corpus import STOP_WORDS, corpus_settings
from docmt.plan.grid import Grid
from docmt.plan.items import compared, item_corpora, item_of, study_of
from docmt.plan.report_slice import report_slice
from docmt.plan.versions import VERSIONS
from docmt.settings.scoring import WordVectorsConfig
from docmt.settings.system import Entry

STAGES = {stage: folder.places for stage, folder in FOLDERS.items()}
LEAST = {ITEM.stage: 1}
"""Parts that a folder has at least, where it need not have all: a study's page, and those of its items."""


def settings(grid: Grid, path: str) -> dict[str, Any]:
    """The slice of the job whose outputs stand in `results/<path>`.

    Raises UserError where the path names nothing that the grid holds.
    """
    stage, *parts = path.split("/")
    most = STAGES.get(stage, "").count("/") + 1
    if stage not in SLICES or not LEAST.get(stage, most) <= len(parts) <= most:
        raise UserError("no such target", where=f"{RESULTS}/{path}", expected=" or ".join(STAGES))
    if STAGES[stage].startswith("{scale}/") and parts[0] != grid.scale:
        found, remedy = f"scale {parts[0]}", f"snakemake --config scale={parts[0]}"
        expected = f"{grid.scale}, which this run has"
        raise UserError(
            "a target of another scale", where=f"{RESULTS}/{path}", found=found, expected=expected, remedy=remedy
        )
    return SLICES[stage](grid, *parts)


def _checkpoint(grid: Grid, folder: str) -> dict[str, Any]:
    check_known("checkpoint that this scale makes", folder, grid.checkpoints, CHECKPOINT.at(checkpoint=folder))
    return {"version": VERSIONS["checkpoints"], **dataclasses.asdict(grid.checkpoints[folder])}


def _corpus(grid: Grid, folder: str) -> dict[str, Any]:
    config = grid.made(grid.corpus_in(folder, CORPUS.at(corpus=folder)))
    made_up = {"fixture": dataclasses.asdict(grid.fixtures)} if grid.fixtures and config.files else {}
    return {"version": VERSIONS["corpus"], **corpus_settings(config), **made_up}


def _tokens(grid: Grid, folder: str, text: str) -> dict[str, Any]:
    where = TOKENS.at(corpus=folder, text=text)
    corpus = grid.corpus_in(folder, where)
    check_known("text", text, grid.texts, where)
    languages = _languages(grid, corpus)
    fields = dataclasses.asdict(grid.texts[text])
    return {"version": VERSIONS["tokens"], "corpus": corpus, **languages, "text": fields}


def _views(grid: Grid, folder: str, text: str, view: str) -> dict[str, Any]:
    return {"version": VERSIONS["views"], "view": _view(grid, VIEW, folder, text, view)}


def _chains(grid: Grid, folder: str, text: str, view: str) -> dict[str, Any]:
    """Of whole documents where the view is `words`, a name that no cut of documents has."""
    if view == WORDS:
        corpus = grid.corpus_in(folder, CHAINS.at(corpus=folder, text=text, view=view))
        return {"version": VERSIONS["chains"], "stop_words": grid.made(corpus).stop_words}
    return {"version": VERSIONS["chains"], "view": _view(grid, CHAINS, folder, text, view)}


def _view(grid: Grid, stage: Folder, folder: str, text: str, view: str) -> dict[str, Any]:
    where = stage.at(corpus=folder, text=text, view=view)
    corpus = grid.corpus_in(folder, where)
    views = {e.system.view.name: e.system.view for e in grid.entries if (e.corpus, e.system.text) == (corpus, text)}
    if view not in views:
        raise UserError("unknown view", where=where, expected=", ".join(sorted(views)))
    return dataclasses.asdict(views[view])


def _training(grid: Grid, scale: str, corpus: str, folder: str, seed: str) -> dict[str, Any]:
    entry = grid.find(corpus, folder)
    system = entry.system
    start = grid.started_from(entry)
    return {
        "version": VERSIONS["training"],
        **_run(entry, scale, seed),
        "init_from": start.trained if start else None,
        "pretrained": system.pretrained,
        "text": {"name": system.text, **dataclasses.asdict(grid.texts[system.text])},
        "view": dataclasses.asdict(system.view),
        "model": dataclasses.asdict(system.model),
        "train": dataclasses.asdict(system.train),
    }


def _translations(grid: Grid, scale: str, corpus: str, folder: str, seed: str) -> dict[str, Any]:
    entry = grid.find(corpus, folder)
    return {
        "version": VERSIONS["translations"],
        **_run(entry, scale, seed),
        "decode": dataclasses.asdict(entry.system.decode),
        "view": dataclasses.asdict(entry.system.view),
    }


def _scores(grid: Grid, scale: str, corpus: str, folder: str, seed: str) -> dict[str, Any]:
    entry = grid.find(corpus, folder)
    system = {key: value for key, value in dataclasses.asdict(entry.system).items() if key != "name"}
    return {
        "version": VERSIONS["scores"],
        **_run(entry, scale, seed),
        **_languages(grid, corpus),
        **_scoring(grid, corpus),
        "resolved": system,
    }


def _scoring(grid: Grid, corpus: str) -> dict[str, Any]:
    """What of `scoring` concerns a corpus; none for what is not measured on it."""
    config, chosen = grid.made(corpus), grid.scoring
    languages = config.source_language, config.target_language
    consistency = chosen.consistency.of_corpus(languages, tuple(getattr(config, name) for name in STOP_WORDS))
    vectors = chosen.coherence.vectors.get(config.target_language)
    model = chosen.cohesion.models.get(config.target_language)
    return {
        "consistency": dataclasses.asdict(consistency),
        "aligner": dataclasses.asdict(chosen.aligner),
        "coherence": vectors and {"vectors": vectors, "case": chosen.coherence.case},
        "cohesion": model and {"model": model, "batch_pairs": chosen.cohesion.batch_pairs},
        "contrastive": dataclasses.asdict(chosen.contrastive) if config.contrastive else None,
    }


def _vectors(grid: Grid, folder: str, text: str) -> dict[str, Any]:
    grid.corpus_in(folder, VECTORS.at(corpus=folder, text=text))
    names = [field.name for field in dataclasses.fields(WordVectorsConfig)]
    return {"version": VERSIONS["scores"], "vectors": {name: getattr(grid.scoring.coherence, name) for name in names}}


def _aligners(grid: Grid, folder: str, text: str) -> dict[str, Any]:
    """The aligner links what lexical chains are of."""
    grid.corpus_in(folder, ALIGNER.at(corpus=folder, text=text))
    return {"version": VERSIONS["scores"], "source": grid.scoring.consistency.chains}


def _passages(grid: Grid, scale: str, corpus: str, folder: str, seed: str, study: str, name: str) -> dict[str, Any]:
    where = PASSAGE.at(
        scale=scale, corpus=corpus, system=folder, seed=seed.removeprefix("seed"), study=study, passage=name
    )
    passage = study_of(grid, study, where).passages.get(name)
    if passage is None:
        raise UserError("unknown passage", where=where)
    entry = grid.find(corpus, folder)
    return {
        "version": VERSIONS["translations"],
        **_run(entry, scale, seed),
        "decode": dataclasses.asdict(entry.system.decode),
        "documents": [list(document.source) for document in passage.documents],
    }


def _comparisons(grid: Grid, study: str, name: str) -> dict[str, Any]:
    """Every pair of a system of a table and its baseline, with the seeds that both have."""
    table = item_of(grid, study, name)
    if table.significance is None:
        raise UserError("not a table of systems", where=COMPARISON.at(study=study, table=name))
    metrics, folders = table.tallied, {}
    pairs = [
        {
            "corpus": system.corpus,
            "system": system.system.name,
            "baseline": baseline.system.name,
            "test": table.significance,
            "metrics": metrics,
            "seeds": seeds,
        }
        for system, baseline, seeds in compared(grid, study, table)
    ]
    for pair in pairs:
        for one in ("system", "baseline"):
            entry = grid.named(study, pair["corpus"], pair[one])
            folders.setdefault(entry.corpus, {})[entry.system.name] = entry.folder
    pairs.sort(key=lambda pair: (pair["corpus"], pair["system"], pair["baseline"]))
    return {"version": VERSIONS["scores"], "study": study, "scale": grid.scale, "folders": folders, "pairs": pairs}


def corpora_of(grid: Grid, targets: Iterable[str]) -> list[str]:
    """The corpora that targets are about: `all`, names of studies, files under results/; none for any other."""
    found: dict[str, None] = {}
    for target in targets:
        stage, *parts = target.rpartition(f"{RESULTS}/")[2].split("/")
        named = dict(zip(STAGES.get(stage, "").split("/"), parts, strict=False))
        studies = grid.active if target == "all" else (named.get("{study}", target),)
        item = Path(named.get("{item}", named.get("{table}", ""))).stem
        stated = [corpus for study in studies if study in grid.studies for corpus in _corpora(grid, study, item)]
        found |= dict.fromkeys([*stated, named.get("{corpus}", "").removesuffix(f"@{grid.scale}")])
    return [corpus for corpus in found if corpus in grid.corpora]


def _corpora(grid: Grid, study: str, item: str) -> Iterable[str]:
    """Of one of the study's items, or of the study where it has no such item."""
    config = grid.studies[study]
    return item_corpora(grid, study, item) if item in config.items else config.corpora


def _run(entry: Entry, scale: str, seed: str) -> dict[str, Any]:
    return {
        "study": entry.study,
        "corpus": entry.corpus,
        "system": entry.folder,
        "scale": scale,
        "seed": int(seed.removeprefix("seed")),
    }


def _languages(grid: Grid, corpus: str) -> dict[str, str]:
    config = grid.corpora[corpus]
    return {"source_language": config.source_language, "target_language": config.target_language}


SLICES = {
    CHECKPOINT.stage: _checkpoint,
    CORPUS.stage: _corpus,
    TOKENS.stage: _tokens,
    VIEW.stage: _views,
    CHAINS.stage: _chains,
    TRAINING.stage: _training,
    TRANSLATIONS.stage: _translations,
    PASSAGE.stage: _passages,
    VECTORS.stage: _vectors,
    ALIGNER.stage: _aligners,
    SCORES.stage: _scores,
    COMPARISON.stage: _comparisons,
    ITEM.stage: report_slice,
}
