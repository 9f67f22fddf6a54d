"""`docmt store pull` and `docmt store push`: what others have made for a target, and what is here for others."""

from collections.abc import Iterable
from contextlib import chdir
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.errors import UserError
from docmt.base.recipe import Recipe
from docmt.base.screen import answer, first_of, say
from docmt.cli.job import is_done
from docmt.cli.options import AsJson, Config, Root, overrides
from docmt.cli.store.contents import megabytes
from docmt.plan.links import LINKS, named, set_link
from docmt.plan.passing import may_pass
from docmt.plan.plan import Job, Plan
from docmt.plan.run import grid_of_run
from docmt.plan.stored import named_store, to_pull
from docmt.steps import get_step
from docmt.store.backend import EntryRefused, StoreUnusable
from docmt.store.store import Store, fetch, give
from docmt.supervision.lease import leased

Target = Annotated[str, typer.Argument(help="all, a study, or a file below results/, as snakemake has it")]
Replace = Annotated[bool, typer.Option("--replace", help="replace what the store has, as after a forced run")]
LISTED = 20  # The largest number of lines about what stays here.


def pull(
    target: Target,
    root: Root = Path(),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be pulled, and pull nothing")] = False,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Pull all that anyone has made for a target.

    These are models, translations, scores, comparisons and signed pages. Corpora, tokens, views, chains, aligners and
    word vectors are pulled only where a job that is left to run reads them. A run of snakemake pulls less: what it
    needs. Every byte is compared with its digest. A pull that was interrupted goes on where the same command is called
    again. Pass the --config of your run.
    """
    with chdir(root):
        plan, jobs, store = plan_and_store(target, config)
        stored = to_pull(plan, store, jobs)
        for line in stored.lines:
            say(line)
        recipes = [(plan.recipe(job), entry.bytes) for job, entry in stored.entries.items()]
        sizes = {recipe.folder.as_posix(): size for recipe, size in recipes if dry_run or pull_artifact(recipe, store)}
        for job in () if dry_run else jobs:
            if job.step in LINKS:
                set_link(plan, job)
    total = sum(sizes.values())
    record = {"target": target, "pulled": not dry_run, "artifacts": [*sizes], "bytes": total}
    told = f"{'would be pulled' if dry_run else 'pulled'}: {len(sizes)} artifacts, {megabytes(total)} MB"
    nothing = f"the store has nothing for {target} that is not here"
    answer(as_json, record, "\n".join([*sizes, told]) if sizes else nothing)


def pull_artifact(recipe: Recipe, store: Store) -> bool:
    """Pull the outputs of a job into its folder; return False where they are refused, or there already.

    The lease keeps jobs of a run away.
    """
    if not recipe.path.is_file():  # else it is that of a run, whose jobs read it
        recipe.write()
    with leased(recipe.folder, lambda: is_done(recipe), say) as has_lease:
        if not has_lease or is_done(recipe):
            return False
        try:
            fetch(recipe, get_step(recipe.step).can_write, store)
        except EntryRefused as problem:
            say(f"not used from the store: {problem}")
            return False
    return True


def push(
    target: Target, root: Root = Path(), config: Config = None, replace: Replace = False, as_json: AsJson = False
) -> None:
    """Push to the store what is finished for a target.

    It is what is here and not there yet. Outputs that a licence keeps here are named. Pass the --config of your run.
    """
    with chdir(root):
        plan, jobs, store = plan_and_store(target, config)
        store.begin()
        given, there, local = give_all(plan, jobs, store, replace)
    for line in first_of(local, LISTED):
        say(line)
    record = {"target": target, "store": store.address, "artifacts": given, "there": there, "local": len(local)}
    answer(as_json, record, f"{target}: {len(given)} artifacts pushed; {there} were there")


def give_all(plan: Plan, jobs: Iterable[Job], store: Store, replace: bool = False) -> tuple[list[str], int, list[str]]:
    """Give what is finished to a store.

    Returns the folders of what was given, the number of artifacts that the store had, and why others stay here.
    """
    given, local = list[str](), list[str]()
    finished = {plan.recipe(job).folder: job for job in plan.closure(jobs) if plan.is_finished(job)}
    for folder, job in finished.items():
        reason = may_pass(plan, job)
        try:
            if reason is None and give(plan.recipe(job), store, replace):
                given.append(folder.as_posix())
        except StoreUnusable:
            raise
        except UserError as problem:
            reason = f"{job} stays here, since it is damaged: {problem}"
        local += [reason] if reason is not None else []
    return given, len(finished) - len(given) - len(local), local


def plan_and_store(target: str, config: list[str] | None) -> tuple[Plan, list[Job], Store]:
    """Return the plan of the present folder, the jobs of a target, and the store of config.yaml."""
    grid = grid_of_run(Path(), overrides(config))
    plan = Plan(grid)
    return plan, named(plan, target)[0], named_store(grid)
