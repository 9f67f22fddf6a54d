"""`docmt path`, `why`, `list-results`, `remove-results`, `collect-scores`, `check-findings`: what results there are."""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST
from docmt.base.paths import INDEX, RESULTS
from docmt.base.recipe import JOB, read_recipe
from docmt.base.result_folders import check_layout
from docmt.base.screen import aligned, answer, count_of, first_of, fitting, progress_display, say, two_digits
from docmt.cli.options import AsJson, Config, Root, overrides
from docmt.grid.items import study_of
from docmt.plan.collected import COLLECTED, scores_of_project
from docmt.plan.explain import Explanation, explain
from docmt.plan.inventory import Artifact, artifact_folders, inventory
from docmt.plan.links import named
from docmt.plan.plan import Job
from docmt.plan.removal import check_idle, chosen, remove
from docmt.plan.run import planned

if TYPE_CHECKING:
    from docmt.reporting.findings import JudgedFinding

PLACES = 6  # The largest number of jobs that a cause names.
NUMBERS = ("artifacts", "size")  # The columns of tables that are aligned to the right.
DAMAGED = 1  # The exit status of commands that read every byte, where something is damaged.


def path(
    target: Annotated[
        str, typer.Argument(help="a folder or file below results/ without its id, a page, a study, or all")
    ],
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Print the path of a result, or of a file in it.

    The path has the id that the present settings give it. It need not be there yet. Of a study, it is the folder of its
    page. Pass the --config of your run, such as scale=smoke.
    """
    with planned(root, overrides(config), target) as plan:
        jobs, file = named(plan, target)
        studies = plan.grid.active if target == "all" else [target] if target in plan.grid.studies else []
        jobs = [Job.of("page", scale=plan.grid.scale, study=study, item=INDEX) for study in studies] or jobs
        paths = [str(plan.recipe(job).folder / file) for job in jobs]
    answer(as_json, paths, "\n".join(paths))


def why(
    target: Annotated[str, typer.Argument(help="all, a study, a page, or a folder or file below results/")] = "all",
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Explain what a run would do for a target, and why.

    The reason is what changed since the versions that are there. Jobs with the same causes are one paragraph. Pass the
    --config of your run, such as scale=smoke. Nothing is written.
    """
    with planned(root, overrides(config), target) as plan:
        explanation = explain(plan, target)
    answer(as_json, explanation, "\n\n".join(paragraphs(explanation)))


def paragraphs(explanation: Explanation) -> Iterator[str]:
    """Yield the paragraphs about a target: its number of jobs, each cause, what is fetched, and the price."""
    what = f"{by_step(explanation.steps)} would run" if explanation.jobs else "everything is there; no job would run"
    yield f"{explanation.target}: {what}."
    for cause in explanation.causes:
        changes = "; ".join(cause.changes)
        running = by_step(cause.running) if cause.running else "finished already"
        lines = [f"{changes[0].upper()}{changes[1:]}: {running}", *first_of(cause.jobs, PLACES)]
        follows = f"\n  and what is made from these: {by_step(cause.following)}" if cause.following else ""
        yield "\n  ".join(lines) + follows
    if explanation.fetched:
        yield "\n  ".join(["These are in the store, and would be fetched:", *first_of(explanation.fetched, PLACES)])
    if explanation.device_hours >= 0.005:
        yield f"The earlier versions of these trainings took {explanation.device_hours:,.2f} device-hours."
    if explanation.remarks:
        yield "\n".join(explanation.remarks)


def by_step(steps: Mapping[str, int]) -> str:
    """Return the number of jobs of each step as text."""
    return f"{count_of(sum(steps.values()), 'job')} ({', '.join(f'{step} {n}' for step, n in steps.items())})"


def list_results(
    root: Root = Path(),
    every: Annotated[bool, typer.Option("--all", help="list each artifact: folder, state and size")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="read every byte instead, and name what is damaged; status 1 where any is")
    ] = False,
    places: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH...", help="with --verify: files and folders below results/ [default: all]"),
    ] = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List what is below results/, with its size.

    A row is a stage and state, with the number of artifacts. An artifact is what a job leaves in its folder. asked: the
    present settings ask for it. asked lately: a run of this clone, or of another one with the same results/, did in the
    last 90 days. unused: nobody does. unfinished: its job has not ended. Pass the --config of your run, such as
    scale=smoke.

    With --verify every byte of the finished artifacts is read, and compared with the digest that a job has written.
    """
    below = [Path(os.path.relpath(place.absolute(), root.absolute())) for place in places or []]
    if verify:
        if show_damaged(root, below, as_json):
            raise typer.Exit(DAMAGED)
        return
    if places:
        raise typer.BadParameter("PATH needs --verify")
    with planned(root, overrides(config)) as plan:
        artifacts = inventory(plan)
    answer(as_json, artifacts, fitting("\n".join(listing(artifacts, every))))


def show_damaged(root: Path, places: Sequence[Path], as_json: bool) -> bool:
    """Print the damaged files of the finished artifacts in places, or of all; return whether there are any.

    Raises UserError for results of an older docmt, and for a place without finished artifacts.
    """
    from docmt.provenance.artifacts import damaged_files

    check_layout(root)
    folders = (folder for _, folder in artifact_folders(root) if (folder / MANIFEST).is_file())
    finished = sorted(folder.relative_to(root) for folder in folders)
    for place in places:
        if not any(is_of(folder, place) for folder in finished):
            remedy = "docmt list-results --all names what is there"
            raise UserError("no finished results are here", where=str(place), remedy=remedy)
    wanted = [folder for folder in finished if not places or any(is_of(folder, place) for place in places)]
    damaged = []
    with progress_display("verifying", "artifacts", "artifacts") as progress:
        for number, folder in enumerate(wanted, 1):
            damaged += damaged_files(root, folder)
            progress(number, len(wanted), number)
    lines = [f"{file.path}: {file.problem}\n  {file.mend}" for file in damaged]
    answer_damage(len(wanted), damaged, lines, as_json)
    return bool(damaged)


def answer_damage(artifacts: int, damaged: Sequence[object], lines: Sequence[str], as_json: bool) -> None:
    """Print what is damaged of a number of artifacts."""
    verdict = count_of(len(damaged), "damaged file") if damaged else "every byte is right"
    last = f"{count_of(artifacts, 'artifact')}: {verdict}"
    answer(as_json, {"artifacts": artifacts, "damaged": damaged}, "\n".join([*lines, last]))


def is_of(folder: Path, place: Path) -> bool:
    """Return whether an artifact is in a place, or a place is in the artifact."""
    return folder.is_relative_to(place) or place.is_relative_to(folder)


def listing(artifacts: Sequence[Artifact], every: bool) -> Iterator[str]:
    """Yield the table of artifacts, one by one or by their states, and the command that removes unused ones."""
    if not artifacts:
        yield f"nothing is below {RESULTS}/"
        return
    yield each_artifact(artifacts) if every else by_state(artifacts)
    unused = [artifact for artifact in artifacts if artifact.state == "unused"]
    if unused:
        yield f"docmt remove-results --unused would remove {count_of(len(unused), 'artifact')}, {size(unused)}."


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
    """List results to remove, and remove them with --yes.

    They are those in folders, or those that nobody asks for (--unused). Downloads are never removed, nor is anything
    while a job works on it. A run makes again what it needs. Pass the --config of your run, such as scale=smoke.
    """
    if not places and not unused:
        raise typer.BadParameter("name folders below results/, or give --unused")
    below = [Path(os.path.relpath(place.absolute(), root.absolute())) for place in places or []]
    with planned(root, overrides(config)) as plan:
        artifacts = inventory(plan)
        removed = chosen(artifacts, below, unused)
        check_idle(Path(), removed, artifacts)
        for artifact in removed if yes else ():
            remove(Path(), artifact)
    text = "nothing to remove"
    if removed:
        end = "removed." if yes else "to remove; nothing was removed. To remove them: --yes"
        text = f"{each_artifact(removed)}\n{count_of(len(removed), 'artifact')}, {size(removed)} {end}"
    answer(as_json, {"removed": yes, "artifacts": removed}, text)


def by_state(artifacts: Sequence[Artifact]) -> str:
    """Return a table with a row for each stage and state."""
    groups = defaultdict[tuple[str, str], list[Artifact]](list)
    for artifact in artifacts:
        groups[artifact.stage, label(artifact)].append(artifact)
    rows = [(*key, str(len(group)), size(group)) for key, group in sorted(groups.items())]
    columns = ("stage", "state", "artifacts", "size")
    return aligned([columns, *rows, ("all", "", str(len(artifacts)), size(artifacts))], numbers=NUMBERS)


def each_artifact(artifacts: Sequence[Artifact]) -> str:
    """Return a table with a row for each artifact."""
    rows = [(artifact.path, label(artifact), size([artifact])) for artifact in artifacts]
    return aligned([("folder", "state", "size"), *rows], numbers=NUMBERS)


def label(artifact: Artifact) -> str:
    """Return the state of an artifact for a table."""
    return artifact.state if artifact.is_finished else f"{artifact.state}, unfinished"


def size(artifacts: Sequence[Artifact]) -> str:
    """Return the size of artifacts together."""
    return f"{two_digits(sum(artifact.bytes for artifact in artifacts) / 1e6)} MB"


def collect_scores(root: Root = Path(), config: Config = None, as_json: AsJson = False) -> None:
    """Write every score of every study into one table.

    The table is results/scores.parquet; a row is a score of a run. A run of snakemake writes it at its end. Call this
    after you copied results, or changed settings: the column asked says which scores are what is asked for now; the
    others are of other versions, and of systems that no study has any more. Scores that are damaged are left out; a
    line on standard error names each of them, and --json lists them.
    """
    from docmt.base.tables import write_parquet

    path = root / COLLECTED
    with planned(root, overrides(config)) as plan:
        table, left_out = scores_of_project(plan)
    for line in left_out:
        say(f"docmt: left out: {line}")
    write_parquet(path, table)
    record = {"output": str(path), "scores": len(table), "left_out": left_out}
    answer(as_json, record, f"{path}: {len(table):,} scores")


NOT_SUPPORTED = 1  # The exit status of `docmt check-findings` where the numbers do not support a finding on record.


def check_findings(
    study: Annotated[str, typer.Argument(help="name of a study whose page is finished")],
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Compare the findings of a study's page with its numbers.

    The status is 1 where the numbers do not support a finding that the study has on record. Numbers of generated text,
    and findings whose systems were not run, are no failure.
    """
    from docmt.reporting.findings import judged_findings
    from docmt.reporting.results import ReportSettings, Results
    from docmt.steps.step import results_of

    with planned(root, overrides(config), study) as plan:
        study_of(plan.grid, study)
        job = Job.of("page", scale=plan.grid.scale, study=study, item=INDEX)
        folder = plan.recipe(job).folder
        if not plan.is_finished(job):
            raise UserError("the page of this study is not finished", where=str(folder), remedy=f"snakemake {study}")
        recipe = read_recipe(folder)
        settings = ReportSettings.load(folder / JOB, recipe.file("human"))
        findings = judged_findings(Results.load(settings, results_of(recipe)))
    answer(as_json, findings, "\n".join(map(finding_line, findings)) or f"{study} states no findings")
    if any(finding.is_failed for finding in findings):
        raise typer.Exit(NOT_SUPPORTED)


def finding_line(finding: "JudgedFinding") -> str:
    """Return the line about a finding: its state, its sentence, and why it is not supported."""
    on_record = " (on record)" if finding.on_record else ""
    reasons = f" [{'; '.join(finding.reasons)}]" if finding.reasons else ""
    return f"{finding.state}{on_record}: {finding.sentence}{reasons}"
