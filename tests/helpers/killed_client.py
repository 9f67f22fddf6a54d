"""A client of a store that is killed when it has moved all bytes of a file, and not finished it.

`killed_client.py upload|download ADDRESS KEY PATH SHA256`
"""

import os
import signal
import sys
from pathlib import Path

from docmt.store import folder, objects
from docmt.store.addresses import backend_at


def end(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    objects.PART = 5 << 20
    for module in (folder, objects):
        module.check_file = module.check_stored = end
    way, address, key, path, sha256 = sys.argv[1:]
    getattr(backend_at(address), way)(key, Path(path), sha256)
