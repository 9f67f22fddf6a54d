"""What snakemake can be asked for: studies, tables, figures, scores and corpora, and whether each is there."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from docmt.catalogue.missing import Places, left_out
from docmt.plan.estimates import Estimates, Plan
from docmt.plan.grid import Grid
from docmt.plan.items import item_corpora, item_entries, page_of, run_folder
from docmt.settings.system import Entry


@dataclass(frozen=True)
class Target:
    """`plan`: the trainings that it needs, of studies and their items; `lacks`: files that only a person can bring."""

    name: str
    about: str
    is_made: bool
    lacks: bool
    plan: Plan | None


def targets(grid: Grid, root: Path, studies: Iterable[str], estimates: Estimates, scores: bool) -> Iterator[Target]:
    """`all`, each of `studies` with what is in it, and the corpora. `scores`: those of each system and seed too.

    On made-up text nothing lacks files.
    """
    places = Places(root / "results", grid.mirror, grid.local)
    without = set() if grid.fixtures else set(left_out(grid.corpora.values(), places))
    for name, path, about, corpora, entries in _asked(grid, studies, scores):
        is_made, lacks = path is not None and (root / path).exists(), bool(without.intersection(corpora))
        yield Target(name, about, is_made, lacks, None if entries is None else estimates.plan(entries))


Asked = tuple[str, str | None, str, Iterable[str], Iterable[Entry] | None]
"""Name, file, what it is, corpora that it needs, systems that are trained for it."""


def _asked(grid: Grid, studies: Iterable[str], scores: bool) -> Iterator[Asked]:
    every = [entry for name in grid.active for entry in grid.of_study(name)]
    yield "all", None, f"every study of config.yaml: {', '.join(grid.active)}", (), every
    for study in studies:
        config, entries = grid.studies[study], grid.of_study(study)
        corpora = {corpus for entry in entries for corpus in grid.corpora_for(entry)}
        yield study, f"results/8_report/{study}/index.html", config.title, corpora, entries
        for item, one in config.items.items():
            path, about = page_of(study, item), f"{one.paper}: {one.title}" if one.paper else one.title
            yield path, path, about, item_corpora(grid, study, item), item_entries(grid, study, item)
        for entry, seed in ((one, seed) for one in entries for seed in one.seeds if scores):
            path = f"{run_folder(grid, '7_scores', entry, seed)}/scores.json"
            yield path, path, f"scores of {entry.system.name} on {entry.corpus}", grid.corpora_for(entry), None
    for corpus in grid.corpora:
        path = f"results/1_corpus/{grid.data_folder(corpus)}/card.json"
        yield path, path, f"the corpus {corpus}", (corpus,), None
