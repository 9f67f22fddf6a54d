"""The slice of each job: the settings of the grid on which the output of the job depends, and no others.

The workflow writes the slice of a job as `settings.json` into the job's folder, and the job reads its settings from
that file alone. A new beam size therefore trains no model again, and a job that waits in a queue runs with the settings
that were valid when it was submitted.
"""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docmt.base import paths
from docmt.base.errors import UserError, check_known
from docmt.base.paths import FOLDERS, RESULTS, names_in
from docmt.catalogue.corpus import corpus_settings
from docmt.plan.grid import Grid
from docmt.plan.items import compared_systems, item_of, judged_systems, requested_metrics, study_of
from docmt.plan.markers import given, name_of, source_of
from docmt.plan.page_slices import page_settings
from docmt.plan.scored import scoring_of_entry, trained_on
from docmt.plan.versions import VERSIONS
from docmt.settings.comet import CometConfig
from docmt.settings.system import Entry, ExternalSystem

LEAST = {paths.ITEM.stage: paths.REPORT.depth}
"""The smallest number of names in a path of stage 8, since a study's page has no item; other stages need all names."""


def settings(grid: Grid, path: str) -> dict[str, Any]:
    """Return the settings of the job whose outputs are in `results/<path>`.

    Raises UserError where no job of the grid has this path, and where the path has the name of another scale.
    """
    stage, *parts = path.split("/")
    names, where = names_in(path), f"{RESULTS}/{path}"
    if stage not in SLICES or not LEAST.get(stage, FOLDERS[stage].depth) <= len(parts) <= FOLDERS[stage].depth:
        raise UserError("no such target", where=where, expected=" or ".join(FOLDERS))
    check_scale(grid, names.pop("scale", grid.scale), where)
    version, slice_of = SLICES[stage]
    return {"version": VERSIONS[version], **slice_of(grid, where, **names)}


def check_scale(grid: Grid, scale: str, where: str) -> None:
    """Raise UserError, at `where`, where a target of this scale is not one of the grid's scale."""
    if scale != grid.scale:
        expected, remedy = f"{grid.scale}, which this run has", f"snakemake --config scale={scale}"
        raise UserError(
            "a target of another scale", where=where, found=f"scale {scale}", expected=expected, remedy=remedy
        )


def _checkpoint(grid: Grid, where: str, checkpoint: str) -> dict[str, Any]:
    """Return the kind and the sizes of a random checkpoint. Raises UserError where the scale has no such checkpoint."""
    check_known("checkpoint that this scale makes", checkpoint, grid.checkpoints, where)
    random = grid.checkpoints[checkpoint]
    return {**dataclasses.asdict(random), "stands_for": Path(random.stands_for).name}


def _corpus(grid: Grid, where: str, corpus: str) -> dict[str, Any]:
    """Return the settings of a corpus; where the scale replaces it by a fixture, also the settings of the fixture."""
    config = grid.corpus_at_scale(grid.corpus_in(corpus, where))
    # The embedded corpus has no files and is small enough for every scale, so that no fixture replaces it.
    fixture = {"fixture": dataclasses.asdict(grid.fixtures)} if grid.fixtures and config.files else {}
    return {**corpus_settings(config), **fixture}


def _tokens(grid: Grid, where: str, corpus: str, text: str) -> dict[str, Any]:
    """Return the name and the languages of a corpus, and the settings of a preset of text."""
    corpus_name = grid.corpus_in(corpus, where)
    check_known("text", text, grid.texts, where)
    return {"corpus": corpus_name, **_languages(grid, corpus_name), "text": _text(grid, text)}


def _views(grid: Grid, where: str, corpus: str, text: str, view: str) -> dict[str, Any]:
    """Return the cuts of a view.

    Raises UserError where no system on the corpus with this preset of text has the view.
    """
    corpus_name = grid.corpus_in(corpus, where)
    views = {
        e.system.view.name: e.system.view
        for e in grid.entries
        if e.has_model and (e.corpus, e.system.text) == (corpus_name, text)
    }
    if view not in views:
        raise UserError("unknown view", where=where, expected=", ".join(sorted(views)))
    return {"view": views[view].recorded()}


def _chains(grid: Grid, where: str, corpus: str, text: str, view: str) -> dict[str, Any]:
    """Return the cuts of a view, or, for the chains of whole documents, the length of the stop list.

    The folder of the chains of whole documents has the name `words` in the place of a view; no view has this name.
    """
    if view == paths.WORDS:
        return {"stop_words": grid.corpus_at_scale(grid.corpus_in(corpus, where)).stop_words}
    return _views(grid, where, corpus, text, view)


