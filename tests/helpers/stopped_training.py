"""`docmt`, whose training writes each update's number into a file as it begins it, and is stopped at one of them.

Of several ranks the first writes, and one is stopped: the first at an even update, the second at an odd one.

python stopped_training.py LOG WHERE HOW job train ...

WHERE: 20, within that update; 20.1, within the validation after it, at its batch 1, counted from 0 over losses and
translations. HOW: SIGKILL, SIGTERM, SIGUSR1, hang; or slow, which stops nothing.

The BLEU of dev is the one of `toy_task`, since its text has no words to restore.
"""

import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from helpers.toy_task import open_score

from docmt.cli.main import main
from docmt.supervision.watch import Watch
from docmt.trained import dev_bleu
from docmt.training.loop import Training

SLOW_S = 0.05
"""Added to each update where time decides."""


def stop(how: str) -> None:
    if how == "hang":
        time.sleep(3600)
    else:
        os.kill(os.getpid(), signal.Signals[how])


def plant_in_updates(log: Path, at: int, how: str) -> None:
    plain = Training._update

    def update(self: Training, *arguments: object):
        number = self.status.update + 1
        if self.ranks.is_first:
            with log.open("a") as stream:
                stream.write(f"{number}\n")
        if how == "slow":
            time.sleep(SLOW_S)
        elif number == at and number % self.ranks.count == self.ranks.number:
            stop(how)
        return plain(self, *arguments)

    Training._update = update


def plant_in_validations(at: int, batch: int, how: str) -> None:
    plain, left = Watch.until_asked, [batch]
    here = at % int(os.environ.get("WORLD_SIZE", 1)) == int(os.environ.get("RANK", 0))

    def until_asked(self: Watch, parts: Iterable) -> Iterator:
        for part in plain(self, parts):
            if here and self.update == at:
                if left[0] == 0:
                    stop(how)
                left[0] -= 1
            yield part

    Watch.until_asked = until_asked


if __name__ == "__main__":
    log, where, how, *sys.argv[1:] = sys.argv[1:]
    update, _, batch = where.partition(".")
    plant_in_updates(Path(log), 0 if batch else int(update), how)
    if batch:
        plant_in_validations(int(update), int(batch), how)
    dev_bleu.dev_bleu = lambda text: open_score()
    main()
