"""`docmt why`, `docmt list-results` and `docmt remove-results`: what a run would make again, and what there is."""

import dataclasses
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.base.screen import aligned, print_json
from docmt.cli.options import AsJson, Config, Root, overrides
from docmt.cli.verified import show_verified

if TYPE_CHECKING:
    from docmt.plan.explain import Cause, Explanation
    from docmt.plan.inventory import Artifact

PLACES = 6
"""The largest number of jobs that a cause names."""
READ_BYTES = "docmt list-results --verify"
"""The command that reads what others compare by sizes and times."""
TRAININGS = 20
"""The largest number of trainings in the table of the price."""


def why(
    target: Annotated[str, typer.Argument(help="all, a study, or a file below results/, as snakemake has it")],
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Explain why a run of snakemake would make a target: what changed, and the trainings that this costs.

    Outputs with the same causes are one paragraph. Pass the --config of your run, such as scale=smoke. Nothing is
    written.
    """
    from docmt.plan.explain import explain
    from docmt.plan.planning import Planner
    from docmt.plan.run import grid_for_targets, grid_of_run
    from docmt.plan.stored import stored_for

    with chdir(root):
        grid = grid_for_targets(grid_of_run(Path(), overrides(config)), [target])
        explanation = explain(Planner(grid, stored=stored_for(grid)), target)
    if as_json:
        print_json(explanation.to_json())
        return
    typer.echo("\n\n".join(paragraphs(explanation)))


def paragraphs(explanation: "Explanation") -> Iterator[str]:
    """Yield the paragraphs about a target: its state, each cause, what moves back, what stays, and the price."""
    count = explanation.jobs
    if not count and not explanation.back and not explanation.pull:
        checked = f"sizes and times fit, bytes are read by `{READ_BYTES}`"
        yield f"{explanation.target}: everything is there ({checked}); no job would run."
    else:
        yield f"{explanation.target}: {count} {'job' if count == 1 else 'jobs'} would run."
    yield from map(paragraph, explanation.causes)
    if explanation.back:
        yield "These were set aside with what is asked for now, and move back:\n" + listed(map(str, explanation.back))
    if explanation.pull:
        yield "These are in the store, and would be pulled:\n" + listed(map(str, explanation.pull))
    if explanation.words:
        yield "\n".join(explanation.words)
    if explanation.stale:
        yield price(explanation)


def paragraph(cause: "Cause") -> str:
    """Return the changes of a cause, the jobs that it concerns, and the number of those that follow from them."""
    changes = "; ".join(cause.changes)
    lines = [f"{changes[0].upper()}{changes[1:]}: {counted(cause.rules)}", listed(cause.places)]
    if cause.following:
        lines.append(f"  and what is made from these: {counted(cause.following)}")
    return "\n".join(lines)


def counted(rules: Mapping[str, int]) -> str:
    """Return the number of jobs of each rule as text."""
    total = sum(rules.values())
    text = ", ".join(f"{rule} {count}" for rule, count in rules.items())
    return f"{total} {'job' if total == 1 else 'jobs'} ({text})"


def listed(places: Iterable[str]) -> str:
    """Return a line for each place, and the number of those that are left out."""
    places = [*places]
    more = [f"  ... and {len(places) - PLACES} more"] if len(places) > PLACES else []
    return "\n".join([*(f"  {place}" for place in places[:PLACES]), *more])


def price(explanation: "Explanation") -> str:
    """Return the table of the finished trainings that would be trained again, and the sum of their hours."""
    stale = explanation.stale
    rows = [(str(training.job), f"{training.hours:,.2f}") for training in stale[:TRAININGS]]
    more = len(stale) - TRAININGS
    columns = ("training", "device-hours")
    table = aligned([columns, *rows], numbers=("device-hours",)) + (f"\n... and {more} more" if more > 0 else "")
    total = f"{explanation.hours:,.2f} device-hours"
    if explanation.hours <= explanation.limit:
        limit = f"at most retrain_hours ({explanation.limit:g}), so that a run goes on"
    else:
        limit = (
            f"above retrain_hours ({explanation.limit:g}), so that a run stops before its first job; to go on:"
            f" --config retrain_hours={explanation.hours + 1:.0f}"
        )
    return f"Finished trainings that would be trained again:\n{table}\n{len(stale)} together: {total}, {limit}."


def list_results(
    root: Root = Path(),
    every: Annotated[bool, typer.Option("--all", help="list each artifact: path, state, identity and size")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="read every byte instead, and name what is damaged; status 1 where any is")
    ] = False,
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH...", help="with --verify: files and folders below results/ [default: all]"),
    ] = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List what is below results/ by stage and state, with the number of artifacts and their size.

    An artifact is what a job leaves: its outputs, its manifest and its record. right: what is asked for. incomplete,
    damaged: a file is missing or has other bytes. other: made from other settings, inputs, files or versions. orphaned:
    of a system, corpus or table that no study has any more. set aside: an old version. unknown: a file that decides it
    is missing. unfinished, running: the state folder of a job. Pass the --config of your run, such as scale=smoke.

    Sizes and times alone are compared. With --verify all bytes are read, of which a manifest, a record, a note of a
    download or the file itself states the digest.
    """
    if verify:
        show_verified(root, places or [], as_json)
        return
    if places:
        raise typer.BadParameter("PATH needs --verify")
    from docmt.plan.removal import removable

    with chdir(root):
        artifacts = inventory(config)
    if as_json:
        print_json([*map(as_object, artifacts)])
        return
    if not artifacts:
        typer.echo("nothing is below results/")
        return
    typer.echo(each_artifact(artifacts) if every else by_state(artifacts))
    typer.echo(f"Sizes and times were compared; `{READ_BYTES}` reads the bytes.")
    useless = removable(artifacts, aside=True, orphans=True)
    if useless:
        typer.echo(f"docmt remove-results would remove {together(useless)}.")


def remove_results(
    root: Root = Path(),
    aside: Annotated[bool, typer.Option("--aside", help="old versions that were set aside")] = False,
    orphans: Annotated[
        bool, typer.Option("--orphans", help="results of systems, corpora and tables that no study has any more")
    ] = False,
    older_than: Annotated[
        float,
        typer.Option(min=0, max=100_000, metavar="DAYS", help="of old versions, those set aside so long ago"),
    ] = 0.0,
    yes: Annotated[bool, typer.Option("--yes", help="remove them; without it, they are only listed")] = False,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List, or remove with --yes, old versions that were set aside, and orphaned results; without an option, both.

    What is asked for now, downloads, the state of trainings that a study has, and results of other scales are never
    removed. Pass the --config of your run, such as scale=smoke: studies that it leaves out make their results orphaned.
    """
    from docmt.plan.removal import DAY_S, check_lock, removable, remove

    both = not aside and not orphans
    with chdir(root):
        if yes:
            check_lock(Path())
        oldest = time.time() - older_than * DAY_S
        artifacts = removable(inventory(config), aside or both, orphans or both, oldest)
        for artifact in artifacts if yes else ():
            remove(Path(), artifact)
    if as_json:
        print_json({"removed": yes, "artifacts": [*map(as_object, artifacts)]})
    elif not artifacts:
        typer.echo("nothing to remove")
    else:
        end = " removed." if yes else " to remove; nothing was removed. To remove them: --yes"
        typer.echo(f"{each_artifact(artifacts)}\n{together(artifacts)}{end}")


def inventory(config: list[str] | None) -> "list[Artifact]":
    """Return the artifacts of the project in the present folder."""
    from docmt.plan.inventory import Inventory
    from docmt.plan.planning import Planner
    from docmt.plan.run import grid_for_targets, grid_of_run, grids_of_other_scales
    from docmt.training.survey import state_of

    grid = grid_for_targets(grid_of_run(Path(), overrides(config)), ["all"])
    others = grids_of_other_scales(grid, Path(), overrides(config))
    return Inventory(Planner(grid), others, lambda folder: state_of(folder)[0] == "running").artifacts()


def as_object(artifact: "Artifact") -> dict[str, Any]:
    """Return an artifact as a JSON object."""
    facts = dataclasses.asdict(artifact)
    return {name: facts[name] for name in ("path", "stage", "state", "bytes", "identity", "why")}


def by_state(artifacts: "Sequence[Artifact]") -> str:
    """Return a table with a row for each stage and state."""
    groups: dict[tuple[str, str], list[Artifact]] = {}
    for artifact in artifacts:
        groups.setdefault((artifact.stage, label(artifact)), []).append(artifact)
    rows = [(*key, str(len(group)), size(group)) for key, group in sorted(groups.items())]
    columns = ("stage", "state", "artifacts", "size")
    return aligned([columns, *rows, ("all", "", str(len(artifacts)), size(artifacts))], numbers=("artifacts", "size"))


def each_artifact(artifacts: "Sequence[Artifact]") -> str:
    """Return a table with a row for each artifact."""
    from docmt.base.manifest import DIGITS

    rows = [
        (artifact.path, label(artifact), (artifact.identity or "-")[:DIGITS], size([artifact]), artifact.why or "-")
        for artifact in artifacts
    ]
    columns = ("path", "state", "identity", "size", "about")
    return aligned([columns, *rows], numbers=("size",))


def label(artifact: "Artifact") -> str:
    """Return the state of an artifact for a table."""
    return artifact.why.split("; ")[-1] if artifact.state == "other scale" else artifact.state


def together(artifacts: "Sequence[Artifact]") -> str:
    """Return the number and the size of artifacts."""
    count = len(artifacts)
    return f"{count} {'artifact' if count == 1 else 'artifacts'}, {size(artifacts)}"


def size(artifacts: "Iterable[Artifact]") -> str:
    """Return the size of artifacts together, with three digits and a unit."""
    number = float(sum(artifact.bytes for artifact in artifacts))
    for unit in ("B", "kB", "MB"):
        if number < 999.5:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:,.3g} GB" if number < 999.5 else f"{number:,.0f} GB"