def _training(grid: Grid, where: str, corpus: str, system: str, seed: str) -> dict[str, Any]:
    """Return the settings of a training, with the folder of the trained system whose model it starts from."""
    entry = grid.with_model(corpus, system)
    config, start = entry.system, grid.started_from(entry)
    return {
        **_run(grid, entry, seed),
        "init_from": start.trained if start else None,
        "pretrained": given(config.pretrained),
        "text": {"name": config.text, **_text(grid, config.text)},
        "view": config.view.recorded(),
        **{section: dataclasses.asdict(getattr(config, section)) for section in ("model", "train")},
    }


def _translations(grid: Grid, where: str, corpus: str, system: str, seed: str) -> dict[str, Any]:
    """Return the settings of decoding and the cuts of the view; for an external system, where its lines come from."""
    entry = grid.find(corpus, system)
    if isinstance(entry.system, ExternalSystem):
        is_stand_in = grid.has_stand_ins and entry.system.source.has_stand_ins
        return {**_run(grid, entry, seed), "source": source_of(entry.system), "stand_in": is_stand_in}
    system = entry.system
    return {**_run(grid, entry, seed), "decode": system.decode.recorded(), "view": system.view.recorded()}


def _scores(grid: Grid, where: str, corpus: str, system: str, seed: str) -> dict[str, Any]:
    """Return the settings of scoring, and all settings of the system, which the file of scores contains too."""
    entry = grid.find_scored(corpus, system)
    resolved = {key: value for key, value in dataclasses.asdict(entry.system).items() if key != "name"}
    if isinstance(entry.system, ExternalSystem):
        resolved["source"] = source_of(entry.system)
    else:
        recorded = {"decode": entry.system.decode.recorded(), "view": entry.system.view.recorded()}
        resolved |= {"pretrained": given(entry.system.pretrained), **recorded}
    return {
        **_run(grid, entry, seed),
        **_languages(grid, corpus),
        **_scoring(grid, entry),
        "requested": requested_metrics(grid, entry),
        "resolved": resolved,
    }


def _scoring(grid: Grid, entry: Entry) -> dict[str, Any]:
    """Return the settings by which a system is scored; those of a metric that is not computed are None."""
    scoring = scoring_of_entry(grid, entry)
    chosen, vectors, model = scoring.config, name_of(scoring.vectors), given(scoring.model)
    # Nobody else scores the variants of contrastive sets.
    has_sets = grid.corpus_at_scale(entry.corpus).contrastive and entry.has_model
    stop_lists = {
        name: {language: name_of(path) for language, path in getattr(scoring.consistency, name).items()}
        for name in ("source_stop_lists", "target_stop_lists")
    }
    aligner = scoring.aligner and dataclasses.asdict(scoring.aligner) | {"model": given(scoring.aligner_model)}
    return {
        "consistency": dataclasses.asdict(scoring.consistency) | stop_lists,
        "aligner": aligner,
        "coherence": vectors and {"vectors": vectors, "case": chosen.coherence.case},
        "cohesion": model and {"model": model, "batch_pairs": chosen.cohesion.batch_pairs},
        "comet": scoring.comet and _comet(scoring.comet),
        "conventions": {name: dataclasses.asdict(stated) for name, stated in chosen.conventions.items()},
        "contrastive": dataclasses.asdict(chosen.contrastive) if has_sets else None,
    }


def _comet(chosen: CometConfig) -> dict[str, Any]:
    """Return the settings of COMET, without the command, which differs between users."""
    paths_of_user = {"model": given(chosen.model), "encoder": given(chosen.encoder)}
    return {**paths_of_user, "context": chosen.context, "batch": chosen.batch}


def _vectors(grid: Grid, where: str, corpus: str, text: str) -> dict[str, Any]:
    """Return the settings of the training of word vectors, which are the same for all studies of a corpus and text."""
    return {"vectors": trained_on(grid, grid.corpus_in(corpus, where), text, "word vectors", where)}


def _aligners(grid: Grid, where: str, corpus: str, text: str) -> dict[str, Any]:
    """Return the unit of the source text that the aligner links: words or pieces, as in the scored lexical chains."""
    return {"source": trained_on(grid, grid.corpus_in(corpus, where), text, "an aligner", where)["chains"]}


