"""What people name: targets of Snakemake, and the paths at which they open pages, which are links to the artifacts."""

import os
import re
from collections.abc import Callable
from pathlib import Path, PurePath

from docmt.base.errors import UserError, nearest
from docmt.base.manifest import MANIFEST, RECORD
from docmt.base.paths import ID, PAGE, PAPER, RESULTS, front_link, page_link, sheet_link
from docmt.base.recipe import JOB
from docmt.grid import items
from docmt.plan.plan import Job, Plan, job_of_place

# The functions from names to the path of the link, by the steps that have links.
LINKS: dict[str, Callable[..., str]] = {"page": page_link, "front": front_link, "sheet": sheet_link}
UNLINKED = (MANIFEST, RECORD, JOB)  # The files of a page's folder that have no links.
# The form of the paths at which people open pages, below `results/`.
LINK = rf"report(?:@[^/]+)?\.html|{PAGE.stage}/[^/]+/[^/]+/[^/]+\.(?:html|sheet\.csv)"
_FRONT = re.compile(rf"{RESULTS}/report(?:@(?P<scale>[^/]+))?\.html")
_PAGE = re.compile(
    rf"{RESULTS}/{PAGE.stage}/(?P<scale>[^/]+)/(?P<study>[^/]+)/(?P<item>[^/]+?)(?P<sheet>\.sheet\.csv|\.html)"
)


def link_of(path: str) -> Job | None:
    """Return the job of the page that people open at a path; None for any other path."""
    if match := _FRONT.fullmatch(path):
        return Job.of("front", scale=match["scale"] or PAPER)
    if match := _PAGE.fullmatch(path):
        names = {name: match[name] for name in ("scale", "study", "item")}
        return Job.of("page" if match["sheet"] == ".html" else "sheet", **names)
    return None


def jobs_of_target(plan: Plan, target: str) -> list[Job]:
    """Return the jobs of a target: `all`, the name of a study, its `.trainings`, a page, or a file of an artifact.

    The result is empty for other targets, such as downloads.
    """
    grid = plan.grid
    if target == "all":
        return [job for study in grid.active for job in jobs_of_target(plan, study)]
    study, _, part = target.partition(".")
    if study in grid.studies and part in ("", "trainings"):
        pages = [Job.of(step, **names) for step, names in items.study_pages(grid, study)]
        return pages if not part else [job for job in plan.closure(pages) if job.is_training]
    path = os.path.relpath(target)
    job = link_of(path) or plan.job_at(str(Path(path).parent))
    return [] if job is None else [job]


def named(plan: Plan, target: str) -> tuple[list[Job], str]:
    """Return the jobs that a person names, and the path of the file in their folders that is meant, or an empty text.

    Beside targets, a person names places, folders of artifacts and files in them, with or without the id. Raises
    UserError for anything else, and for an id that the present settings do not ask for.
    """
    if target == "all" or target.partition(".")[0] in plan.grid.studies:
        return jobs_of_target(plan, target), ""
    path = PurePath(os.path.relpath(target))
    if (job := link_of(path.as_posix())) is not None:
        return [job], path.name
    path = path if path.parts[0] == RESULTS else RESULTS / path
    for place in (path, *path.parents):
        if (job := job_of_place(place.as_posix())) is None:
            continue
        rest, folder = path.relative_to(place).parts, plan.recipe(job).folder
        if rest and ID.fullmatch(rest[0]) and rest[0] != folder.name:
            raise UserError(
                "the present settings ask for another version", where=target, found=rest[0], expected=folder.name
            )
        return [job], "/".join(rest[1:] if rest[:1] == (folder.name,) else rest)
    expected = f"all, a study, a page, or a folder below {RESULTS}/"
    valid = ["all", *plan.grid.studies]
    raise UserError("unknown target", found=target, expected=expected, remedy=nearest(target, valid))


def for_snakemake(plan: Plan, target: str) -> str:
    """Return a target that a person names as Snakemake has it: its rules state the manifest of an artifact alone."""
    if target == "all" or target.partition(".")[0] in plan.grid.studies or link_of(os.path.relpath(target)):
        return target
    (job,), _ = named(plan, target)
    return f"{plan.recipe(job).folder}/{MANIFEST}"


def set_link(plan: Plan, job: Job) -> None:
    """Make the path at which people open a page a link to the artifact, where this is finished and the link is old."""
    link, page = plan.root / LINKS[job.step](**job.names), plan.root / plan.recipe(job).folder
    file = page / link.name
    if not file.is_file() or (link.exists() and link.samefile(file)):
        return
    for path in page.iterdir():
        if path.name not in UNLINKED and not path.name.startswith("log."):
            place = link.with_name(path.name)
            place.unlink(missing_ok=True)
            place.symlink_to(os.path.relpath(path, place.parent))
