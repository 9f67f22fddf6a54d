"""The request of a signal to stop: SIGTERM, SIGUSR1 or Ctrl-C, after which a job ends in good order."""

import signal
import time
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)
"""Signals that ask a training to stop: a cluster sends SIGTERM before it kills a job, and SIGUSR1 where the user has
asked for it (`sbatch --signal=USR1@300`); a terminal sends SIGINT for Ctrl-C."""
AGAIN_S = 1.0
"""Seconds after which a second SIGINT counts: an earlier one may be a copy, since the terminal and the parent process
may both send the same SIGINT."""


class StopRequest:
    """A context in which a signal sets `requested` to its name; only a second SIGINT ends the process.

    The context may be entered again within its own block. Signals are blocked while ranks start; signals that arrived
    in that time are received on entering.
    """

    def __init__(self) -> None:
        """Begin without any request."""
        self.requested: str | None = None
        self._interrupted: float | None = None
        self._before: list[dict] = []

    def __enter__(self) -> "StopRequest":
        """Replace the handlers of `SIGNALS` and receive signals."""
        self._before.append({number: signal.signal(number, self._note) for number in SIGNALS})
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        return self

    def __exit__(self, *problem: object) -> None:
        """Restore the handlers that the signals had before the block."""
        for number, handler in self._before.pop().items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        """Record the signal, or raise KeyboardInterrupt at a second SIGINT.

        Further SIGINTs are then ignored, so that they do not disturb the clean-up.
        """
        if number == signal.SIGINT:
            now = time.monotonic()
            if self._interrupted is not None and now - self._interrupted >= AGAIN_S:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                raise KeyboardInterrupt
            self._interrupted = self._interrupted or now
        # The handler only sets a flag, which the training reads at points where it can write a checkpoint.
        self.requested = signal.Signals(number).name
