"""What ends a training before its time says so, each in its own words, and loses nothing that was saved."""

import errno
import gc
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from helpers.toy_task import Folder, Notes, make_folder

from docmt.models.transformer import Transformer
from docmt.supervision.exit import Failure, Reason, read_exit
from docmt.training import checkpoint, loop
from docmt.training.optimiser import check_weights


def at(update: int, act: Callable[[], object]) -> Notes:
    """Acts when the update is over."""
    return Notes(each=lambda step: act() if step.update == update else None)


def raising(problem: Exception) -> Callable[[], None]:
    def act() -> None:
        raise problem

    return act


def fails(folder: Folder, notes: Notes | None = None, **options: object) -> Failure:
    with pytest.raises(Failure) as problem:
        folder.train(notes, **options)
    return problem.value


def saved(folder: Folder) -> list[int]:
    return [int(file.name.split("-")[1]) for file in sorted(folder.paths.state.glob("checkpoint-*.pt"))]


def check_record(folder: Folder, problem: Exception, reason: Reason, update: int) -> None:
    ending = read_exit(folder.paths.state)
    assert (ending.reason, ending.status, ending.update) == (reason, 2, update)
    assert ending.message == str(problem)


def goes_on(folder: Folder, after: int) -> None:
    notes = Notes()
    assert folder.train(notes)
    assert notes.steps[0].update == after + 1


def interrupt(folder: Folder, update: int = 7, **options: object) -> None:
    """Stop it in good order."""
    assert not folder.train(at(update, lambda: os.kill(os.getpid(), signal.SIGTERM)), **options)


# --- out of memory


def ask_for_too_much() -> None:
    torch.empty(10**15)


