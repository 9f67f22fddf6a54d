"""What each job gets to know: the slice of the grid that its output depends on, and nothing else.

The workflow writes a slice as `settings.json` beside the job's outputs, and the job reads only that. So a changed
beam retrains nothing, and a job that waits in a queue runs with the settings of its submission.
"""

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from docmt.base import paths
from docmt.base.errors import UserError, check_known
from docmt.base.paths import FOLDERS, RESULTS
from docmt.catalogue.corpus import STOP_WORDS, corpus_settings
from docmt.kinds.study import StudyConfig
from docmt.plan.grid import Grid
from docmt.plan.items import compared_systems, item_corpora, item_entries, item_files, item_of, later_card, study_of
from docmt.plan.study import SECTIONS
from docmt.plan.versions import VERSIONS
from docmt.settings.pretrained import is_random_checkpoint
from docmt.settings.scoring import WordVectorsConfig
from docmt.settings.system import Entry

LEAST = {paths.ITEM.stage: 1}
"""Parts that a folder has at least, where it need not have all: a study's page, and those of its items."""


def settings(grid: Grid, path: str) -> dict[str, Any]:
    """The slice of the job whose outputs stand in `results/<path>`.

    Raises UserError where the path names nothing that the grid holds.
    """
    stage, *parts = path.split("/")
    names, where = _names(stage, parts), f"{RESULTS}/{path}"
    most = len(_places(stage))
    if stage not in SLICES or not LEAST.get(stage, most) <= len(parts) <= most:
        raise UserError("no such target", where=where, expected=" or ".join(FOLDERS))
    scale = names.pop("scale", grid.scale)
    if scale != grid.scale:
        expected, remedy = f"{grid.scale}, which this run has", f"snakemake --config scale={scale}"
        raise UserError(
            "a target of another scale", where=where, found=f"scale {scale}", expected=expected, remedy=remedy
        )
    version, slice_of = SLICES[stage]
    return {"version": VERSIONS[version], **slice_of(grid, where, **names)}


def _places(stage: str) -> list[str]:
    """What stands in the path of a stage's folder: `{scale}`, `seed{seed}`; nothing where there is no such stage."""
    return FOLDERS[stage].places.split("/") if stage in FOLDERS else []


def _names(stage: str, parts: Iterable[str]) -> dict[str, str]:
    """The parts of a path by the places that they fill, as far as there are any."""
    pairs = ((place.rstrip("}").split("{"), part) for place, part in zip(_places(stage), parts, strict=False))
    return {name: part.removeprefix(before) for (before, name), part in pairs}


def _checkpoint(grid: Grid, where: str, checkpoint: str) -> dict[str, Any]:
    check_known("checkpoint that this scale makes", checkpoint, grid.checkpoints, where)
    return dataclasses.asdict(grid.checkpoints[checkpoint])


def _corpus(grid: Grid, where: str, corpus: str) -> dict[str, Any]:
    config = grid.corpus_at_scale(grid.corpus_in(corpus, where))
    made_up = {"fixture": dataclasses.asdict(grid.fixtures)} if grid.fixtures and config.files else {}
    return {**corpus_settings(config), **made_up}


def _tokens(grid: Grid, where: str, corpus: str, text: str) -> dict[str, Any]:
    own = grid.corpus_in(corpus, where)
    check_known("text", text, grid.texts, where)
    return {"corpus": own, **_languages(grid, own), "text": dataclasses.asdict(grid.texts[text])}


def _views(grid: Grid, where: str, corpus: str, text: str, view: str) -> dict[str, Any]:
    own = grid.corpus_in(corpus, where)
    views = {e.system.view.name: e.system.view for e in grid.entries if (e.corpus, e.system.text) == (own, text)}
    if view not in views:
        raise UserError("unknown view", where=where, expected=", ".join(sorted(views)))
    return {"view": dataclasses.asdict(views[view])}


def _chains(grid: Grid, where: str, corpus: str, text: str, view: str) -> dict[str, Any]:
    """Of whole documents where the view is `words`, a name that no cut of documents has."""
    if view == paths.WORDS:
        return {"stop_words": grid.corpus_at_scale(grid.corpus_in(corpus, where)).stop_words}
    return _views(grid, where, corpus, text, view)


