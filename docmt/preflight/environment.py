"""The packages that the jobs need, by the metadata of the installed docmt and by what is asked of the jobs."""

from collections.abc import Iterator
from importlib import metadata

from packaging.requirements import Requirement

from docmt.base.errors import install
from docmt.base.machine import installed_version
from docmt.preflight.finding import RunFinding, told
from docmt.preflight.planned import PlannedRun
from docmt.steps import get_step


def check_environment(run: PlannedRun) -> Iterator[RunFinding]:
    """Yield the packages that are missing, with the extras of docmt that install them."""
    libraries = {name for job in run.jobs for name in get_step(job.step).libraries(run.grid, job.names)}
    missing = {name: extras for name, extras in extras_by_package().items() if installed_version(name) == "missing"}
    needed = {name: extras for name, extras in missing.items() if not extras or name in libraries}
    if needed:
        extras = sorted({extra for names in needed.values() for extra in names[:1]})
        what, value = "packages are missing that jobs need", f"no {', '.join(sorted(needed))}"
        yield told("error", what, where="this Python's environment", found=value, remedy=install(*extras))
    yield told("fact", f"packages of docmt; torch {installed_version('torch')}")


def extras_by_package() -> dict[str, list[str]]:
    """Return the packages that docmt requires, each with the extras that it is for; none = every job needs it."""
    about = metadata.metadata("docmt")
    extras, packages = about.get_all("Provides-Extra") or [], dict[str, list[str]]()
    for stated in map(Requirement, about.get_all("Requires-Dist") or []):
        fits = [extra for extra in ("", *extras) if stated.marker is None or stated.marker.evaluate({"extra": extra})]
        if fits:
            packages[stated.name] = [] if "" in fits else [*packages.get(stated.name, []), *fits]
    return packages
