"""A polite end: SIGTERM lets the update finish and a checkpoint be written."""

import signal
from types import FrameType, TracebackType

STOPPED = 75
"""Exit status of a training that was asked to stop and can be resumed (EX_TEMPFAIL of sysexits.h)."""


class StopRequest:
    """While entered, SIGTERM sets `requested` instead of ending the process."""

    def __init__(self) -> None:
        self.requested = False

    def __enter__(self) -> "StopRequest":
        self._before = signal.signal(signal.SIGTERM, self._note)
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        signal.signal(signal.SIGTERM, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
