"""`docmt`, whose training waits before an update until a file is there, giving signs of life, and whose lease is soon
stale. FILE.<rank> says that it waits.

python leased_training.py STALE_S UPDATE FILE job train ...
"""

import sys
import time
from pathlib import Path

from docmt.cli.main import main
from docmt.supervision import lease
from docmt.training.loop import Training


def wait_before(number: int, gate: Path) -> None:
    plain = Training._update

    def update(self: Training, *arguments: object):
        if self.status.update + 1 == number:
            gate.with_suffix(f".{self.ranks.number}").touch()
        while self.status.update + 1 == number and not gate.exists():
            self.watch.alive()
            time.sleep(0.01)
        return plain(self, *arguments)

    Training._update = update


if __name__ == "__main__":
    stale, update, gate, *sys.argv[1:] = sys.argv[1:]
    lease.STALE_S, lease.LOOK_S, lease.BEAT_S = float(stale), 0.1, 0.1
    wait_before(int(update), Path(gate))
    main()
