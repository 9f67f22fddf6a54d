"""Every kind of place holds files whole or not at all, whoever is killed."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from helpers import killed_client
from helpers.object_servers import ObjectServer, object_server

from docmt.base.errors import UserError
from docmt.store import folder, objects
from docmt.store.addresses import backend_at
from docmt.store.backend import Backend, EntryRefused, StoreUnusable
from docmt.store.objects import ObjectBackend

KINDS = ("folder", "moto", "s3rver", "gcs")
SERVERS = KINDS[1:]
PART = 5 << 20
"""The bytes of a part in these tests: S3 takes no smaller ones."""
SIZES = (0, 5, PART + 1)
KEY = "files/aa/large"


def write(path: Path, size: int) -> tuple[Path, str]:
    """Write a file of this size, and return its path and its digest."""
    data = random.Random(size).randbytes(size)
    path.write_bytes(data)
    return path, hashlib.sha256(data).hexdigest()


@pytest.fixture(scope="module", params=KINDS)
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
    monkeypatch.setattr(objects, "PART", PART)


@pytest.fixture
def backend(place: tuple, monkeypatch: pytest.MonkeyPatch) -> Backend:
    address, variables, server = place
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    if server is None:
        return backend_at(address)
    return backend_of(server, monkeypatch)


def backend_of(server: ObjectServer, monkeypatch: pytest.MonkeyPatch) -> ObjectBackend:
    """Return the backend of a server, which asks again without waiting."""
    for name, value in server.variables().items():
        monkeypatch.setenv(name, value)
    if server.kind == "gcs":

        async def no_wait(_: float) -> None:
            pass

        monkeypatch.setattr("gcsfs.retry.asyncio.sleep", no_wait)
    return backend_at(server.address)


def keys(backend: Backend, prefix: str = "") -> list[str]:
    return [file.key for file in backend.listed(prefix)]


@pytest.mark.parametrize("size", SIZES)
def test_a_file_comes_back_as_it_went_in(backend: Backend, tmp_path: Path, size: int) -> None:
    path, sha256 = write(tmp_path / "given", size)
    key = f"files/{sha256[:2]}/{sha256}"
    backend.upload(key, path, sha256)
    backend.upload(key, path, sha256)
    backend.download(key, tmp_path / "back", sha256)
    assert (tmp_path / "back").read_bytes() == path.read_bytes()
    assert backend.size(key) == size
    (stored,) = [file for file in backend.listed("files") if file.key == key]
    assert stored.bytes == size and abs(stored.seconds - time.time()) < 600
    backend.remove(key)
    assert backend.size(key) is None and key not in keys(backend)


@pytest.mark.parametrize("size", SIZES[1:])
def test_a_file_of_another_digest_never_appears(backend: Backend, tmp_path: Path, size: int) -> None:
    path, sha256 = write(tmp_path / "given", size)
    with pytest.raises(UserError, match="differs from its manifest"):
        backend.upload("files/bb/other", path, "0" * 64)
    assert backend.size("files/bb/other") is None
    backend.upload("files/bb/whole", path, sha256)
    with pytest.raises(EntryRefused, match="other bytes than its name says"):
        backend.download("files/bb/whole", tmp_path / "back", "0" * 64)
    assert not (tmp_path / "back").exists()
    backend.remove("files/bb/whole")


def test_what_is_missing_is_none_and_can_be_removed(backend: Backend, tmp_path: Path) -> None:
    assert backend.read("entries/none") is None and backend.size("entries/none") is None
    backend.remove("entries/none")
    assert keys(backend, "signatures") == []
    with pytest.raises(EntryRefused, match="a file of an entry is missing"):
        backend.download("files/none", tmp_path / "none", "0" * 64)
    assert not (tmp_path / "none").exists()


def test_the_first_writer_of_a_name_wins(backend: Backend) -> None:
    assert backend.create("entries/cc/one", b"first")
    assert not backend.create("entries/cc/one", b"second")
    assert backend.read("entries/cc/one") == b"first"
    backend.remove("entries/cc/one", unless_since=time.time() - 3600)
    assert backend.read("entries/cc/one") == b"first", "it is younger"
    backend.remove("entries/cc/one", unless_since=time.time() + 3600)
    assert backend.read("entries/cc/one") is None


def test_ten_writers_at_once_leave_one_whole_file(backend: Backend, place: tuple, tmp_path: Path) -> None:
    texts = [f"{number}" * 1000 for number in range(10)]
    with ThreadPoolExecutor(10) as pool:
        won = list(pool.map(lambda text: backend.create("entries/dd/ten", text.encode()), texts))
    assert backend.read("entries/dd/ten").decode() in texts and any(won)
    if place[2] is None:
        assert sum(won) == 1
    path, sha256 = write(tmp_path / "given", PART + 1)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: backend.upload(KEY, path, sha256), range(2)))
    backend.download(KEY, tmp_path / "back", sha256)
    for key in (KEY, "entries/dd/ten"):
        backend.remove(key)


@pytest.mark.parametrize("way", ["upload", "download"])
def test_a_killed_client_leaves_nothing_half(backend: Backend, place: tuple, tmp_path: Path, way: str) -> None:
    path, sha256 = write(tmp_path / "given", PART + 1)
    if way == "download":
        backend.upload(KEY, path, sha256)
    moved = path if way == "upload" else tmp_path / "half"
    command = [sys.executable, killed_client.__file__, way, backend.address, KEY, str(moved), sha256]
    assert subprocess.run(command, env={**os.environ, **place[1]}).returncode == -signal.SIGKILL
    assert (KEY in keys(backend)) == (way == "download")
    backend.upload(KEY, path, sha256)
    backend.download(KEY, tmp_path / "back", sha256)
    if way == "upload":
        left = backend.remove_leftovers(-60), backend.remove_leftovers(-60)
        assert left == (int(place[2] is None or place[2].kind == "moto"), 0)
    backend.remove(KEY)


@pytest.mark.parametrize("kind", SERVERS)
def test_a_killed_server_leaves_nothing_half(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, sha256 = write(tmp_path / "given", PART + 1)
    with object_server(kind, tmp_path) as server:
        backend = backend_of(server, monkeypatch)
        with monkeypatch.context() as patch:
            patch.setattr(objects, "check_file", lambda *_: server.kill())
            with pytest.raises(StoreUnusable, match="cannot be reached"):
                backend.upload(KEY, path, sha256)
        server.start()
        assert backend.size(KEY) is None
        backend.upload(KEY, path, sha256)
        with monkeypatch.context() as patch:
            patch.setattr(backend, "_part", partial(part_without_server, server, backend._part))
            with pytest.raises(StoreUnusable, match="cannot be reached"):
                backend.download(KEY, tmp_path / "back", sha256)
        assert not (tmp_path / "back").exists()
        server.start()
        backend.upload(KEY, path, sha256)  # moto forgets all objects
        backend.download(KEY, tmp_path / "back", sha256)


def part_without_server(server: ObjectServer, part: object, key: str, start: int) -> bytes:
    """Return the first part of an object, and end the server before the second."""
    if start == 0:
        return part(key, start)
    server.kill()
    return part(key, start)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["upload", "download"])
def test_clients_killed_at_any_time_leave_nothing_half(
    backend: Backend, place: tuple, tmp_path: Path, way: str
) -> None:
    path, sha256 = write(tmp_path / "given", 3 * PART)
    if way == "download":
        backend.upload(KEY, path, sha256)
    program = "import sys; from pathlib import Path; from docmt.store.addresses import backend_at; "
    program += "way, address, key, path, sha256 = sys.argv[1:]; backend = backend_at(address); print(1, flush=True); "
    program += "getattr(backend, way)(key, Path(path), sha256)"
    for number in range(8):
        moved = path if way == "upload" else tmp_path / f"half{number}"
        command = [sys.executable, "-c", program, way, backend.address, KEY, str(moved), sha256]
        process = subprocess.Popen(command, env={**os.environ, **place[1]}, stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(random.Random(number).uniform(0, 0.5))
        process.kill()
        process.communicate()
        if backend.size(KEY) is not None:
            backend.download(KEY, tmp_path / f"whole{number}", sha256)
            if way == "upload":
                backend.remove(KEY)
    backend.upload(KEY, path, sha256)
    backend.download(KEY, tmp_path / "back", sha256)
    backend.remove(KEY)


def test_a_writer_that_is_at_work_is_no_leftover(tmp_path: Path) -> None:
    (tmp_path / f".work{folder.PARTIAL}").write_bytes(b"x")
    backend = backend_at(str(tmp_path))
    assert backend.remove_leftovers(3600) == 0
    assert backend.remove_leftovers(-1) == 1
