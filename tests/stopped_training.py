"""`docmt`, whose training writes each update's number into a file as it begins it, and is stopped at one of them.

Of several ranks the first writes, and one is stopped: the first at an even update, the second at an odd one.

python stopped_training.py LOG UPDATE HOW train ...

HOW: SIGKILL, SIGTERM, SIGUSR1, hang, memory (out of it); or slow, which stops nothing.
"""

import os
import signal
import sys
import time
from pathlib import Path

from docmt.cli.main import main
from docmt.training.loop import Training

SLOW_S = 0.05
"""Added to each update where time decides."""


def planted(log: Path, at: int, how: str) -> None:
    plain = Training._update

    def update(self: Training):
        number = self.status.update + 1
        if self.ranks.is_first:
            with log.open("a") as stream:
                stream.write(f"{number}\n")
        here = number == at and number % self.ranks.count == self.ranks.number
        if how == "slow":
            time.sleep(SLOW_S)
        elif here and how == "hang":
            time.sleep(3600)
        elif here and how == "memory":
            raise MemoryError
        elif here:
            os.kill(os.getpid(), signal.Signals[how])
        return plain(self)

    Training._update = update


if __name__ == "__main__":
    log, at, how, *sys.argv[1:] = sys.argv[1:]
    planted(Path(log), int(at), how)
    main()
