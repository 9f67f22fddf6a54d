"""The raw measurements, `benchmarks/peers.json`: a record for each line and number of threads, the newest."""

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from peers.measuring import Measurement, Pair

NOTHING = {"records": [], "skipped": {}, "failed": {}}


@dataclass(frozen=True)
class Record:
    """The pairs of a line, and where and when they were measured."""

    name: str
    threads: int
    pairs: list[Pair]
    floor: float | None
    """Our source words a second, if the matrix products alone took time."""
    equal: tuple[int, int] | None
    """Of a decoding with the same weights: the number of equal translations, and of all."""
    date: str
    commit: str
    hardware: str
    versions: dict[str, str]

    @classmethod
    def from_plain(cls, plain: Mapping) -> "Record":
        pairs = [
            Pair(Measurement(**pair["ours"]), Measurement(**pair["peer"]), pair["foreign"]) for pair in plain["pairs"]
        ]
        equal = tuple(plain["equal"]) if plain["equal"] else None
        return cls(**{**plain, "pairs": pairs, "equal": equal})


@dataclass(frozen=True)
class Records:
    """All records, the peers that could not be installed, and the lines that failed, each with the reason."""

    records: dict[tuple[str, int], Record]
    skipped: dict[str, str]
    failed: dict[str, str]
    """The reason by the name of a line and its threads, as in `tiny-fairseq (1)`."""

    @classmethod
    def read(cls, path: Path) -> "Records":
        """Read a file; one that is missing has no records."""
        plain = json.loads(path.read_text(encoding="utf-8")) if path.exists() else NOTHING
        records = map(Record.from_plain, plain["records"])
        return cls({(record.name, record.threads): record for record in records}, plain["skipped"], plain["failed"])

    def add(self, record: Record) -> None:
        """Put a record in the place of an earlier one, or of a failure."""
        self.records[record.name, record.threads] = record
        self.failed.pop(f"{record.name} ({record.threads})", None)

    def write(self, path: Path) -> None:
        ordered = [asdict(self.records[key]) for key in sorted(self.records)]
        text = json.dumps({"records": ordered, "skipped": self.skipped, "failed": self.failed}, indent=1)
        path.write_text(text + "\n", encoding="utf-8")


def circumstances() -> dict:
    """Return the fields of a record that say where and when it was measured."""
    packages = {name: _version(name) for name in ("torch", "ctranslate2", "numpy")}
    return {
        "date": date.today().isoformat(),
        "commit": _commit(),
        "hardware": f"{_processor()}, {len(os.sched_getaffinity(0))} cores",
        "versions": {"python": platform.python_version(), **packages},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    """Return the commit of docmt that is measured, with a mark where the package differs from it."""
    root = Path(__file__).parents[2]

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout.strip()

    changed = git("status", "--porcelain", "--", "docmt")
    return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
