"""Facts about the machine and the software that ran a job, for records."""

import os
import platform
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from docmt.base.version import VERSION

MIB = 2**20
# Instructions for matrix products by their flags in /proc/cpuinfo, the fastest first.
INSTRUCTIONS = {"amx_bf16": "AMX", "avx512_bf16": "AVX-512 with bf16", "avx512f": "AVX-512", "avx2": "AVX2"}


def now() -> str:
    """Return the present time in UTC, in seconds, in the form of ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def commit() -> str | None:
    """Return the commit of the git checkout that docmt runs from; None without a checkout or git."""
    clone = Path(__file__).parents[2]
    # An environment inside a user's own repository is no checkout of docmt.
    if not (clone / ".git").exists():
        return None
    command = ["git", "-C", str(clone), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def hardware() -> dict[str, Any]:
    """Return the processor of the machine, the number of cores for this process, and its memory in MiB."""
    cores, memory = len(os.sched_getaffinity(0)), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    # Records have no name of the machine: people pass them on.
    return {"processor": processor(), "cores": cores, "memory_mib": memory // MIB}


def processor() -> str:
    """Return the name of the processor and its fastest instructions for matrix products, as in `AMD EPYC (AVX2)`."""
    facts = _facts_of_first_core()
    flags = facts.get("flags", "").split()
    # Virtual machines give one name to several processors; the instructions decide their speed and their rounding.
    instructions = next((f" ({name})" for flag, name in INSTRUCTIONS.items() if flag in flags), "")
    return facts.get("model name", platform.machine()) + instructions


def _facts_of_first_core() -> dict[str, str]:
    """Return what /proc/cpuinfo states about the first core, by the names of the facts; nothing where it is missing."""
    with suppress(OSError):
        core = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")[0]
        pairs = (line.partition(":") for line in core.splitlines())
        return {name.strip(): fact.strip() for name, _, fact in pairs}
    return {}


def versions(libraries: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of docmt, of Python and of some libraries, by the names by which pip installs them."""
    return {
        "docmt": VERSION,
        "python": platform.python_version(),
        **{name: installed_version(name) for name in libraries},
    }


def installed_version(name: str) -> str:
    """Return the version of an installed library, or `missing`."""
    from importlib import metadata  # a tenth of the time in which a command starts

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"
