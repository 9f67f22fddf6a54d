"""No two processes hold a GPU at once, whoever they are and however they end."""

import fcntl
import os
import random
import signal
import stat
import subprocess
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

import psutil
import pytest

from docmt.base.errors import UserError
from docmt.base.gpu_locks import GpuLocks
from docmt.base.gpus import Gpu

GPUS = [Gpu(str(number), f"GPU-{number}") for number in range(3)]
FORK = get_context("fork")


@pytest.fixture
def locks(tmp_path) -> GpuLocks:
    return GpuLocks(tmp_path / "locks")


def names(held) -> list[str]:
    return [gpu.name for gpu in held.gpus]


def test_what_one_holds_no_other_gets_until_it_is_released(locks):
    first = locks.take(GPUS, 2)
    second = locks.take(GPUS, 1)
    assert (names(first), names(second)) == (["0", "1"], ["2"])
    assert locks.take(GPUS, 1) is None
    first.release()
    assert names(locks.take(GPUS, 2)) == ["0", "1"]


def test_who_gets_too_few_keeps_none(locks):
    held = locks.take(GPUS, 2)
    assert locks.take(GPUS, 2) is None
    assert names(locks.take(GPUS, 1)) == ["2"]
    held.release()


def test_one_gpu_has_one_lock_whatever_its_name_is(locks):
    held = locks.take(GPUS[:1], 1)
    assert locks.take([Gpu("GPU-0", "GPU-0")], 1) is None
    held.release()


def test_the_order_of_the_caller_is_kept(locks):
    assert names(locks.take(GPUS[::-1], 2)) == ["2", "1"]


def test_a_part_whose_name_is_a_path_has_a_file_in_the_folder(locks):
    assert locks.take([Gpu("MIG", "MIG-GPU-8/../1/0")], 1)
    assert [path.name for path in locks.folder.iterdir()] == ["MIG-GPU-8_.._1_0.lock"]


def test_all_users_may_use_the_folder_and_the_files(locks):
    before = os.umask(0o077)
    try:
        locks = GpuLocks(locks.folder.with_name("others"))
        locks.take(GPUS, 1)
    finally:
        os.umask(before)
    assert stat.S_IMODE(locks.folder.stat().st_mode) == 0o1777
    assert {stat.S_IMODE(path.stat().st_mode) for path in locks.folder.iterdir()} == {0o444}


def test_a_file_that_is_removed_just_before_its_lock_counts_for_nothing(locks, monkeypatch):
    """As a program does that cleans /tmp: the lock of a file that others cannot find would hold nobody off."""
    plain = fcntl.flock

    def remove_and_lock(descriptor: int, kind: int) -> None:
        for path in locks.folder.iterdir():
            path.unlink()
        plain(descriptor, kind)

    monkeypatch.setattr(fcntl, "flock", remove_and_lock)
    assert locks.take(GPUS, 1) is None
    monkeypatch.undo()
    assert names(locks.take(GPUS, 1)) == ["0"]


def take_as(user: int, folder: Path) -> None:
    """As a user whose files are usually their own: the status is 0 where the first GPU is free."""
    os.setresuid(user, user, user)
    os.umask(0o077)
    raise SystemExit(GpuLocks(folder).take(GPUS[:1], 1) is None)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become other users")
def test_users_respect_each_other():
    def status(user: int) -> int:
        process = FORK.Process(target=take_as, args=(user, Path(place) / "locks"))
        process.start()
        process.join(60)
        return process.exitcode

    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o1777)
        assert status(12345) == 0
        held = GpuLocks(Path(place) / "locks").take(GPUS, 1)
        assert status(12346) == 1
        held.release()
        assert status(12346) == 0


def test_while_a_gpu_is_held_systemd_leaves_the_folder_alone(locks):
    """It wants the lock of the folder for itself before it removes old files."""
    ask = ["flock", "--nonblock", locks.folder, "true"]
    held = locks.take(GPUS, 1)
    assert subprocess.run(ask).returncode == 1
    held.release()
    assert subprocess.run(ask).returncode == 0


def test_the_process_that_holds_a_gpu_is_named(locks):
    locks.take(GPUS[1:], 1)
    assert locks.users(GPUS) == {"1": f"process {os.getpid()} of {psutil.Process().username()}"}


def test_a_folder_that_cannot_be_used_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError) as refused:
        GpuLocks(tmp_path / "file").take(GPUS, 1)
    assert str(refused.value) == (
        f"{tmp_path / 'file'}: the locks on GPUs cannot be used\n"
        "  found Not a directory; expected a folder that all users can write to (mode 1777)\n"
        "  set DOCMT_GPU_LOCKS to such a folder, the same for all users"
    )


# --- many processes, some of which are killed


def is_at_work(process: int) -> bool:
    try:
        return psutil.Process(process).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False


def use(folder: Path, seed: int, takes: int) -> None:
    """Take GPUs again and again; a file of each GPU has its process, and `shared` says that two have met on one."""
    draw, locks = random.Random(seed), GpuLocks(folder / "locks")
    for _ in range(takes):
        while (held := locks.take(GPUS, draw.randint(1, 2))) is None:
            time.sleep(draw.uniform(0, 0.002))
        marks = [folder / gpu.name for gpu in held.gpus]
        for mark in marks:
            before = mark.read_text() if mark.exists() else ""
            if before and is_at_work(int(before)):
                (folder / "shared").touch()
            mark.write_text(str(os.getpid()))
        time.sleep(draw.uniform(0, 0.004))
        for mark in marks:
            mark.write_text("")
        held.release()


def test_processes_at_once_never_share_a_gpu_and_leave_no_lock(tmp_path):
    """Half of them go on until they are killed."""
    takes = [60, 1_000_000] * 3
    processes = [FORK.Process(target=use, args=(tmp_path, *numbers)) for numbers in enumerate(takes)]
    for process in processes:
        process.start()
    for process in processes[1::2]:
        time.sleep(0.05)
        process.kill()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, -signal.SIGKILL] * 3
    assert not (tmp_path / "shared").exists()
    assert names(GpuLocks(tmp_path / "locks").take(GPUS, 3)) == ["0", "1", "2"]
