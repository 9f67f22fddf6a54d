"""Jobs of this machine take GPUs that no other job has; one that has to wait says so, and ends when it is asked to."""

import os
import random
import signal
import subprocess
import sys
import time
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from helpers.planted_gpus import new_machine, plant_gpus
from helpers.support import environment
from helpers.toy_task import Folder, make_folder

from docmt.base.errors import UserError
from docmt.base.gpus import VISIBLE, Gpu, visible_gpus
from docmt.base.recipe import JOB
from docmt.supervision import gpus
from docmt.supervision.gpus import ON_CLUSTER, Locks, lock_gpus, release, take_gpus
from docmt.supervision.stop import StopRequest


@pytest.fixture
def three(tmp_path, monkeypatch) -> None:
    """A machine with three GPUs, whose variables of GPUs are restored at the end."""
    plant_gpus(tmp_path / "machine", 3, monkeypatch, new_machine())
    for name in (VISIBLE, "CUDA_DEVICE_ORDER"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


@pytest.fixture
def folder(tmp_path) -> Folder:
    return make_folder(tmp_path / "run")


@pytest.fixture
def others(three) -> Locks:
    """All GPUs, which another job has."""
    return lock_gpus(visible_gpus(), 3)


def free() -> list[str]:
    """The names of the GPUs that no job has."""
    names = []
    for gpu in visible_gpus():
        if held := lock_gpus([gpu], 1):
            names.append(gpu.name)
            release(held)
    return names


def test_a_job_sees_only_its_own_gpus(three, capsys):
    descriptors = take_gpus("auto", 2)
    assert (os.environ[VISIBLE], os.environ["CUDA_DEVICE_ORDER"]) == ("0,1", "PCI_BUS_ID")
    assert capsys.readouterr().err == "docmt: computes on GPU 0, 1\n"
    assert free() == []  # in what this process may use now
    os.environ.pop(VISIBLE)
    assert free() == ["2"]
    for descriptor in descriptors:
        os.close(descriptor)
    assert free() == ["0", "1", "2"]


def names(held: Locks | None) -> list[str]:
    return [] if held is None else [gpu.name for gpu in held]


def test_what_one_holds_no_other_gets_until_it_is_released(three):
    gpus = visible_gpus()
    first = lock_gpus(gpus, 2)
    assert names(lock_gpus(gpus, 2)) == []  # and the third one stays free
    second = lock_gpus(gpus[::-1], 1)
    assert (names(first), names(second)) == (["0", "1"], ["2"])
    assert lock_gpus([Gpu("another name", gpus[0].key)], 1) is None
    release(first)
    assert names(lock_gpus(gpus[::-1], 2)) == ["1", "0"]


def ends(process: int, seconds: float = 10) -> bool:
    """Whether a process that was killed is gone soon: the system frees what it held a moment before."""
    limit = time.monotonic() + seconds
    while psutil.pid_exists(process) and psutil.Process(process).status() != "zombie":
        if time.monotonic() > limit:
            return False
        time.sleep(0.01)
    return True


def use(folder: Path, gpus: list[Gpu], seed: int, takes: int) -> None:
    """Take GPUs again and again; a file of each GPU has its process, and `shared` says that two have met on one."""
    draw = random.Random(seed)
    for _ in range(takes):
        while (held := lock_gpus(gpus, draw.randint(1, 2))) is None:
            time.sleep(draw.uniform(0, 0.002))
        marks = [folder / gpu.name for gpu in held]
        for mark in marks:
            before = mark.read_text() if mark.exists() else ""
            if before and not ends(int(before)):
                (folder / "shared").touch()
            mark.write_text(str(os.getpid()))
        for mark in marks:
            mark.write_text("")
        release(held)


def test_processes_at_once_never_share_a_gpu_and_leave_no_lock(three, tmp_path):
    """Half of them go on until they are killed."""
    fork, gpus = get_context("fork"), visible_gpus()
    takes = [60, 1_000_000] * 3
    processes = [fork.Process(target=use, args=(tmp_path, gpus, *numbers)) for numbers in enumerate(takes)]
    for process in processes:
        process.start()
    for process in processes[1::2]:
        time.sleep(0.05)
        process.kill()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, -signal.SIGKILL] * 3
    assert not (tmp_path / "shared").exists()
    assert free() == ["0", "1", "2"]


def test_a_limit_of_the_user_is_kept_with_its_names(three, monkeypatch):
    monkeypatch.setenv(VISIBLE, "2,GPU-10aa")
    take_gpus("cuda")
    assert os.environ[VISIBLE] == "2"
    monkeypatch.setenv(VISIBLE, "2,GPU-10aa")
    take_gpus("cuda")
    assert os.environ[VISIBLE] == "GPU-10aa"


