"""What stage 8 gets to know: of a study's page, or of that of one of its tables, figures and passages."""

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from docmt.catalogue.corpus import corpus_settings
from docmt.kinds.study import StudyConfig
from docmt.plan.grid import Grid
from docmt.plan.items import item_corpora, item_entries, item_files, item_of, later_card, study_of
from docmt.plan.study import SECTIONS
from docmt.plan.versions import VERSIONS
from docmt.settings.made_checkpoints import is_made
from docmt.settings.system import Entry


def report_slice(grid: Grid, study: str, item: str | None = None) -> dict[str, Any]:
    """Without `item` the whole study. Raises UserError where there is no such study or item.

    `reads`: what of runs an item is made from, which is all that its job may look at; none for everything.
    """
    config = study_of(grid, study, f"results/8_report/{study}")
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
        "version": VERSIONS["report"],
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
    config, published = grid.made(corpus), grid.corpora[corpus].published
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
    return {name: folder for name, folders in starts.items() for folder in folders if is_made(folder)}


def _cards(grid: Grid, study: str, config: StudyConfig) -> dict[str, str]:
    """Where later stages count what a table shows, by `corpus/count/split`."""
    wanted = [one for item in config.items.values() for one in item.counts_of(config.corpora)]
    found = {"/".join(one): later_card(grid, study, *one) for one in wanted}
    return {name: card for name, card in found.items() if card is not None}
