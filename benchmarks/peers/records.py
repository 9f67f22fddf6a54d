"""The raw measurements, `benchmarks/peers.json`: a record for each line, number of threads and machine, the newest."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from docmt.base.machine import processor, versions
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

    @property
    def key(self) -> tuple[str, int, str]:
        """The line, the number of threads and the hardware: of each such key, the newest record is kept."""
        return self.name, self.threads, self.hardware

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

    records: dict[tuple[str, int, str], Record]
    """By the name of the line, the number of threads, and the hardware."""
    skipped: dict[str, str]
    failed: dict[str, str]
    """The reason by the name of a line and its threads, as in `tiny-fairseq (1)`."""

    @classmethod
    def read(cls, path: Path) -> "Records":
        """Read a file; one that is missing has no records."""
        plain = json.loads(path.read_text(encoding="utf-8")) if path.exists() else NOTHING
        records = map(Record.from_plain, plain["records"])
        return cls({record.key: record for record in records}, plain["skipped"], plain["failed"])

    def add(self, record: Record) -> None:
        """Put a record in the place of an earlier one, or of a failure."""
        self.records[record.key] = record
        self.failed.pop(f"{record.name} ({record.threads})", None)

    def write(self, path: Path) -> None:
        ordered = [asdict(self.records[key]) for key in sorted(self.records)]
        text = json.dumps({"records": ordered, "skipped": self.skipped, "failed": self.failed}, indent=1)
        path.write_text(text + "\n", encoding="utf-8")


def circumstances() -> dict:
    """Return the fields of a record that say where and when it was measured."""
    return {
        "date": date.today().isoformat(),
        "commit": _commit(),
        "hardware": f"{processor()}, {len(os.sched_getaffinity(0))} cores",
        "versions": versions(("torch", "numpy")),
    }


def _commit() -> str:
    """Return the commit of docmt that is measured, with a mark where the package differs from it."""
    root = Path(__file__).parents[2]

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout.strip()

    changed = git("status", "--porcelain", "--", "docmt")
    return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")
