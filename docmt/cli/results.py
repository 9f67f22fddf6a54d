"""`docmt path`, `why`, `list-results` and `remove-results`: where results are, what a run would make, what there is."""

import dataclasses
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.base.paths import INDEX, RESULTS
from docmt.base.screen import aligned, print_json
from docmt.cli.options import AsJson, Config, Root, overrides

if TYPE_CHECKING:
    from docmt.plan.explain import Cause, Explanation
    from docmt.plan.inventory import Artifact
    from docmt.plan.plan import Job

PLACES = 6
"""The largest number of jobs that a cause names."""
NUMBERS = ("artifacts", "size")
"""The columns of tables that are aligned to the right."""


def path(
    target: Annotated[
        str, typer.Argument(help="a folder or file below results/ without its id, a page, a study, or all")
    ],
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Print the folder of what the present settings ask for, or a file in it; it need not be there yet.

    Of a study, it is the folder of its page. Pass the --config of your run, such as scale=smoke.
    """
    from docmt.plan.links import named
    from docmt.plan.plan import Job
    from docmt.plan.run import plan_of_run

    with chdir(root):
        plan = plan_of_run(overrides(config), target)
        jobs, file = named(plan, target)
        studies = plan.grid.active if target == "all" else [target] if target in plan.grid.studies else []
        jobs = [Job.of("page", scale=plan.grid.scale, study=study, item=INDEX) for study in studies] or jobs
        paths = [str(plan.recipe(job).folder / file) for job in jobs]
    if as_json:
        print_json(paths)
    else:
        typer.echo("\n".join(paths))


def why(
    target: Annotated[str, typer.Argument(help="all, a study, a page, or a folder or file below results/")],
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Explain what a run of snakemake would do for a target, and why: what changed since the versions that are there.

    Jobs with the same causes are one paragraph. Pass the --config of your run, such as scale=smoke. Nothing is written.
    """
    from docmt.plan.explain import explain
    from docmt.plan.run import plan_of_run

    with chdir(root):
        explanation = explain(plan_of_run(overrides(config), target), target)
    if as_json:
        print_json(explanation.to_json())
    else:
        typer.echo("\n\n".join(paragraphs(explanation)))


def paragraphs(explanation: "Explanation") -> Iterator[str]:
    """Yield the paragraphs about a target: its number of jobs, each cause, what is fetched, and the price."""
    jobs = explanation.jobs
    if not jobs:
        yield f"{explanation.target}: everything is there; no job would run."
    else:
        yield f"{explanation.target}: {counted(jobs)} would run."
    for cause in explanation.causes:
        yield paragraph(cause, jobs)
    if explanation.fetched:
        yield "These are in the store, and would be fetched:\n" + listed(map(str, explanation.fetched))
    if explanation.hours >= 0.005:
        yield f"The earlier versions of these trainings took {explanation.hours:,.2f} device-hours."
    if explanation.words:
        yield "\n".join(explanation.words)


def paragraph(cause: "Cause", jobs: "Collection[Job]") -> str:
    """Return the changes of a cause, the jobs that it concerns, and the number of those that follow from them.

    A concerned job that is not among the `jobs` of the run is finished.
    """
    changes, running = "; ".join(cause.changes), [job for job in cause.jobs if job in jobs]
    lines = [f"{changes[0].upper()}{changes[1:]}: {counted(running)}", listed(map(str, cause.jobs))]
    if cause.following:
        lines.append(f"  and what is made from these: {by_step(cause.following)}")
    return "\n".join(lines)


def counted(jobs: "Collection[Job]") -> str:
    """Return the number of jobs of each step as text."""
    from docmt.plan.explain import count_steps

    return by_step(count_steps(jobs)) if jobs else "finished already"


def by_step(steps: Mapping[str, int]) -> str:
    """Return the number of jobs of each step as text."""
    total = sum(steps.values())
    return f"{total} {'job' if total == 1 else 'jobs'} ({', '.join(f'{step} {n}' for step, n in steps.items())})"


def listed(places: Iterable[str]) -> str:
    """Return a line for each place, and the number of those that are left out."""
    places = [*places]
    more = [f"  ... and {len(places) - PLACES} more"] if len(places) > PLACES else []
    return "\n".join([*(f"  {place}" for place in places[:PLACES]), *more])


def list_results(
    root: Root = Path(),
    every: Annotated[bool, typer.Option("--all", help="list each artifact: folder, state and size")] = False,
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

    An artifact is what a job leaves in its folder. asked: the present settings ask for it. asked lately: a run of this
    clone, or of another one with the same results/, did in the last 90 days. unused: nobody does. unfinished: its job
    has not ended. Pass the --config of your run, such as scale=smoke.

    With --verify all bytes are read, of which a manifest, a record, a note of a download or the file itself states the
    digest.
    """
    if verify:
        from docmt.cli.verified import show_verified

        show_verified(root, places or [], as_json)
        return
    if places:
        raise typer.BadParameter("PATH needs --verify")
    with chdir(root):
        artifacts = artifacts_here(config)
    if as_json:
        print_json([*map(as_object, artifacts)])
        return
    if not artifacts:
        typer.echo(f"nothing is below {RESULTS}/")
        return
    typer.echo(each_artifact(artifacts) if every else by_state(artifacts))
    unused = [artifact for artifact in artifacts if artifact.state == "unused"]
    if unused:
        typer.echo(f"docmt remove-results --unused would remove {together(unused)}.")


def remove_results(
    places: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FOLDER...", help="folders below results/, with an id or without: all versions"),
    ] = None,
    root: Root = Path(),
    unused: Annotated[
        bool, typer.Option("--unused", help="what neither the settings nor a run of the last 90 days asks for")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="remove them; without it, they are only listed")] = False,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List, or remove with --yes, results in folders, or those that nobody asks for (--unused).

    Downloads are never removed, nor is anything while a job works on it. A run makes again what it needs. Pass the
    --config of your run, such as scale=smoke.
    """
    from docmt.plan.removal import check_idle, chosen, remove

    if not places and not unused:
        raise typer.BadParameter("name folders below results/, or give --unused")
    below = [Path(os.path.relpath(place.absolute(), root.absolute())) for place in places or []]
    with chdir(root):
        artifacts = artifacts_here(config)
        removed = chosen(artifacts, below, unused)
        check_idle(Path(), removed, artifacts)
        for artifact in removed if yes else ():
            remove(Path(), artifact)
    if as_json:
        print_json({"removed": yes, "artifacts": [*map(as_object, removed)]})
    elif not removed:
        typer.echo("nothing to remove")
    else:
        end = " removed." if yes else " to remove; nothing was removed. To remove them: --yes"
        typer.echo(f"{each_artifact(removed)}\n{together(removed)}{end}")


def artifacts_here(config: list[str] | None) -> "list[Artifact]":
    """Return the artifacts of the project in the present folder."""
    from docmt.plan.inventory import inventory
    from docmt.plan.run import plan_of_run

    return inventory(plan_of_run(overrides(config)))


def as_object(artifact: "Artifact") -> dict[str, Any]:
    """Return an artifact as a JSON object."""
    return {**dataclasses.asdict(artifact), "id": artifact.id}


def by_state(artifacts: "Sequence[Artifact]") -> str:
    """Return a table with a row for each stage and state."""
    groups: dict[tuple[str, str], list[Artifact]] = {}
    for artifact in artifacts:
        groups.setdefault((artifact.stage, label(artifact)), []).append(artifact)
    rows = [(*key, str(len(group)), size(group)) for key, group in sorted(groups.items())]
    columns = ("stage", "state", "artifacts", "size")
    return aligned([columns, *rows, ("all", "", str(len(artifacts)), size(artifacts))], numbers=NUMBERS)


def each_artifact(artifacts: "Sequence[Artifact]") -> str:
    """Return a table with a row for each artifact."""
    rows = [(artifact.path, label(artifact), size([artifact])) for artifact in artifacts]
    return aligned([("folder", "state", "size"), *rows], numbers=NUMBERS)


def label(artifact: "Artifact") -> str:
    """Return the state of an artifact for a table."""
    return artifact.state if artifact.is_finished else f"{artifact.state}, unfinished"


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
