"""What each job gets to know: the slice of the grid that its output depends on, and nothing else.

The workflow writes a slice as `settings.json` beside the job's outputs, and the job reads only that. So a changed
beam retrains nothing, and a job that waits in a queue runs with the settings of its submission.
"""

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from docmt.core.catalogue import STOP_WORDS, corpus_settings
from docmt.core.errors import UserError, check_known
from docmt.core.grid import Entry, Grid
from docmt.core.metrics import parse_metric
from docmt.core.scoring import WordVectorsConfig
from docmt.core.study import StudyConfig
from docmt.core.versions import VERSIONS

STAGES = {
    "1_corpus": "{corpus}",
    "2_tokens": "{corpus}/{text}",
    "3_views": "{corpus}/{text}/{view}",
    "4_chains": "{corpus}/{text}/{view}",
    "5_training": "{scale}/{corpus}/{system}/seed{seed}",
    "6_translations": "{scale}/{corpus}/{system}/seed{seed}",
    "7_vectors": "{corpus}/{text}",
    "7_aligners": "{corpus}/{text}",
    "7_scores": "{scale}/{corpus}/{system}/seed{seed}",
    "7_comparisons": "{study}",
    "8_report": "{study}",
}
"""Folders under `results/`, by stage."""

WORDS = "words"
"""Stands for the view in the folder of the chains of whole documents."""


def settings(grid: Grid, path: str) -> dict[str, Any]:
    """The slice of the job whose outputs stand in `results/<path>`.

    Raises UserError where the path names nothing that the grid holds.
    """
    stage, *parts = path.split("/")
    if stage not in SLICES or len(parts) != STAGES[stage].count("/") + 1:
        raise UserError("no such target", where=f"results/{path}", expected=" or ".join(STAGES))
    return SLICES[stage](grid, *parts)


def _corpus(grid: Grid, corpus: str) -> dict[str, Any]:
    return {"version": VERSIONS["corpus"], **corpus_settings(grid.corpora[corpus])}


def _tokens(grid: Grid, corpus: str, text: str) -> dict[str, Any]:
    languages = _languages(grid, corpus)
    fields = dataclasses.asdict(grid.texts[text])
    return {"version": VERSIONS["tokens"], "corpus": corpus, **languages, "text": fields}


def _views(grid: Grid, corpus: str, text: str, view: str) -> dict[str, Any]:
    return {"version": VERSIONS["views"], "view": _view(grid, "3_views", corpus, text, view)}


def _chains(grid: Grid, corpus: str, text: str, view: str) -> dict[str, Any]:
    """Of whole documents where the view is `words`, a name that no cut of documents has."""
    if view == WORDS:
        check_known("corpus", corpus, grid.corpora, f"results/4_chains/{corpus}/{text}/{view}")
        return {"version": VERSIONS["chains"], "stop_words": grid.corpora[corpus].stop_words}
    return {"version": VERSIONS["chains"], "view": _view(grid, "4_chains", corpus, text, view)}


def _view(grid: Grid, stage: str, corpus: str, text: str, view: str) -> dict[str, Any]:
    views = {e.system.view.name: e.system.view for e in grid.entries if (e.corpus, e.system.text) == (corpus, text)}
    if view not in views:
        where = f"results/{stage}/{corpus}/{text}/{view}"
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
    config, chosen = grid.corpora[corpus], grid.scoring
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


def _vectors(grid: Grid, corpus: str, text: str) -> dict[str, Any]:
    check_known("corpus", corpus, grid.corpora, f"results/7_vectors/{corpus}/{text}")
    names = [field.name for field in dataclasses.fields(WordVectorsConfig)]
    return {"version": VERSIONS["scores"], "vectors": {name: getattr(grid.scoring.coherence, name) for name in names}}


def _aligners(grid: Grid, corpus: str, text: str) -> dict[str, Any]:
    """The aligner links what lexical chains are of."""
    check_known("corpus", corpus, grid.corpora, f"results/7_aligners/{corpus}/{text}")
    return {"version": VERSIONS["scores"], "source": grid.scoring.consistency.chains}