def _training(grid: Grid, where: str, corpus: str, system: str, seed: str) -> dict[str, Any]:
    entry = grid.find(corpus, system)
    own, start = entry.system, grid.started_from(entry)
    return {
        **_run(grid, entry, seed),
        "init_from": start.trained if start else None,
        "pretrained": own.pretrained,
        "text": {"name": own.text, **dataclasses.asdict(grid.texts[own.text])},
        **{section: dataclasses.asdict(getattr(own, section)) for section in ("view", "model", "train")},
    }


def _translations(grid: Grid, where: str, corpus: str, system: str, seed: str) -> dict[str, Any]:
    entry = grid.find(corpus, system)
    sections = {section: dataclasses.asdict(getattr(entry.system, section)) for section in ("decode", "view")}
    return {**_run(grid, entry, seed), **sections}


def _scores(grid: Grid, where: str, corpus: str, system: str, seed: str) -> dict[str, Any]:
    entry = grid.find(corpus, system)
    resolved = {key: value for key, value in dataclasses.asdict(entry.system).items() if key != "name"}
    return {
        **_run(grid, entry, seed),
        **_languages(grid, corpus),
        **_scoring(grid, corpus),
        "resolved": resolved,
    }


def _scoring(grid: Grid, corpus: str) -> dict[str, Any]:
    """What of `scoring` concerns a corpus; none for what is not measured on it."""
    config, chosen = grid.corpus_at_scale(corpus), grid.scoring
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


def _vectors(grid: Grid, where: str, corpus: str, text: str) -> dict[str, Any]:
    grid.corpus_in(corpus, where)
    names = [field.name for field in dataclasses.fields(WordVectorsConfig)]
    return {"vectors": {name: getattr(grid.scoring.coherence, name) for name in names}}


def _aligners(grid: Grid, where: str, corpus: str, text: str) -> dict[str, Any]:
    """The aligner links what lexical chains are of."""
    grid.corpus_in(corpus, where)
    return {"source": grid.scoring.consistency.chains}


def _passages(grid: Grid, where: str, corpus: str, system: str, seed: str, study: str, passage: str) -> dict[str, Any]:
    stated = study_of(grid, study, where).passages.get(passage)
    if stated is None:
        raise UserError("unknown passage", where=where)
    entry = grid.find(corpus, system)
    return {
        **_run(grid, entry, seed),
        "decode": dataclasses.asdict(entry.system.decode),
        "documents": [list(document.source) for document in stated.documents],
    }


def _comparisons(grid: Grid, where: str, study: str, table: str) -> dict[str, Any]:
    """Every pair of a system of a table and its baseline, with the seeds that both have."""
    item = item_of(grid, study, table)
    if item.significance is None:
        raise UserError("not a table of systems", where=where)
    pairs, folders = [], {}
    for system, baseline, seeds in compared_systems(grid, study, item):
        names = {"corpus": system.corpus, "system": system.system.name, "baseline": baseline.system.name}
        pairs.append({**names, "test": item.significance, "metrics": item.tallied, "seeds": seeds})
        for entry in (system, baseline):
            folders.setdefault(entry.corpus, {})[entry.system.name] = entry.folder
    pairs.sort(key=lambda pair: (pair["corpus"], pair["system"], pair["baseline"]))
    return {"study": study, "scale": grid.scale, "folders": folders, "pairs": pairs}


def _report(grid: Grid, where: str, study: str, item: str | None = None) -> dict[str, Any]:
    """What a page is made from: without `item` that of the whole study.

    Raises UserError where there is no such study or item.

    `reads`: what of runs an item is made from, which is all that its job may look at; none for everything.
    """
    config = study_of(grid, study)
    if item is None:
        entries, corpora = sorted(grid.of_study(study), key=_order(grid, config)), config.corpora
        reads = None
    else:
        item_of(grid, study, item)
        entries, corpora = item_entries(grid, study, item), item_corpora(grid, study, item)
        reads = sorted(item_files(grid, study, item))
        config = _only(config, item)
    judged = any("human" in item.reads() for item in config.items.values())
    return {
        "scale": grid.scale,
        "study": dataclasses.asdict(dataclasses.replace(config, systems={})),
        "item": item,
        "reads": reads,
        "pages": [_page(name, one) for name, one in grid.studies[study].items.items()],
        "entries": [dataclasses.asdict(entry) for entry in entries],
        "corpora": {name: _facts(grid, name, config) for name in corpora},
        "not_run": _not_run(grid, entries, corpora),
        "cards": _cards(grid, study, config),
        "data": {name: grid.data_folder(name) for name in corpora} if grid.fixtures else {},
        "stand_ins": {one.folder(grid.scale): one.stands_for for one in grid.checkpoints.values()},
        "random_starts": _random_starts(grid, entries),
        "human": grid.human.get(study) if judged else None,
    }


