"""The settings of the page of an item, or of a study."""

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from docmt.base.recipe import GIVEN
from docmt.catalogue.corpus import corpus_settings
from docmt.grid.comparable import Reasons, not_comparable
from docmt.grid.grid import Grid
from docmt.grid.items import item_corpora, item_entries, item_jobs, item_of, later_card, study_of
from docmt.grid.markers import name_of, source_of
from docmt.grid.scored import scoring_of
from docmt.grid.study import SECTIONS
from docmt.reporting.study import StudyConfig
from docmt.settings.pretrained import is_random_checkpoint
from docmt.settings.system import Entry, ExternalSystem


def page_settings(grid: Grid, where: str, study: str, item: str | None = None) -> dict[str, Any]:
    """Return the settings of the page of an item, or of the page of the whole study where `item` is None.

    Raises UserError where there is no such study or item.
    """
    config = study_of(grid, study)
    if item is None:
        entries, corpora = sorted(grid.of_study(study), key=_order(grid, config)), config.corpora
        # The job of an item's page reads no other files of runs than its inputs; that of a study's page reads all.
        reads = None
    else:
        item_of(grid, study, item)
        entries, corpora = item_entries(grid, study, item), item_corpora(grid, study, item)
        reads = sorted(item_jobs(grid, study, item))
        config = _only(config, item)
    judged = any("human" in item.reads() for item in config.items.values())
    not_run, not_scored = _not_run(grid, entries, corpora), _not_scored(grid, study, corpora)
    reasons = {*not_run.values(), *(reason for parts in not_scored.values() for reason in parts.values())}
    return {
        "scale": grid.scale,
        "study": _study(config),
        "item": item,
        "reads": reads,
        "pages": [_page(name, listed) for name, listed in grid.studies[study].items.items()],
        "systems": _systems(grid, study),
        "entries": [_entry(entry) for entry in entries],
        "corpora": {name: _facts(grid, name, config) for name in corpora},
        "not_run": not_run,
        "not_comparable": _not_comparable(grid, study, config, corpora),
        "not_scored": not_scored,
        "ways": {reason: way for reason, way in grid.ways_by_reason.items() if reason in reasons},
        "cards": _cards(grid, study, config),
        "data": {name: grid.data_folder(name) for name in corpora} if grid.fixtures else {},
        "stand_ins": {random.folder(grid.scale): name_of(random.stands_for) for random in grid.checkpoints.values()},
        "random_starts": _random_starts(grid, entries),
        "human": GIVEN if judged and study in grid.human else None,
    }


def _study(config: StudyConfig) -> dict[str, Any]:
    """Return a study for a report, without what decides no page."""
    # A page depends only on the systems in `entries`, and on names and labels of others. Settings of scoring have paths
    # of the user's; the files of scores have what decides a number.
    measured_as = {
        metric: tuple(dataclasses.replace(statement, scoring={}, obtain="") for statement in statements)
        for metric, statements in config.measured_as.items()
    }
    return dataclasses.asdict(dataclasses.replace(config, systems={}, scoring={}, measured_as=measured_as))


def _only(study: StudyConfig, item: str) -> StudyConfig:
    """Return the study with a single item, `item`, and with the findings whose numbers are all in this item."""
    sections = {name: {key: config for key, config in getattr(study, name).items() if key == item} for name in SECTIONS}
    findings = tuple(finding for finding in study.findings if finding.tables == {item})
    return dataclasses.replace(study, **sections, findings=findings)


def _page(name: str, item: Any) -> dict[str, str]:
    return {"name": name, "title": item.title, "paper": item.paper}


def _systems(grid: Grid, study: str) -> list[dict[str, str]]:
    config = grid.studies[study]
    systems = sorted({entry.system.name for entry in grid.of_study(study)}, key=_place(grid, config))
    return [{"system": name, "label": config.labels.get(name, "")} for name in systems]


def _place(grid: Grid, study: StudyConfig) -> Callable[[str], tuple]:
    """Return a sort key for the names of systems: by the place of the system in the items of the study."""
    # A study's file with reordered keys gives the same page.
    listed = [entry.system.name for name in study.items for entry in item_entries(grid, study.study, name)]
    places = {name: place for place, name in enumerate(dict.fromkeys(listed))}
    return lambda name: (places.get(name, len(places)), name)


def _order(grid: Grid, study: StudyConfig) -> Callable[[Entry], tuple]:
    """Return a sort key for entries: first by corpus, then by the place of the system in the items of the study."""
    place = _place(grid, study)
    return lambda entry: (study.corpora.index(entry.corpus), place(entry.system.name))


def _facts(grid: Grid, corpus: str, study: StudyConfig) -> dict[str, Any]:
    """Return the facts of the catalogue on a corpus, with its published counts for a study that has a table of them."""
    config, published = grid.corpus_at_scale(corpus), grid.corpora[corpus].published
    # Explanations of differences are about the real corpus, not about a fixture.
    why = {"why": {}} if grid.fixtures else {}
    counted = any(any(item.counts_of(study.corpora)) for item in study.items.values())
    counts = {"published": [dataclasses.asdict(stated) | why for stated in published]} if counted else {}
    return {"about": config.about, **corpus_settings(config), **counts}


def _not_run(grid: Grid, entries: Iterable[Entry], corpora: Iterable[str]) -> dict[str, str]:
    left_out = {f"{e.corpus}/{e.system.name}": why for e in entries if (why := grid.left_out(e)) is not None}
    return {corpus: grid.not_run[corpus] for corpus in corpora if corpus in grid.not_run} | left_out


def _not_comparable(grid: Grid, study: str, config: StudyConfig, corpora: Iterable[str]) -> dict[str, Reasons]:
    """Return why numbers are not comparable with published ones, also those of judgements, which need no corpus."""
    beside = [corpus for item in config.items.values() for corpus, *_ in item.beside_published(config.corpora)]
    return not_comparable(grid, study, dict.fromkeys([*corpora, *beside]))


def _not_scored(grid: Grid, study: str, corpora: Iterable[str]) -> dict[str, dict[str, str]]:
    missing = {corpus: dict(scoring_of(grid, study, corpus).missing) for corpus in corpora}
    return {corpus: reasons for corpus, reasons in missing.items() if reasons}


def _random_starts(grid: Grid, entries: Iterable[Entry]) -> dict[str, str]:
    """Return the folder of the random checkpoint from which training starts, by `corpus/system`, if any."""
    starts = {f"{e.corpus}/{e.system.name}": [start.pretrained for start in grid.starts(e)] for e in entries}
    # The start may be indirect: a training starts from a model whose training starts from the checkpoint.
    return {name: folder for name, folders in starts.items() for folder in folders if is_random_checkpoint(folder)}


def _cards(grid: Grid, study: str, config: StudyConfig) -> dict[str, str]:
    wanted = [count for item in config.items.values() for count in item.counts_of(config.corpora)]
    cards = {"/".join(count): later_card(grid, study, *count) for count in wanted}
    return {name: f"{card[0]}/card.json" for name, card in cards.items() if card is not None}


def _entry(entry: Entry) -> dict[str, Any]:
    """Return an entry for a report, with the name of its checkpoint in the place of the path."""
    values = dataclasses.asdict(entry) | {"settings_digest": ""}  # the digest of settings with paths
    if isinstance(entry.system, ExternalSystem):
        values["system"]["source"] = source_of(entry.system, name_of)
        return values
    if not is_random_checkpoint(entry.system.pretrained):
        values["system"]["pretrained"] = name_of(entry.system.pretrained)
    return values
