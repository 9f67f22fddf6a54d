"""Every kind of place holds files whole or not at all, whoever is killed."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers import killed_client
from helpers.object_servers import object_server

from docmt.base.digests import FileDigest
from docmt.base.errors import UserError
from docmt.store import backend as backends
from docmt.store import bucket
from docmt.store.backend import Backend, EntryRefused, StoreUnusable
from docmt.store.store import backend_at

KINDS = ("folder", "moto", "s3rver", "gcs")
SERVERS = KINDS[1:]
PART = 5 << 20
"""The bytes of a part in these tests: S3 takes no smaller ones."""
SIZES = (0, 5, PART, PART + 1)
KEY = "files/large"


def write(path: Path, size: int) -> tuple[Path, FileDigest]:
    """Write a file of this size, and return its path and its digest."""
    path.write_bytes(random.Random(size).randbytes(size))
    return path, FileDigest.of(path)


@pytest.fixture(
    scope="module", params=[pytest.param(kind, marks=pytest.mark.slow if kind == "s3rver" else ()) for kind in KINDS]
)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple]:
    """The address of a store and the environment of its clients."""
    path = tmp_path_factory.mktemp(request.param)
    if request.param == "folder":
        yield str(path), {}, None
        return
    with object_server(request.param, path) as server:
        yield server.address, server.variables(), server


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "PART", PART)


def opened(address: str, variables: dict, monkeypatch: pytest.MonkeyPatch) -> Backend:
    """Return the backend of an address, which asks again without waiting."""

    async def no_wait(_: float) -> None:
        pass

    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("gcsfs.retry.asyncio.sleep", no_wait)
    return backend_at(address)


@pytest.fixture
def backend(place: tuple, monkeypatch: pytest.MonkeyPatch) -> Backend:
    return opened(place[0], place[1], monkeypatch)


def keys(backend: Backend, prefix: str = "files") -> list[str]:
    return [file.key for file in backend.listed(prefix)]


@pytest.mark.some(4)
@pytest.mark.parametrize("size", SIZES)
def test_a_file_comes_back_as_it_went_in_or_not_at_all(backend, tmp_path, size):
    path, file = write(tmp_path / "given", size)
    with pytest.raises(UserError, match="differs from its manifest"):
        backend.upload(KEY, path, "0" * 64)
    assert keys(backend) == [] and backend.facts(KEY) is None
    for _ in range(2):
        backend.upload(KEY, path, file.sha256)
        backend.download(KEY, tmp_path / "back", file)
        assert (tmp_path / "back").read_bytes() == path.read_bytes() == backend.read(KEY)
    (stored,) = backend.listed("files")
    assert (stored.key, stored.bytes) == (KEY, size) and abs(stored.seconds - time.time()) < 600
    assert backend.facts(KEY).bytes == size
    for other, what in (("0" * 64, size), "other bytes than its name says"), ((file.sha256, size + 1), "another size"):
        with pytest.raises(EntryRefused, match=what):
            backend.download(KEY, tmp_path / "back", FileDigest(*other))
        assert not (tmp_path / "back").exists()
    backend.remove(KEY)
    assert backend.facts(KEY) is None and keys(backend) == []


def test_what_is_missing_is_none_and_can_be_removed(backend, tmp_path):
    assert backend.read("entries/none") is None and backend.facts("entries/none") is None
    backend.remove("entries/none")
    assert keys(backend, "signatures") == []
    with pytest.raises(EntryRefused, match="a file of an entry is missing"):
        backend.download("files/none", tmp_path / "none", FileDigest("0" * 64, 1))
    assert not (tmp_path / "none").exists()


def test_a_small_file_stays_and_a_huge_one_is_not_read(backend, monkeypatch):
    texts = [f"{number}" * 1000 for number in range(10)]
    with ThreadPoolExecutor(10) as pool:
        assert any(pool.map(lambda text: backend.create("entries/ten", text.encode()), texts))
    there = backend.read("entries/ten")
    assert there.decode() in texts and not backend.create("entries/ten", b"later")
    assert backend.read("entries/ten") == there
    for module in (backends, bucket):
        monkeypatch.setattr(module, "LARGEST_READ", 999)
    with pytest.raises(EntryRefused, match="too large for a file of this kind"):
        backend.read("entries/ten")
    backend.remove("entries/ten")


@pytest.mark.some(2)
@pytest.mark.parametrize("way", ["upload", "download"])
def test_a_killed_client_leaves_nothing_half(backend, place, tmp_path, way):
    path, file = write(tmp_path / "given", PART + 1)
    if way == "download":
        backend.upload(KEY, path, file.sha256)
    moved = path if way == "upload" else tmp_path / "half"
    command = [sys.executable, killed_client.__file__, way, backend.address, KEY, str(moved), file.sha256]
    assert subprocess.run(command, env={**os.environ, **place[1]}).returncode == -signal.SIGKILL
    assert (KEY in keys(backend)) == (way == "download")
    backend.upload(KEY, path, file.sha256)
    backend.download(KEY, moved, file)
    backend.remove(KEY)


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", SERVERS)
def test_a_killed_server_leaves_nothing_half(kind, tmp_path, monkeypatch):
    path, file = write(tmp_path / "given", PART + 1)

    def with_server_killed(blocks, *_: object) -> Iterator[bytes]:
        """Yield the first block, and end the server before the second."""
        yield next(blocks)
        server.kill()
        yield from blocks

    with object_server(kind, tmp_path) as server:
        backend = opened(server.address, server.variables(), monkeypatch)
        for move in (
            lambda: backend.upload(KEY, path, file.sha256),
            lambda: backend.download(KEY, tmp_path / "back", file),
        ):
            with monkeypatch.context() as patch, pytest.raises(StoreUnusable, match="cannot be used"):
                patch.setattr(backends, "checked", with_server_killed)
                move()
            assert not (tmp_path / "back").exists()
            server.start()
            assert backend.facts(KEY) is None or kind != "moto"
            backend.upload(KEY, path, file.sha256)  # moto forgets all objects
        backend.download(KEY, tmp_path / "back", file)
