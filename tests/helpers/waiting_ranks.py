"""A rank whose first rank works alone for long while the others wait for it: with progress, or without.

RANK=... WORLD_SIZE=... python waiting_ranks.py FOLDER progress|hang
"""

import sys
import time
from datetime import timedelta
from pathlib import Path

import torch
from torch.distributed import distributed_c10d

from docmt.supervision import ranks
from docmt.supervision.exit import CLAIM
from docmt.supervision.watch import Watch
from docmt.supervision.watchdog import Watchdog

LIMIT_S = 2.0
WORK_S = 5.0
"""Longer than the limit of a silence, and than torch's of an exchange, which is set to seconds here."""
distributed_c10d.default_pg_timeout = timedelta(seconds=4)


def work(watch: Watch, how: str) -> str:
    """Takes its time."""
    end = time.monotonic() + WORK_S
    while time.monotonic() < end:
        time.sleep(LIMIT_S / 10)
        if how == "progress":
            watch.alive()
    return "done"


if __name__ == "__main__":
    folder, how = Path(sys.argv[1]), sys.argv[2]
    (folder / CLAIM).touch()
    watch = Watch()
    with (
        watch.stop,
        ranks.joined(torch.device("cpu"), watch.waiting) as together,
        Watchdog(folder, LIMIT_S / 60, watch, together.number, together.count, lambda: True),
    ):
        print(together.from_first(lambda: work(watch, how)))