EXHAUSTED = {
    "CUDA": raising(torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.\nMore.")),
    "cuBLAS": raising(RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`")),
    "CPU": ask_for_too_much,
}


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", EXHAUSTED)
def test_out_of_memory_names_the_batch_and_the_setting_to_lower(folder, monkeypatch, kind):
    plain, armed = Transformer.decode, []

    def decode(self, *arguments):
        if armed and self.training:
            EXHAUSTED[kind]()
        return plain(self, *arguments)

    monkeypatch.setattr(Transformer, "decode", decode)
    problem = fails(folder, at(7, lambda: armed.append(True)))
    said = str(problem)
    assert said.startswith("update 8: out of memory\n")
    assert "a batch of" in said and "source and" in said and "the longest instances of" in said
    assert "batches of half the size; where train.batch_tokens is stated, lower it" in said
    assert "the checkpoint of update 6 stays" in said
    assert len(said.splitlines()) == 3
    assert saved(folder) == [3, 6]
    check_record(folder, problem, Reason.OUT_OF_MEMORY, 7)


def test_with_a_lower_batch_it_goes_on_from_the_checkpoint(folder):
    fails(folder, at(7, raising(MemoryError())))
    notes = Notes()
    assert folder.changed(batch_tokens=40).train(notes)
    assert notes.said("train.batch_tokens was 70, is 40")
    assert notes.steps[0].update == 7


# --- not finite


def test_a_gradient_that_is_not_finite_stops_before_the_step(reference, folder, monkeypatch):
    plain, armed = loop.clip_gradients, []
    monkeypatch.setattr(loop, "clip_gradients", lambda *args: float("nan") if armed else plain(*args))
    problem = fails(folder, at(10, lambda: armed.append(True)))
    assert str(problem).startswith("update 11: the gradient is not finite")
    assert "the checkpoint of update 9 stays" in str(problem)
    check_record(folder, problem, Reason.NOT_FINITE, 10)
    monkeypatch.undo()
    goes_on(folder, after=9)
    assert folder.weights() == reference.weights()


def test_a_loss_that_is_not_finite_stops_and_keeps_the_checkpoint(folder):
    other = folder.changed({"norm": "pre"}, schedule="constant", lr=1e25, save_every_updates=1, max_updates=50)
    problem = fails(other)
    assert "is not finite" in str(problem)
    assert "lr 1e+25" in str(problem)
    assert "lower train.lr" in str(problem)
    assert f"the checkpoint of update {saved(other)[-1]} stays" in str(problem)
    assert not (other.paths.output / "model").exists()


def test_weights_that_are_not_finite_get_into_no_checkpoint():
    weights = {"good": torch.zeros(2), "bad": torch.tensor([1.0, float("inf")])}
    with pytest.raises(Failure, match="update 5: the step is not finite") as problem:
        check_weights(5, weights, "there is no checkpoint yet")
    assert "weights that are not finite: bad" in str(problem.value)


# --- other settings


def other_inputs(folder: Folder) -> Folder:
    shutil.copy(folder.paths.view / "dev.arrow", folder.paths.view / "train.arrow")
    return folder


def test_the_state_of_other_inputs_is_refused_by_the_name_of_what_differs(folder):
    """Their identity is the same where other machines made other bytes of them."""
    interrupt(folder)
    files = {file.name: file.read_bytes() for file in folder.paths.state.iterdir() if file.name != "exit.json"}
    problem = fails(other_inputs(folder))
    assert "the state belongs to another run: inputs.view/train.arrow changed" in str(problem)
    check_record(folder, problem, Reason.OTHER_RUN, 0)
    assert {file.name: file.read_bytes() for file in folder.paths.state.iterdir() if file.name != "exit.json"} == files


def test_other_settings_have_another_folder_and_leave_the_state_as_it_is(reference, folder):
    interrupt(folder)
    other = folder.changed(lr=1e-3, max_updates=1)
    assert other.paths.output != folder.paths.output
    assert other.train()
    goes_on(folder, after=7)
    assert folder.weights() == reference.weights()


HOW = {
    "threads": (2, "found threads 1; expected threads 2"),
    "compiled": (True, "found compiled False; expected compiled True"),
}


@pytest.mark.some(1)
@pytest.mark.parametrize("name", HOW)
def test_a_state_is_refused_to_a_job_that_computes_otherwise(folder, name):
    interrupt(folder)
    value, both = HOW[name]
    try:
        said = str(fails(folder, **{name: value}))
    finally:
        torch.set_num_threads(1)
    assert f"{name} changed" in said and both in said
    assert saved(folder) == [6, 7]


def test_a_checkpoint_carried_into_another_run_is_not_loaded(folder, tmp_path):
    interrupt(folder)
    strange = max(folder.paths.state.glob("checkpoint-*.pt"))
    other = make_folder(tmp_path / "other").changed(lr=1e-3)
    interrupt(other, 2)
    shutil.copy(strange, other.paths.state)
    said = str(fails(other))
    assert strange.name in said and "settings.train.lr changed" in said
    assert saved(other) == [2, 7]


# --- full disk


def no_space(payload: object, stream: object) -> None:
    stream.write(b"the beginning")
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_named_with_what_is_needed(reference, folder, monkeypatch):
    problem = fails(folder, at(9, lambda: monkeypatch.setattr(checkpoint.torch, "save", no_space)))
    said = str(problem)
    assert "checkpoint-000000009" in said and "the disk is full" in said
    assert "MB free" in said and "expected 0." in said
    assert saved(folder) == [3, 6]
    assert not list(folder.paths.state.glob(".*.part"))
    check_record(folder, problem, Reason.DISK_FULL, 9)
    monkeypatch.undo()
    goes_on(folder, after=6)
    assert folder.weights() == reference.weights()


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """A file system of 4 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"needs leave to mount a tmpfs: {mounted.stderr.decode().strip()}")
    yield disk
    gc.collect()  # trainings that have ended, and the files that they have mapped
    subprocess.run(["umount", str(disk)], check=True)


def fill(disk: Path, left: int) -> None:
    """Leaves so many bytes, to the page."""
    with (disk / "filler").open("wb") as stream:
        stream.write(bytes(shutil.disk_usage(disk).free - left))


class FullAtTheEnd(Notes):
    """Fills the disk when training ends, before the outputs are written."""

    def __init__(self, disk: Path) -> None:
        super().__init__()
        self._disk = disk

    def note(self, text: str) -> None:
        if text.startswith("training ends"):
            fill(self._disk, 20_000)


FULL = {
    "checkpoint-000000009": lambda disk: at(9, lambda: fill(disk, 20_000)),
    "weights-000000012": lambda disk: at(12, lambda: fill(disk, 20_000)),
    "output": FullAtTheEnd,
}


@pytest.mark.some(1)
@pytest.mark.parametrize("named", FULL)
def test_a_disk_that_fills_up_loses_nothing(reference, small_disk, named):
    folder = make_folder(small_disk / "run")
    problem = fails(folder, FULL[named](small_disk))
    first, *_ = str(problem).splitlines()
    place = Path(first.split(":")[0])
    assert place == folder.paths.output if named == "output" else named in place.name
    assert first.endswith("the disk is full")
    assert "MB free" in str(problem) and "nothing that was saved is lost" in str(problem)
    before = saved(folder)
    assert len(before) == 2
    (small_disk / "filler").unlink()
    notes = Notes()
    assert folder.train(notes)
    assert [step.update for step in notes.steps] == list(range(before[-1] + 1, 13))
    assert folder.weights() == reference.weights()


# --- the record of the end


def test_a_training_that_begins_forgets_how_the_one_before_ended(folder):
    assert folder.train()
    assert read_exit(folder.paths.output).reason is Reason.FINISHED
    with pytest.raises(ZeroDivisionError):
        folder.train(at(5, lambda: 1 / 0))
    assert read_exit(folder.paths.output) is None
    seen = []
    assert folder.train(at(6, lambda: seen.append(read_exit(folder.paths.state))))
    assert seen == [None]
