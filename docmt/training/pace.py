"""How long the parts of a training take: when a checkpoint is due, and when the deadline is near."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from docmt.training.options import JobOptions

Work = Literal["update", "validation", "checkpoint"]

REMEMBERED: dict[Work, int] = {"update": 100, "validation": 3, "checkpoint": 1}
"""How many of the last ones count: a first update that compiles the model is not held against the last."""


class Pace:
    """Seconds of the last updates, validations and checkpoints, by `clock`."""

    def __init__(self, options: JobOptions, clock: Callable[[], float] = time.monotonic) -> None:
        minutes = options.deadline_minutes
        self._end = None if minutes is None else options.began + 60 * minutes
        self._save_s, self._clock, self._saved = 60 * options.save_minutes, clock, clock()
        self._took: dict[Work, deque[float]] = {work: deque(maxlen=last) for work, last in REMEMBERED.items()}

    @contextmanager
    def timed(self, work: Work) -> Iterator[None]:
        began = self._clock()
        yield
        now = self._clock()
        self._took[work].append(now - began)
        if work == "checkpoint":
            self._saved = now

    def save_is_due(self) -> bool:
        """After the minutes between two; with a deadline also after the first update, to know how long one takes."""
        if self._end is not None and not self._took["checkpoint"]:
            return True
        return self._clock() - self._saved >= self._save_s

    def deadline_is_near(self) -> bool:
        """Whether another update and its validation might leave too little time for the checkpoint after them."""
        return self._end is not None and self._clock() + self._reserve() >= self._end

    def _reserve(self) -> float:
        """The checkpoint's time counts twice, since file systems are slow at times."""
        longest = {work: max(seconds, default=0.0) for work, seconds in self._took.items()}
        return longest["update"] + longest["validation"] + 2 * longest["checkpoint"]
