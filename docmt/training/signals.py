"""A polite end: SIGTERM, SIGUSR1 and Ctrl-C let the update finish and a checkpoint be written."""

import signal
import time
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)
"""What a cluster sends before it kills; the second where it is asked to (`sbatch --signal=USR1@300`); Ctrl-C."""
AGAIN_S = 1.0
"""A second SIGINT counts after so long: the first may come from the terminal and from the parent process as well."""


class StopRequest:
    """While entered, a signal sets `requested` to its name instead of ending the process; a second SIGINT ends it.

    It may be entered again within. What came while signals were blocked, as of ranks that start, is heard on entering.
    """

    def __init__(self) -> None:
        self.requested: str | None = None
        self._interrupted: float | None = None
        self._before: list[dict] = []

    def __enter__(self) -> "StopRequest":
        self._before.append({number: signal.signal(number, self._note) for number in SIGNALS})
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        return self

    def __exit__(self, *problem: object) -> None:
        for number, handler in self._before.pop().items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        """Raises KeyboardInterrupt at a second SIGINT; nothing disturbs what then cleans up."""
        if number == signal.SIGINT:
            now = time.monotonic()
            if self._interrupted is not None and now - self._interrupted >= AGAIN_S:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                raise KeyboardInterrupt
            self._interrupted = self._interrupted or now
        self.requested = signal.Signals(number).name
