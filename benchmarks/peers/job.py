"""A job: what a process of a toolkit is asked to do, and the marks of time that it leaves. Needs nothing but Python."""

import json
import os
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

MARKS = "PEERS_MARKS"
"""The variable of the environment with the file that marks are written to."""
MEMORY = "PEERS_MEMORY"
"""The variable of the environment with the bytes that a job may allocate."""


@dataclass(frozen=True)
class Shape:
    """The sizes of a model, its vocabulary, and the updates that are measured after those of the warm-up."""

    name: str
    layers: int
    width: int
    inner: int
    heads: int
    vocabulary: int
    tokens: int
    """Target tokens of an update."""
    warm_up: int
    updates: int


TINY = Shape("tiny", 2, 128, 512, 4, 4_000, 2_500, warm_up=4, updates=16)
BASE = Shape("base", 6, 512, 2_048, 8, 10_000, 1_000, warm_up=2, updates=6)
DEEP = replace(TINY, layers=6)
"""The layers of base with the width and the corpus of tiny, for documents that are too long for base."""


@dataclass(frozen=True)
class Job:
    """A task of a toolkit: `prepare` its data, `train`, `decode`.

    docmt also computes the `floor` of either, and fairseq can `convert` its model for CTranslate2.
    """

    toolkit: str
    task: Literal["prepare", "train", "decode", "floor", "convert"]
    shape: Shape
    corpus: Path
    threads: int = 1
    model: Path | None = None
    """The folder that a training leaves its model in, if at all, or that a decoding reads."""
    output: Path | None = None
    """The file of translations, a line for each sentence."""
    options: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> "Job":
        plain = json.loads(text)
        paths = {name: Path(plain[name]) for name in ("corpus", "model", "output") if plain[name] is not None}
        return cls(**{**plain, "shape": Shape(**plain["shape"]), **paths})


class Marks:
    """Points of time in a process, each with the source words done since the one before, special symbols left out."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, float, float]] = []

    def mark(self, words: int) -> None:
        times = os.times()
        self._rows.append((words, times.user + times.system, time.perf_counter()))

    def write(self, **facts: Any) -> None:
        content = {"marks": self._rows, "memory_mib": peak_memory_mib(), **facts}
        Path(os.environ[MARKS]).write_text(json.dumps(content), encoding="utf-8")


def peak_memory_mib() -> float:
    """Return the largest resident set of this program; unlike `ru_maxrss` it is not that of the parent's fork."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024
