"""What can be asked for: `docmt systems`, `docmt targets`."""

from pathlib import Path
from typing import Annotated

import typer

from docmt.base.paths import RESULTS
from docmt.cli.options import Root
from docmt.plan.grid import Grid, load_grid
from docmt.plan.targets import Estimates, TrainingPlan
from docmt.plan.targets import targets as find_targets
from docmt.settings.system import Entry

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
    names, estimates = _studies(grid, study), Estimates(grid, root / RESULTS)
    for target in find_targets(grid, root, names, estimates, scores):
        made = "made" if target.exists else "missing" if target.lacks_files else "-"
        plan = "" if target.plan is None else f"; {_planned(target.plan)}"
        typer.echo(f"{target.name:<84} {made:<7} {target.about}{plan}")
    typer.echo(_footnote(estimates), err=True)


def _planned(plan: TrainingPlan) -> str:
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
