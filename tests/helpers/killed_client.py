"""A client of a store that is killed when it has moved all bytes of a file, and not finished it.

`killed_client.py upload|download ADDRESS KEY PATH SHA256`
"""

import os
import signal
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from docmt.base.digests import FileDigest
from docmt.store import backend
from docmt.store.store import backend_at


def killed(blocks: Iterable[bytes], *_: object) -> Iterator[bytes]:
    yield from blocks
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    backend.PART = 5 << 20
    way, address, key, path, sha256 = sys.argv[1:]
    store = backend_at(address)
    backend.checked = killed
    if way == "upload":
        store.upload(key, Path(path), sha256)
    else:
        store.download(key, Path(path), FileDigest(sha256, store.facts(key).bytes))
