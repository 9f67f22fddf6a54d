"""What snakemake can be asked for: studies, tables, figures, scores and corpora, and whether each is there."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from docmt.catalogue.missing import Places, left_out
from docmt.plan.estimates import Estimates, Plan
from docmt.plan.grid import Grid
from docmt.plan.items import item_corpora, item_entries, page_of, run_folder


@dataclass(frozen=True)
class Target:
    """`plan`: the trainings that it needs, of studies and their items; `lacks`: files that only a person can bring."""

    name: str
    about: str
    is_made: bool
    lacks: bool = False
    plan: Plan | None = None


def targets(grid: Grid, root: Path, studies: Iterable[str], estimates: Estimates, scores: bool) -> Iterator[Target]:
    """`all`, each of `studies` with what is in it, and the corpora. `scores`: those of each system and seed too.

    Where files of corpora are missing, the targets that need them lack them; none does on made-up text.
    """
    places = Places(root / "results", grid.mirror, grid.local)
    without = set() if grid.fixtures else set(left_out(grid.corpora.values(), places))
    everything = estimates.plan(entry for name in grid.active for entry in grid.of_study(name))
    yield Target("all", f"every study of config.yaml: {', '.join(grid.active)}", False, plan=everything)
    for study in studies:
        yield from _of_study(grid, root, study, estimates, without)
        if scores:
            yield from _scores(grid, root, study, without)
    for corpus in grid.corpora.values():
        path = f"results/1_corpus/{grid.data_folder(corpus.corpus)}/card.json"
        lacks = corpus.corpus in without
        yield Target(path, f"the corpus {corpus.corpus}", (root / path).exists(), lacks)


def _of_study(grid: Grid, root: Path, study: str, estimates: Estimates, without: set[str]) -> Iterator[Target]:
    config, entries = grid.studies[study], grid.of_study(study)
    page = root / f"results/8_report/{study}/index.html"
    lacks = any(without.intersection(grid.corpora_for(entry)) for entry in entries)
    yield Target(study, config.title, page.exists(), lacks, estimates.plan(entries))
    for item, one in config.items.items():
        path = page_of(study, item)
        about = f"{one.paper}: {one.title}" if one.paper else one.title
        lacks = bool(without.intersection(item_corpora(grid, study, item)))
        yield Target(path, about, (root / path).exists(), lacks, estimates.plan(item_entries(grid, study, item)))


def _scores(grid: Grid, root: Path, study: str, without: set[str]) -> Iterator[Target]:
    for entry in grid.of_study(study):
        for seed in entry.seeds:
            path = f"{run_folder(grid, '7_scores', entry, seed)}/scores.json"
            about = f"scores of {entry.system.name} on {entry.corpus}"
            lacks = bool(without.intersection(grid.corpora_for(entry)))
            yield Target(path, about, (root / path).exists(), lacks)