@pytest.mark.parametrize(
    ("device", "variables"),
    [("cpu", {}), ("auto", {ON_CLUSTER: "1"}), ("auto", {"RANK": "0"}), ("auto", {VISIBLE: ""})],
    ids=["cpu", "cluster", "rank", "no GPU"],
)
def test_jobs_that_need_none_take_none(others, monkeypatch, device, variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert take_gpus(device) == ()
    assert os.environ.get(VISIBLE) == variables.get(VISIBLE)


@pytest.mark.parametrize(
    ("limit", "where", "counts"),
    [(None, "--ranks", "4 ranks, 3 GPUs (0, 1, 2)"), ("2,1", VISIBLE, "4 ranks, 2 GPUs (2, 1)")],
)
def test_more_than_there_can_ever_be_are_refused_at_once(others, monkeypatch, limit, where, counts):
    if limit:
        monkeypatch.setenv(VISIBLE, limit)
    with pytest.raises(UserError) as refused:
        take_gpus("auto", 4)
    assert refused.value.status == 2
    assert str(refused.value) == (
        f"{where}: each process of a training needs a GPU of its own\n"
        f"  found {counts}\n"
        "  take fewer ranks (`gpu` of the workflow), or --device cpu"
    )


def test_a_job_waits_until_enough_gpus_are_free(others, capsys, monkeypatch):
    waits = iter([False, False, True])
    monkeypatch.setattr(gpus, "time", SimpleNamespace(sleep=lambda _: next(waits) and release(others), monotonic=int))
    with StopRequest() as stop:
        descriptors = take_gpus("auto", 2, stop)
    assert capsys.readouterr().err.splitlines() == [
        "docmt: waits for 2 of 3 GPUs, which are in use",
        "docmt: computes on GPU 0, 1",
    ]
    for descriptor in descriptors:
        os.close(descriptor)


# --- processes


def training(folder: Folder, *options: str) -> subprocess.Popen:
    """A training with two ranks, which torch alone could tell that there is no GPU."""
    command = [sys.executable, "-m", "docmt.cli.main", *folder.command(), "--ranks", "2", "--device", "auto", *options]
    return subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True)


def end_of_wait(folder: Folder, job: subprocess.Popen, number: signal.Signals | None = None) -> str:
    """Wait until a training has logged that it waits, and signal it; return what it logs then. Its status is 75."""
    while not folder.log(1).endswith("\n"):
        assert job.poll() is None, job.stderr.read()
        time.sleep(0.01)
    assert folder.log(1).splitlines()[0] == "docmt: waits for 2 of 3 GPUs, which are in use"
    if number:
        job.send_signal(number)
    job.communicate(timeout=60)
    assert job.returncode == 75, folder.log(1)
    return folder.log(1).split("\n", 1)[1]


ENDED = "docmt: {} ended the wait of this job for a GPU\n  found nothing was changed\n  run again\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_signal_ends_the_wait(others, folder, number):
    assert end_of_wait(folder, training(folder), number) == ENDED.format(number.name)
    assert {path.name for path in folder.paths.output.iterdir()} == {JOB, "log.1.txt"}


def test_the_deadline_ends_the_wait(others, folder):
    job = training(folder, "--deadline-minutes", "0.01")
    assert end_of_wait(folder, job) == ENDED.format("the deadline")


def launched(command: list[str]) -> tuple[psutil.Process, list[psutil.Process]]:
    """A launcher and its two ranks, each of which has said what it sees."""
    launcher = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)
    assert [launcher.stdout.readline() for _ in range(2)] == ["0,1\n"] * 2
    process = psutil.Process(launcher.pid)
    return process, process.children()


def test_ranks_hold_the_gpus_until_the_last_of_them_has_ended(three):
    launcher, ranks = launched([sys.executable, "-c", RANKS])
    assert free() == ["2"]
    for rank in ranks:
        rank.suspend()  # so that it ends later than its launcher, which takes it along
    ranks[0].kill()
    assert free() == ["2"]
    launcher.kill()
    psutil.wait_procs([launcher, *ranks], timeout=60)
    assert free() == ["0", "1", "2"]


RANKS = """
import os, time
from docmt.supervision import gpus
from docmt.supervision.gpus import take_gpus
from docmt.supervision.launch import launch
from docmt.supervision.stop import StopRequest

with StopRequest() as stop:
    if "RANK" in os.environ:
        os.write(1, os.environ["CUDA_VISIBLE_DEVICES"].encode() + bytes([10]))
        time.sleep(600)
    launch(2, stop, inherited=take_gpus("auto", 2, stop))
"""


@pytest.mark.slow
def test_trainings_at_once_compute_on_gpus_of_their_own(three, tmp_path):
    """Three of two ranks each have three GPUs: one after another, and each comes to its end."""
    folders = [make_folder(tmp_path / str(number)) for number in range(3)]
    jobs = [training(folder, "--threads", "1") for folder in folders]
    assert [job.wait(timeout=600) for job in jobs] == [0, 0, 0]
    said = [folder.log(1) for folder in folders]
    assert all("docmt: computes on GPU " in text for text in said)
    assert sum("docmt: waits for 2 of 3 GPUs" in text for text in said) >= 1
    assert free() == ["0", "1", "2"]