def _only(study: StudyConfig, item: str) -> StudyConfig:
    """The study without its other items."""
    kept = {name: {key: one for key, one in getattr(study, name).items() if key == item} for name in SECTIONS}
    return dataclasses.replace(study, **kept)


def _page(name: str, item: Any) -> dict[str, str]:
    """What the other pages say of an item."""
    return {"name": name, "title": item.title, "paper": item.paper}


def _order(grid: Grid, study: StudyConfig) -> Callable[[Entry], tuple]:
    """The order of systems on the page: that of the items' lists, and never that of keys."""
    shown = [entry.system.name for name in study.items for entry in item_entries(grid, study.study, name)]
    places = {name: place for place, name in enumerate(dict.fromkeys(shown))}
    return lambda entry: (
        study.corpora.index(entry.corpus),
        places.get(entry.system.name, len(places)),
        entry.system.name,
    )


def _facts(grid: Grid, corpus: str, study: StudyConfig) -> dict[str, Any]:
    """What the catalogue states, with the papers' counts where a table shows them.

    Why these differ is said of the corpus itself, and not of a fixture.
    """
    config, published = grid.corpus_at_scale(corpus), grid.corpora[corpus].published
    why = {"why": {}} if grid.fixtures else {}
    counted = any(any(item.counts_of(study.corpora)) for item in study.items.values())
    counts = {"published": [dataclasses.asdict(one) | why for one in published]} if counted else {}
    return {"about": config.about, **corpus_settings(config), **counts}


def _not_run(grid: Grid, entries: Iterable[Entry], corpora: Iterable[str]) -> dict[str, str]:
    """Why a corpus, or a system on one (`corpus/system`), is left out."""
    left_out = {f"{e.corpus}/{e.system.name}": why for e in entries if (why := grid.left_out(e)) is not None}
    return {corpus: grid.not_run[corpus] for corpus in corpora if corpus in grid.not_run} | left_out


def _random_starts(grid: Grid, entries: Iterable[Entry]) -> dict[str, str]:
    """Systems (`corpus/system`) whose training, or that of what it starts from, starts from a random checkpoint: its
    folder."""
    starts = {f"{e.corpus}/{e.system.name}": [one.system.pretrained for one in grid.starts(e)] for e in entries}
    return {name: folder for name, folders in starts.items() for folder in folders if is_random_checkpoint(folder)}


def _cards(grid: Grid, study: str, config: StudyConfig) -> dict[str, str]:
    """Where later stages count what a table shows, by `corpus/count/split`."""
    wanted = [one for item in config.items.values() for one in item.counts_of(config.corpora)]
    found = {"/".join(one): later_card(grid, study, *one) for one in wanted}
    return {name: card for name, card in found.items() if card is not None}


def _run(grid: Grid, entry: Entry, seed: str) -> dict[str, Any]:
    names = {"study": entry.study, "corpus": entry.corpus, "system": entry.folder}
    return {**names, "scale": grid.scale, "seed": int(seed)}


def _languages(grid: Grid, corpus: str) -> dict[str, str]:
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
    paths.ITEM.stage: ("report", _report),
}
"""By stage: which version its jobs have, and their slice, from the grid, where the job stands (for messages) and the
names in its path, but for the scale."""


def corpora_of(grid: Grid, targets: Iterable[str]) -> list[str]:
    """The corpora that targets are about: `all`, names of studies, files under results/; none for any other."""
    found: dict[str, None] = {}
    for target in targets:
        stage, *parts = target.rpartition(f"{RESULTS}/")[2].split("/")
        named = _names(stage, parts)
        studies = grid.active if target == "all" else (named.get("study", target),)
        item = Path(named.get("item", named.get("table", ""))).stem
        stated = [corpus for study in studies if study in grid.studies for corpus in _corpora(grid, study, item)]
        found |= dict.fromkeys([*stated, named.get("corpus", "").removesuffix(f"@{grid.scale}")])
    return [corpus for corpus in found if corpus in grid.corpora]


def _corpora(grid: Grid, study: str, item: str) -> Iterable[str]:
    """Of one of the study's items, or of the study where it has no such item."""
    config = grid.studies[study]
    return item_corpora(grid, study, item) if item in config.items else config.corpora
