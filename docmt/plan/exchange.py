"""The exchange of the artifacts of a target with a store, outside a run: `docmt store pull` and `docmt store push`."""

import dataclasses
from typing import Any

from docmt.base.errors import UserError
from docmt.grid.grid import Grid
from docmt.plan.driver import LISTED, bring, lines_of_store
from docmt.plan.explain import jobs_of_target
from docmt.plan.jobs import Job
from docmt.plan.planning import Planner
from docmt.plan.pulling import Pulling, Tell, costs_of, entries_of, plan_without_store, savings
from docmt.plan.pushing import Pusher, keep_reason
from docmt.plan.removal import check_lock
from docmt.plan.stored import Stored, store_at
from docmt.store.backend import StoreUnusable
from docmt.store.store import Store

DATA = {"checkpoint", "aligner_checkpoint", "fixture", "corpus", "tokens", "views", "chain_words", "chain_segments"} | {
    "aligner",
    "word_vectors",
}
"""The rules whose outputs other jobs read and no person does: they are pulled only for jobs that are left to run."""


def store_of(grid: Grid) -> Store:
    """Return the store of config.yaml, whatever `store_mode` says. Raises UserError where none is named."""
    if grid.store is None:
        remedy = "name it in config.yaml, or with --config store=FOLDER"
        raise UserError("no store is named", where="config.yaml", expected="store", remedy=remedy)
    return store_at(grid, grid.store)


def pull_target(grid: Grid, target: str, is_dry: bool, tell: Tell) -> dict[str, Any]:
    """Pull all that a store has for a target; return what this saves.

    `tell` shows lines about it. Raises UserError for an unknown target, and for a store that cannot be used.
    """
    planner = Planner(grid, stored=Stored(store_of(grid)))
    jobs = jobs_of_target(planner, target)
    if not is_dry:
        check_lock(planner.digests.root)
    wanted = [*jobs, *(job for job in looked_up(planner, jobs) if job.rule not in DATA and is_stored(planner, job))]
    check_usable(planner)
    without = plan_without_store(planner, jobs, never)
    costs = costs_of(planner, without.reasons)
    if is_dry:
        for line in lines_of_store(planner, wanted, never, plan := planner.plan(wanted)):
            tell(line)
        entries = dict(entries_of(planner, plan))
    else:
        pulling = Pulling(planner, tell)
        plan = bring(planner, wanted, never, pulling)
        entries = pulling.pulled
    check_usable(planner)
    return dataclasses.asdict(savings(entries, [job for job in without.reasons if job not in plan.reasons], costs))


def push_target(grid: Grid, target: str, tell: Tell) -> dict[str, Any]:
    """Push what is here for a target; return how many artifacts, and bytes of files, a store did not have.

    `tell` shows why outputs stay here. Raises UserError for an unknown target, and for a store that cannot be used.
    """
    planner = Planner(grid)
    pusher, there, local = Pusher(store_of(grid), planner.digests.root), 0, list[str]()
    for job in planner.closure(jobs_of_target(planner, target)):
        if planner.states.of(job).name != "right":
            continue
        reason = keep_reason(planner, job)
        if reason is None and planner.identities.identity(job) is None:
            reason = f"{job} stays here, since the digest of a file that it is made from is not known yet"
        if reason is None:
            try:
                there += pusher.give(job) is None
            except StoreUnusable:
                raise
            except UserError as problem:
                reason = f"{job} stays here, since it is damaged: {problem}"
        if reason is not None:
            local.append(reason)
    for line in [*local[:LISTED], *([f"... and {len(local) - LISTED} more"] if len(local) > LISTED else [])]:
        tell(line)
    return {
        "store": pusher.store.address,
        "artifacts": pusher.artifacts,
        "bytes": pusher.bytes,
        "there": there,
        "local": len(local),
    }


def looked_up(planner: Planner, jobs: list[Job]) -> list[Job]:
    """Return all jobs that some jobs are made from, after their entries were read."""
    order = list(planner.closure(jobs))
    planner.states.look_up(order)
    return order


def is_stored(planner: Planner, job: Job) -> bool:
    """Return whether the outputs of a job come from the store."""
    return planner.states.of(job).name == "stored"


def check_usable(planner: Planner) -> None:
    """Raise UserError where the store cannot be used: without it, the command has nothing to do."""
    if planner.stored.problem is not None:
        raise planner.stored.problem


def never(job: Job) -> bool:
    """Return that no job is forced."""
    return False
