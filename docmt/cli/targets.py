"""What can be asked for: `docmt systems`, `docmt targets`."""

from pathlib import Path
from typing import Annotated

import typer

from docmt.catalogue.missing import Places, left_out
from docmt.cli.options import input_folder
from docmt.plan.estimates import Estimates, Plan
from docmt.plan.grid import Grid, load_grid
from docmt.plan.items import item_corpora, item_entries, page_of, run_folder
from docmt.settings.system import Entry

Root = Annotated[Path, input_folder("folder with config.yaml and workflow/")]
Study = Annotated[str | None, typer.Option(help="only this study")]


def systems(root: Root = Path(), study: Study = None) -> None:
    """List every system, a line each: what it extends, what it starts from, what it is."""
    grid = load_grid(root)
    for name in _studies(grid, study):
        config = grid.studies[name]
        typer.echo(f"{name}: {config.title} (corpora: {', '.join(config.corpora)})")
        shown = {entry.system.name: entry for entry in reversed(grid.of_study(name))}
        for system in config.systems:
            corpora = [entry.corpus for entry in grid.of_study(name) if entry.system.name == system]
            where = "" if len(corpora) == len(config.corpora) else f", on {', '.join(corpora)}"
            typer.echo(f"  {system:<40} {_described(shown[system])}{where}")


def targets(
    root: Root = Path(),
    study: Study = None,
    scores: Annotated[bool, typer.Option(help="list the scores of every system and seed too")] = True,
) -> None:
    """List every target that `snakemake TARGET` makes, a line each, with whether it is there.

    `missing`: a corpus needs files that only a person can bring. Of studies, tables and figures also the trainings that
    are not made yet, with those that they start from, and an estimate of what they take.
    """
    grid = load_grid(root)
    names, results = _studies(grid, study), root / "results"
    without = {} if grid.fixtures else left_out(grid.corpora.values(), Places(results, grid.mirror, grid.local))
    estimates = Estimates(grid, results)
    _line(root, "all", None, f"every study of config.yaml: {', '.join(grid.active)}; {_all(grid, estimates)}")
    for name in names:
        _study(root, grid, name, estimates, set(without), scores)
    for corpus in grid.corpora.values():
        path = f"results/1_corpus/{grid.data_folder(corpus.corpus)}/card.json"
        _line(root, path, path, f"the corpus {corpus.corpus}", corpus.corpus in without)
    typer.echo(_footnote(estimates), err=True)


def _study(root: Path, grid: Grid, name: str, estimates: Estimates, without: set[str], scores: bool) -> None:
    config, entries = grid.studies[name], grid.of_study(name)
    page = f"results/8_report/{name}/index.html"
    lacking = any(without.intersection(grid.corpora_for(entry)) for entry in entries)
    _line(root, name, page, f"{config.title}; {_planned(estimates.plan(entries))}", lacking)
    for item, one in config.items.items():
        plan = _planned(estimates.plan(item_entries(grid, name, item)))
        about = f"{one.paper}: {one.title}" if one.paper else one.title
        lacking = bool(without.intersection(item_corpora(grid, name, item)))
        _line(root, page_of(name, item), page_of(name, item), f"{about}; {plan}", lacking)
    for entry in entries if scores else ():
        for seed in entry.seeds:
            path = f"{run_folder(grid, '7_scores', entry, seed)}/scores.json"
            lacking = bool(without.intersection(grid.corpora_for(entry)))
            _line(root, path, path, f"scores of {entry.system.name} on {entry.corpus}", lacking)


def _all(grid: Grid, estimates: Estimates) -> str:
    return _planned(estimates.plan(entry for name in grid.active for entry in grid.of_study(name)))


def _planned(plan: Plan) -> str:
    """Of a target that trains nothing, and of one whose trainings are all made, no estimate."""
    if not plan.trainings:
        return "no training"
    if not plan.missing:
        return f"all of {plan.trainings} trainings made"
    hours = "unknown" if plan.hours is None else f"about {_two_digits(plan.hours)}"
    disk = _two_digits(plan.bytes / 1e9)
    return f"{plan.missing} of {plan.trainings} trainings to make, device-hours {hours}, disk {disk} GB"


def _two_digits(value: float) -> str:
    return f"{float(f'{value:.1e}'):,g}"


def _footnote(estimates: Estimates) -> str:
    how = "as fast as the trainings of this scale that are made" if estimates.is_measured else "a guess"
    return (
        f"Estimates are of one device at {_two_digits(estimates.speed / 1e12)} TFLOP/s ({how}), without decoding, "
        "which takes little beside it; patience is taken for 40 epochs. What several targets share is trained once."
    )


def _studies(grid: Grid, study: str | None) -> list[str]:
    if study is None:
        return list(grid.studies)
    if study not in grid.studies:
        raise typer.BadParameter(f"no study {study!r}; there are: {', '.join(grid.studies)}")
    return [study]


def _line(root: Path, target: str, path: str | None, about: str, missing: bool = False) -> None:
    made = "made" if path is not None and (root / path).exists() else "missing" if missing else "-"
    typer.echo(f"{target:<84} {made:<7} {about}")


def _described(entry: Entry) -> str:
    system = entry.system
    parts = [system.model.kind, f"view {system.view.name}", f"text {system.text}"]
    if entry.extends:
        parts.append(f"extends {entry.extends}")
    if system.init_from:
        elsewhere = f" on {system.init_corpus}" if system.init_corpus else ""
        parts.append(f"starts from {system.init_from}{elsewhere}")
    if system.pretrained:
        parts.append(f"starts from {system.pretrained}")
    if entry.trained != entry.folder:
        parts.append(f"model of {entry.trained}")
    return ", ".join(parts)