def _comparisons(grid: Grid, study: str) -> dict[str, Any]:
    config = _study(grid, study, "7_comparisons")
    pairs = _compared(config, [corpus for corpus in config.corpora if corpus not in grid.not_run])
    systems = {(pair["corpus"], pair[name]) for pair in pairs for name in ("system", "baseline")}
    folders: dict[str, dict[str, str]] = {}
    for entry in grid.of_study(study):
        if (entry.corpus, entry.system.name) in systems:
            folders.setdefault(entry.corpus, {})[entry.system.name] = entry.folder
    return {
        "version": VERSIONS["scores"],
        "study": study,
        "scale": grid.scale,
        "seeds": list(grid.seeds[study]),
        "folders": folders,
        "pairs": pairs,
    }


def _compared(study: StudyConfig, corpora: Iterable[str]) -> list[dict[str, Any]]:
    """Every pair of a system and its baseline, with the metrics of all tables that name both."""
    metrics: dict[tuple[str, ...], set[str]] = {}
    for table in study.tables.values():
        compared = {metric for metric in table.metrics if parse_metric(metric).tallied}
        for row in table.rows:
            if (baseline := table.baseline_of(row)) is not None:
                for corpus in corpora:
                    metrics.setdefault((corpus, row.system, baseline, table.significance), set()).update(compared)
    names = ("corpus", "system", "baseline", "test")
    return [{**dict(zip(names, pair, strict=True)), "metrics": sorted(metrics[pair])} for pair in sorted(metrics)]


def _report(grid: Grid, study: str) -> dict[str, Any]:
    config = _study(grid, study, "8_report")
    shown = {key: value for key, value in dataclasses.asdict(config).items() if key != "systems"}
    not_run = {corpus: why for corpus, why in grid.not_run.items() if corpus in config.corpora}
    return {
        "version": VERSIONS["report"],
        "scale": grid.scale,
        "study": {**shown, "seeds": list(grid.seeds[study])},
        "entries": [dataclasses.asdict(entry) for entry in sorted(grid.of_study(study), key=_shown_as(config))],
        "corpora": {
            name: {"about": grid.corpora[name].about, **corpus_settings(grid.corpora[name])} for name in config.corpora
        },
        **({"not_run": not_run} if not_run else {}),
    }


def _study(grid: Grid, study: str, stage: str) -> StudyConfig:
    if study not in grid.studies:
        raise UserError("unknown study", where=f"results/{stage}/{study}", expected=", ".join(grid.studies))
    return grid.studies[study]


def corpora_of(grid: Grid, targets: Iterable[str]) -> list[str]:
    """The corpora that targets are about: `all`, names of studies, files under results/; none for any other."""
    found: dict[str, None] = {}
    for target in targets:
        stage, *parts = target.rpartition("results/")[2].split("/")
        named = dict(zip(STAGES.get(stage, "").split("/"), parts, strict=False))
        studies = grid.active if target == "all" else (named.get("{study}", target),)
        stated = [corpus for study in studies if study in grid.studies for corpus in grid.studies[study].corpora]
        found |= dict.fromkeys([*stated, named.get("{corpus}")])
    return [corpus for corpus in found if corpus in grid.corpora]


def _shown_as(study: StudyConfig) -> Callable[[Entry], tuple]:
    """The order of systems on the page: that of the tables' rows, which are lists, and never that of keys."""
    rows = [row.system for _, table in sorted(study.tables.items()) for row in table.rows]
    return lambda entry: (
        study.corpora.index(entry.corpus),
        rows.index(entry.system.name) if entry.system.name in rows else len(rows),
        entry.system.name,
    )


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
    "1_corpus": _corpus,
    "2_tokens": _tokens,
    "3_views": _views,
    "4_chains": _chains,
    "5_training": _training,
    "6_translations": _translations,
    "7_vectors": _vectors,
    "7_aligners": _aligners,
    "7_scores": _scores,
    "7_comparisons": _comparisons,
    "8_report": _report,
}
