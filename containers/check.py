"""Check that this Python has the libraries of pins.txt in their versions, and that docmt starts.

Libraries that only a torch for GPUs brings are not in pins.txt: torch itself states their versions.
"""

import re
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

PINS = Path(__file__).parents[1] / "pins.txt"
OF_VENV = {"docmt", "pip", "setuptools", "wheel"}
OF_GPUS = ("nvidia-", "cuda-", "triton")


def normal(name: str) -> str:
    """Return the name of a library as all spellings of it have it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(path: Path = PINS) -> dict[str, str]:
    """Return the version of each library."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {normal(name): version for name, version in (line.split("==") for line in lines)}


def problems(installed: dict[str, str], pinned: dict[str, str]) -> list[str]:
    """Return a line for each library that pins.txt does not have, or has in another version.

    The part of a version after `+` says for which devices torch was built.
    """
    lines = []
    for name, version in sorted(installed.items()):
        if name not in OF_VENV and not name.startswith(OF_GPUS) and version.partition("+")[0] != pinned.get(name):
            lines.append(f"{name} {version}: pins.txt has {pinned.get(name, 'no such library')}")
    return lines


if __name__ == "__main__":
    wrong = problems({normal(found.name): found.version for found in distributions()}, pins())
    if wrong:
        sys.exit("\n".join(wrong))
    subprocess.run([sys.executable, "-m", "pip", "check"], check=True)
    subprocess.run([Path(sys.executable).with_name("docmt"), "--help"], check=True, stdout=subprocess.DEVNULL)
