"""Facts about the machine and the software that ran a job, for records."""

import os
import platform
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from docmt.base.version import VERSION

MIB = 2**20


def now() -> str:
    """Return the present time in UTC, in seconds, in the form of ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def commit() -> str | None:
    """Return the commit of the git checkout that docmt runs from.

    The commit is None where docmt does not run from a checkout, or git is missing.
    """
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def hardware() -> dict[str, Any]:
    """Return the machine, its processor, the number of cores for this process, and its memory in MiB."""
    cores, memory = len(os.sched_getaffinity(0)), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"host": platform.node(), "processor": processor(), "cores": cores, "memory_mib": memory // MIB}


def processor() -> str:
    """Return the model name of the processor, or the machine type where the system does not report a model name."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def versions(libraries: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of docmt, of Python and of some libraries, by the names by which pip installs them."""
    return {
        "docmt": VERSION,
        "python": platform.python_version(),
        **{name: installed_version(name) for name in libraries},
    }


def installed_version(name: str) -> str:
    """Return the version of an installed library, or `missing`."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"
