"""`docmt list-systems` and `docmt list-targets`: the systems of the studies, and the targets of Snakemake."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from docmt.api import studies
from docmt.base.screen import aligned, answer, fitting, say, two_digits
from docmt.cli.options import AsJson, Config, Root, overrides
from docmt.plan.targets import STATES, TargetKind, TargetState, TargetSummary

OVERVIEW, OF_A_STUDY = ("all", "study"), ("study", "item", "sheet")
"""The kinds of targets that are listed where no option asks for others."""

Study = Annotated[str | None, typer.Option(help="name of a study: list what belongs to it alone")]


def list_systems(root: Root = Path(), study: Study = None, config: Config = None, as_json: AsJson = False) -> None:
    """List every system, its settings and its parent.

    The settings are architecture, view and text; the parent is the system that it extends or starts from.
    """
    systems = studies.list_systems(root, study=study, config=overrides(config))
    columns = ("study", "system", "architecture", "view", "text", "extends", "starts from", "model of", "corpora")
    answer(as_json, systems, fitting(aligned([columns, *map(system_row, systems)])))


def system_row(system: studies.SystemSummary) -> tuple[str, ...]:
    """Return the cell of each column; `-` where a system extends nothing, starts from nothing or has its own model."""
    links = (system.extends, system.starts_from, system.model_of)
    names = (system.study, system.system, system.architecture or system.external, system.view or "-", system.text)
    return (*names, *(link or "-" for link in links), ", ".join(system.corpora))


def list_targets(
    root: Root = Path(),
    study: Study = None,
    kind: Annotated[
        TargetKind | None,
        typer.Option(help="list one kind alone; item: tables, figures and passages; sheet: sheets for annotators"),
    ] = None,
    state: Annotated[TargetState | None, typer.Option(help="list targets of one state alone")] = None,
    match: Annotated[str | None, typer.Option(help="list targets whose name contains this text alone")] = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List targets, their state and what they still need.

    It says what `snakemake TARGET` makes, and the trainings that it still needs. Without options these are the studies;
    with --study its tables, figures and passages too; with --kind, --state, --match or --json all of them, also the
    scores of each system and the corpora.

    Trainings are those of a study or item that are not made yet, with those that they start from, and an estimate of
    their device-hours and disk. Pass the --config of your run, such as scale=smoke.
    """
    kinds = kind or (None if state or as_json or match is not None else OF_A_STUDY if study else OVERVIEW)
    listed = studies.list_targets(root, study=study, kind=kinds, state=state, config=overrides(config))
    targets = [row for row in listed if (match or "") in row.target]
    columns = ("target", "state", "to fetch", "trainings", "device-hours", "disk", "about")
    table = aligned([columns, *map(target_row, targets)], numbers=("to fetch", "device-hours", "disk"))
    answer(as_json, targets, fitting(table))
    if not as_json:
        say(footnote(targets))


def target_row(target: TargetSummary) -> tuple[str, ...]:
    """Return the cell of each column; `-` where a target needs no training, or no training is left to make."""
    about = "; ".join([target.about, *target.reasons, *target.not_comparable])
    first = target.target, target.state, to_fetch(target)
    if not target.trainings:
        return *first, "-", "-", "-", about
    pulled = f", {target.stored_trainings} in the store" if target.stored_trainings else ""
    trainings = f"{target.missing_trainings} of {target.trainings} to make{pulled}"
    if not target.missing_trainings:
        done = trainings if pulled else f"all {target.trainings} made"
        return *first, done, "-", "-", about
    disk = f"{two_digits((target.disk_bytes or 0) / 1e9)} GB"
    return *first, trainings, device_hours(target), disk, about


def device_hours(target: TargetSummary) -> str:
    """Return the device-hours of the missing trainings, and the number of those without an estimate."""
    hours = f"{two_digits(target.device_hours or 0)} h"
    if not target.unknown_trainings:
        return hours
    if target.unknown_trainings == target.missing_trainings:
        return "unknown"
    return f"at least {hours}, {target.unknown_trainings} unknown"


def to_fetch(target: TargetSummary) -> str:
    """Return the size of what a target downloads; `-` where it downloads nothing."""
    if not target.fetch_bytes:
        return "-" if target.is_fetch_known else "unknown"
    size = f"{two_digits(target.fetch_bytes / 1e9)} GB"
    return size if target.is_fetch_known else f"over {size}"


def footnote(targets: list[TargetSummary]) -> str:
    """Return a text with the number of targets and the meaning of each state, and the basis of the estimates."""
    counts = Counter(target.state for target in targets)
    states = "; ".join(f"{state} ({counts[state]}): {meaning}" for state, meaning in STATES.items() if counts[state])
    basis = "; ".join(dict.fromkeys(phrase for target in targets for phrase in target.basis))
    return (
        f"\n{states or 'no target'}.\n"
        f"Device-hours are estimates ({basis or 'none is needed'}). They leave out decoding, and assume 40 passes over "
        "the data where patience ends a training. Targets share trainings. `--config device=cuda` or `device=cpu` "
        "estimates for another kind of device."
    )
