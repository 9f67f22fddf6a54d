"""A polite end: SIGTERM and SIGUSR1 let the update finish and a checkpoint be written."""

import signal
from types import FrameType, TracebackType

SIGNALS = (signal.SIGTERM, signal.SIGUSR1)
"""What a cluster sends before it kills; the second where it is asked to (`sbatch --signal=USR1@300`)."""


class StopRequest:
    """While entered, a signal sets `requested` to its name instead of ending the process."""

    def __init__(self) -> None:
        self.requested: str | None = None

    def __enter__(self) -> "StopRequest":
        self._before = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.requested = signal.Signals(number).name
