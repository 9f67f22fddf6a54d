"""Checks before the first job, not of settings: packages, GPUs, names of studies, options of Snakemake."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from importlib import metadata

from packaging.requirements import Requirement

from docmt.base.errors import UserError, install
from docmt.base.gpus import compute_capabilities, visible_gpus
from docmt.grid.grid import Grid
from docmt.plan.plan import Job
from docmt.settings.train import IN_FP32

DISTRIBUTION = "docmt"
BF16_SINCE = 8.0
"""The compute capability of the first GPUs of NVIDIA that compute in bf16: those of the A100."""


def check_packages(needed: Iterable[str]) -> None:
    """Raise UserError, with the names of all missing packages, where packages that jobs need are not installed.

    Jobs need the dependencies of docmt. `needed` has the names of aligners and engines, and the codes of target
    languages; where such a name is that of an optional extra of docmt, jobs need the dependencies of that extra too.
    """
    extras = _extras_of(needed)
    missing = sorted({name for name in _required(extras) if not is_installed(name)})
    if missing:
        raise UserError(
            "packages are missing that jobs need",
            where="this Python's environment",
            found=f"no {', '.join(missing)}",
            remedy=install(*extras),
        )


def required_packages(needed: Iterable[str] = ()) -> set[str]:
    """Return the names of the packages that jobs need, whose meaning of `needed` is that of `check_packages`."""
    return {*_required(_extras_of(needed))}


def is_installed(name: str) -> bool:
    """Return whether a package is installed; `name` is the name by which pip installs it."""
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _extras_of(needed: Iterable[str]) -> list[str]:
    """Return those of some names that are the names of extras, each once."""
    extras = _extras()
    return [name for name in dict.fromkeys(needed) if name in extras]


def _extras() -> Sequence[str]:
    """Return the names of docmt's optional extras."""
    return _metadata().get_all("Provides-Extra") or []


def _required(extras: Collection[str]) -> Iterator[str]:
    """Yield the names of the packages that docmt requires, and of those that its `extras` require."""
    for stated in map(Requirement, _metadata().get_all("Requires-Dist") or []):
        if stated.marker is None or any(stated.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield stated.name


def _metadata() -> metadata.PackageMetadata:
    """Return the metadata of the installed docmt. Raises UserError where it is not installed."""
    try:
        return metadata.metadata(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        raise UserError("docmt is not installed", where="this Python's environment", remedy=install()) from None


def check_precision(grid: Grid, jobs: Iterable[Job]) -> None:
    """Raise UserError where one of the jobs trains in bf16, and a GPU that it would use here does not compute in it."""
    trained = [grid.find(job.names["corpus"], job.names["system"]).system for job in jobs if job.is_training]
    in_bf16 = sorted({system.name for system in trained if system.train.precision == "bf16"})
    if not in_bf16 or grid.device == "cpu":
        return
    capabilities = compute_capabilities()
    known = [capabilities[gpu.key] for gpu in visible_gpus() if gpu.key in capabilities]
    for name, capability in known:
        if capability < BF16_SINCE:
            raise UserError(
                "this GPU does not compute in bf16",
                where=name,
                found=f"train.precision: bf16 of {', '.join(in_bf16)}",
                remedy=IN_FP32,
            )


def refuse_cache(rules: Sequence[str] | None) -> None:
    """Raise UserError where Snakemake's cache between workflows (`--cache`) is on; `rules` is None without this option.

    The key of the cache contains neither the wildcards of a rule nor the role of an input. The cache would therefore
    return the file of one corpus in the place of the file of another corpus.
    """
    if rules is not None:
        raise UserError(
            "snakemake's cache between workflows would give the files of one corpus for another's",
            where="--cache",
            found=", ".join(rules) or "all rules",
            expected="no --cache, neither on the command line nor in a profile",
            remedy="to share what is made, copy folders of results/",
        )


def check_study_names(studies: Iterable[str], rules: Collection[str]) -> None:
    """Raise UserError where a study has the name of a rule, since both names are targets of Snakemake."""
    for study in studies:
        if study in rules:
            remedy = "rename the study and its file"
            raise UserError("a rule of the workflow has the name of this study", found=study, remedy=remedy)
