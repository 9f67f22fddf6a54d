"""Push and pull of files by a bucket, against plain copies by the same library, on a server on the loopback.

python benchmarks/store_objects.py moto|s3rver|gcs [MB of the large file]
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from helpers.object_servers import BUCKET, object_server

from docmt.base.digests import FileDigest
from docmt.store.backend import Backend
from docmt.store.store import backend_at

ROUNDS = 5
SMALL = 100


def files_of(folder: Path, megabytes: int) -> dict[str, list[Path]]:
    """Write one large file and many small ones; return them by the words for the table."""
    large, small = folder / "large", [folder / f"small{number}" for number in range(SMALL)]
    large.write_bytes(os.urandom(megabytes << 20))
    for path in small:
        path.write_bytes(os.urandom(4095) + b".")  # the emulator of Google's store loses a last carriage return
    return {f"1 file of {megabytes} MiB": [large], f"{SMALL} files of 4 KiB": small}


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    kind, megabytes = sys.argv[1], int((*sys.argv, "64")[2])
    with tempfile.TemporaryDirectory() as name, object_server(kind, Path(name)) as server:
        os.environ.update(server.variables())
        backend = backend_at(server.address)
        for words, paths in files_of(Path(name), megabytes).items():
            measure(kind, words, paths, backend, Path(name) / "back")


def measure(kind: str, words: str, paths: list[Path], backend: Backend, back: Path) -> None:
    """Print the median times of both ways, in turn, each with new names."""
    digests = [FileDigest.of(path) for path in paths]
    times: dict[str, list[float]] = {"put": [], "push": [], "get": [], "pull": []}
    for number in range(ROUNDS):
        for values in times.values():
            values.append(0.0)
        plain = [f"{BUCKET}/plain{number}/{path.name}" for path in paths]
        keys = [f"files/{number}{path.name}" for path in paths]
        put, get = backend.files.put_file, backend.files.get_file
        for path, key, digest, name in zip(paths, keys, digests, plain, strict=True):
            times["put"][-1] += seconds(partial(put, str(path), name))
            times["push"][-1] += seconds(partial(backend.upload, key, path, digest.sha256))
            back.unlink(missing_ok=True)
            times["get"][-1] += seconds(partial(get, name, str(back)))
            back.unlink()
            times["pull"][-1] += seconds(partial(backend.download, key, back, digest))
    put, push, get, pulled = (statistics.median(times[way]) for way in ("put", "push", "get", "pull"))
    cells = [kind, words, *(f"{value:.2f}" for value in (put, push, push / put, get, pulled, pulled / get))]
    print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