def _passages(grid: Grid, where: str, corpus: str, system: str, seed: str, study: str, passage: str) -> dict[str, Any]:
    """Return the settings of decoding and the source sentences of a passage.

    Raises UserError where the study has no such passage.
    """
    stated = study_of(grid, study, where).passages.get(passage)
    if stated is None:
        raise UserError("unknown passage", where=where)
    entry = grid.with_model(corpus, system)
    return {
        **_run(grid, entry, seed),
        "decode": entry.system.decode.recorded(),
        "documents": [list(document.source) for document in stated.documents],
    }


def _comparisons(grid: Grid, where: str, study: str, table: str) -> dict[str, Any]:
    """Return each pair of a system and its baseline that a table compares, with the seeds of the compared runs.

    The pairs are sorted by name, so that a new order of the table's rows repeats no comparison. Raises UserError for an
    item that is no table of systems.
    """
    item = item_of(grid, study, table)
    if item.significance is None:
        raise UserError("not a table of systems", where=where)
    pairs, folders = [], {}
    for system, baseline, seeds in compared_systems(grid, study, item):
        names = {"corpus": system.corpus, "system": system.system.name, "baseline": baseline.system.name}
        seeds_of = dict(zip(("system", "baseline"), seeds, strict=True))
        pairs.append({**names, "test": item.significance, "metrics": item.tallied, "seeds": seeds_of})
        for entry in (system, baseline):
            folders.setdefault(entry.corpus, {})[entry.system.name] = entry.scored
    pairs.sort(key=lambda pair: (pair["corpus"], pair["system"], pair["baseline"]))
    return {"study": study, "scale": grid.scale, "folders": folders, "pairs": pairs}


def _page_or_sheet(grid: Grid, where: str, study: str, item: str | None = None) -> dict[str, Any]:
    """Return the settings of a page, or of the sheet for annotators of a table of judgements."""
    if item is not None and item.endswith(paths.SHEET_ENDING):
        return _sheet(grid, study, item.removesuffix(paths.SHEET_ENDING))
    return page_settings(grid, where, study, item)


def _sheet(grid: Grid, study: str, name: str) -> dict[str, Any]:
    """Return the settings of a sheet: the two systems, and which sentences are drawn."""
    item, entries = judged_systems(grid, study, name)
    baseline, system = (
        {"name": entry.system.name, "folder": entry.folder, "seed": entry.seeds[0]} for entry in entries
    )
    return {
        "scale": grid.scale,
        "corpus": item.corpus,
        "data": grid.data_folder(item.corpus),
        **_languages(grid, item.corpus),
        "baseline": baseline,
        "system": system,
        "sentences": item.sentences,
        "draw": item.draw,
        "identical": item.identical,
    }


def _text(grid: Grid, text: str) -> dict[str, Any]:
    """Return the settings of a preset of text, without the path of its checkpoint."""
    config = grid.texts[text]
    return dataclasses.asdict(config) | {"pretrained": given(config.pretrained)}


def _run(grid: Grid, entry: Entry, seed: str) -> dict[str, Any]:
    """Return the names that identify a run: its study, its corpus, the folder of its system, its scale and its seed."""
    names = {"study": entry.study, "corpus": entry.corpus, "system": entry.folder}
    return {**names, "scale": grid.scale, "seed": int(seed)}


def _languages(grid: Grid, corpus: str) -> dict[str, str]:
    """Return the source language and the target language of a corpus."""
    config = grid.corpora[corpus]
    return {"source_language": config.source_language, "target_language": config.target_language}


SLICES: dict[str, tuple[str, Callable[..., dict[str, Any]]]] = {
    paths.CHECKPOINT.stage: ("checkpoints", _checkpoint),
    paths.CORPUS.stage: ("corpus", _corpus),
    paths.TOKENS.stage: ("tokens", _tokens),
    paths.VIEW.stage: ("views", _views),
    paths.CHAINS.stage: ("chains", _chains),
    paths.TRAINING.stage: ("training", _training),
    paths.TRANSLATIONS.stage: ("translations", _translations),
    paths.PASSAGE.stage: ("translations", _passages),
    paths.VECTORS.stage: ("scores", _vectors),
    paths.ALIGNER.stage: ("scores", _aligners),
    paths.SCORES.stage: ("scores", _scores),
    paths.COMPARISON.stage: ("scores", _comparisons),
    paths.ITEM.stage: ("report", _page_or_sheet),
}
"""The key of `VERSIONS`, and the function that returns the settings of a job, by the stage of the job.

The arguments of the function are the grid, the job's folder (for messages), and the names in the job's path except the
scale.
"""
