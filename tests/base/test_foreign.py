"""Exceptions of other code end in a message: file, what was found, remedy. Mistakes of ours keep their trace."""

import csv
import errno
import gzip
import io
import json
import os
import pickle
import tarfile
import zipfile
import zlib
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from safetensors.torch import load

from docmt.base.errors import TRY_AGAIN, USER_MISTAKE, UserError
from docmt.base.foreign import explained, is_of_disk, naming, reading


def raised(act: Callable[[], object]) -> BaseException:
    with pytest.raises(BaseException) as problem:
        act()
    return problem.value


def of_system(number: int, path: str | None = "there/file") -> OSError:
    return OSError(number, os.strerror(number), *([path] if path else []))


@pytest.mark.parametrize(
    ("number", "message", "remedy", "status"),
    [
        (errno.ENOSPC, "the disk is full", "make room", USER_MISTAKE),
        (errno.EDQUOT, "the disk is full", "make room", USER_MISTAKE),
        (errno.ENOENT, "file not found", "check the path", USER_MISTAKE),
        (errno.EISDIR, "a folder, where a file is needed", "name a file", USER_MISTAKE),
        (errno.ENOTDIR, "a file, where a folder is needed", "name a folder", USER_MISTAKE),
        (errno.EEXIST, "it already exists", "name another place", USER_MISTAKE),
        (errno.ENOTEMPTY, "the folder is not empty", "name another place", USER_MISTAKE),
        (errno.EACCES, "no permission", "other rights", USER_MISTAKE),
        (errno.EPERM, "no permission", "other rights", USER_MISTAKE),
        (errno.EROFS, "the file system is read-only", "can be written to", USER_MISTAKE),
        (errno.ENAMETOOLONG, "the name is too long", "a shorter one", USER_MISTAKE),
        (errno.ELOOP, "links that lead to each other", "remove them", USER_MISTAKE),
        (errno.EMFILE, "too many open files", "ulimit -n", USER_MISTAKE),
        (errno.EFBIG, "the file would be too large", "ulimit -f", USER_MISTAKE),
        (errno.ENOMEM, "not enough memory", "fewer workers", USER_MISTAKE),
        (errno.EINVAL, "the system says: Invalid argument", "correct this", USER_MISTAKE),
        (errno.ESTALE, "the system says: ", "run the command again", TRY_AGAIN),
        (errno.EIO, "the system says: ", "run the command again", TRY_AGAIN),
        (errno.EAGAIN, "the system says: ", "run the command again", TRY_AGAIN),
        (errno.ETIMEDOUT, "the system says: ", "run the command again", TRY_AGAIN),
        (errno.ENETDOWN, "the system says: ", "run the command again", TRY_AGAIN),
        (errno.ECONNRESET, "the system says: ", "run the command again", TRY_AGAIN),
    ],
)
def test_errors_of_the_system(number, message, remedy, status):
    told = explained(of_system(number))
    first, *_, last = str(told).splitlines()
    assert first.startswith(f"there/file: {message}")
    assert remedy in last
    assert told.status == status


def bad_zip() -> None:
    with zipfile.ZipFile(io.BytesIO(b"no zip")):
        pass


def bad_tar() -> None:
    with tarfile.open(fileobj=io.BytesIO(b"no tar")):
        pass


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: b"\xff".decode("utf-8"), "not valid UTF-8"),
        (lambda: json.loads("{"), "not JSON, or damaged"),
        (lambda: pickle.loads(b""), "a file ends too early"),
        (lambda: pickle.loads(b"no pickle"), "a pickle that is damaged, or would run code"),
        (lambda: pa.ipc.open_file(b"no Arrow"), "not an Arrow or Parquet file"),
        (lambda: pq.read_table(pa.BufferReader(b"no Parquet")), "not an Arrow or Parquet file"),
        (lambda: load(b"\xff" * 20), "not a safetensors file, or damaged"),
        (lambda: yaml.safe_load("a: ["), "not valid YAML"),
        (lambda: next(csv.reader(["a" * 200_000])), "not CSV, or damaged"),
        (lambda: gzip.decompress(b"no gzip"), "compressed file is damaged or truncated"),
        (lambda: zlib.decompress(b"no zlib"), "compressed file is damaged or truncated"),
        (bad_zip, "archive is damaged or truncated"),
        (bad_tar, "archive is damaged or truncated"),
        (lambda: (_ for _ in ()).throw(OSError("Couldn't deserialize thrift")), "a file cannot be read or written"),
    ],
)
def test_errors_of_libraries(act, message):
    told = explained(raised(act))
    assert told.what.startswith(message)
    assert told.found and "\n" not in told.found
    assert told.remedy.startswith("make or download the file again")
    assert told.status == USER_MISTAKE


@pytest.mark.parametrize(
    "mistake", [KeyError("a"), TypeError("b"), RuntimeError("c"), ValueError("d"), BrokenPipeError()]
)
def test_mistakes_of_ours_are_not_explained(mistake):
    assert explained(mistake) is None


def test_a_message_of_ours_stays():
    ours = UserError("what", where="there", status=TRY_AGAIN)
    assert explained(ours) is ours
    from_worker = pickle.loads(pickle.dumps(ours))
    assert (str(from_worker), from_worker.status) == ("there: what", TRY_AGAIN)


def test_a_full_disk_shows_under_the_error_of_a_library():
    """torch.save raises an error of its own."""

    def save() -> None:
        try:
            raise of_system(errno.ENOSPC, None)
        except OSError:
            raise RuntimeError("unexpected pos 64 vs 0") from None

    told = explained(raised(lambda: naming_block("model.bin", save)))
    assert str(told).startswith("model.bin: the disk is full\n  found ")


def naming_block(path: str, act: Callable[[], None]) -> None:
    with naming(path):
        act()


def test_only_errors_of_writing_get_the_name():
    def fail(number: int) -> OSError:
        def act() -> None:
            raise of_system(number, None)

        return raised(lambda: naming_block("out", act))

    assert fail(errno.EFBIG).filename == "out"
    assert fail(errno.ENOENT).filename is None


def test_reading_names_the_file_and_passes_messages_on(tmp_path):
    def read(problem: Exception) -> UserError:
        with pytest.raises(UserError) as told, reading(tmp_path / "a", "not a thing"):
            raise problem
        return told.value

    assert (
        str(read(ValueError("first\nsecond")))
        == f"{tmp_path}/a: not a thing\n  found first\n  make or download the file again"
    )
    assert str(read(of_system(errno.EISDIR, "elsewhere"))).startswith(f"{tmp_path}/a: a folder, where a file is needed")
    assert read(of_system(errno.ESTALE, None)).status == TRY_AGAIN
    assert read(KeyError()).found == "KeyError"
    ours = UserError("of ours")
    assert read(ours) is ours


def test_trouble_with_the_disk_is_told_from_damage():
    assert (
        is_of_disk(of_system(errno.EROFS)) and is_of_disk(of_system(errno.ENOSPC)) and is_of_disk(of_system(errno.EIO))
    )
    assert not is_of_disk(of_system(errno.EINVAL)) and not is_of_disk(ValueError())
