"""A training that was stopped, anyhow and anywhere, ends in the weights of one that was not."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from support import ROOT
from toy_task import Folder, Notes, make_folder

from docmt.core.errors import UserError
from docmt.training import checkpoint


class Killed(BaseException):
    """Ends a training at once, as no handler expects."""


def kill_at(update: int) -> Notes:
    def kill(step) -> None:
        if step.update == update:
            raise Killed

    return Notes(each=kill)


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> Folder:
    """A training that was never stopped; its checkpoint rule averages, so that kept weights matter."""
    folder = make_folder(tmp_path_factory.mktemp("reference") / "run").changed(checkpoint="average", average=2)
    assert folder.train()
    return folder


@pytest.fixture
def folder(tmp_path) -> Folder:
    return make_folder(tmp_path / "run").changed(checkpoint="average", average=2)


def dev_lines(folder: Folder) -> list[dict]:
    return [line for line in folder.metrics() if line["kind"] == "dev"]


@pytest.mark.parametrize("update", [1, 4, 8, 12])
def test_a_killed_training_goes_on_to_the_same_weights(reference, folder, update):
    with pytest.raises(Killed):
        folder.train(kill_at(update))
    notes = Notes()
    assert folder.train(notes)
    assert folder.weights() == reference.weights()
    assert dev_lines(folder) == dev_lines(reference)
    saved = (update - 1) // 3 * 3
    assert notes.steps[0].update == saved + 1
    assert notes.said(f"checkpoint of update {saved}") == (saved > 0)


def test_killed_again_and_again(reference, folder):
    for update in (2, 4, 5, 7, 10, 11):
        with pytest.raises(Killed):
            folder.train(kill_at(update))
    assert folder.train()
    assert folder.weights() == reference.weights()
    assert folder.record()["updates"] == 12
    assert [line["update"] for line in dev_lines(folder)] == [4, 8, 12]


@pytest.mark.parametrize("written", ["checkpoint", "weights"])
def test_killed_while_a_file_of_the_state_is_written(reference, folder, monkeypatch, written):
    save, count = torch.save, 0

    def cut_short(payload, stream) -> None:
        nonlocal count
        is_checkpoint = "optimiser" in payload
        count += is_checkpoint == (written == "checkpoint")
        save(payload, stream)
        if count == 2:
            stream.truncate(stream.tell() // 2)
            stream.flush()
            raise Killed

    monkeypatch.setattr(checkpoint.torch, "save", cut_short)
    with pytest.raises(Killed):
        folder.train()
    monkeypatch.undo()
    assert any(file.name.endswith(".part") for file in folder.paths.state.iterdir())
    assert folder.train()
    assert folder.weights() == reference.weights()


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_a_damaged_checkpoint_is_skipped_for_the_one_before(reference, folder, damage):
    with pytest.raises(Killed):
        folder.train(kill_at(11))
    older, newer = sorted(folder.paths.state.glob("checkpoint-*.pt"))
    content = bytearray(newer.read_bytes())
    content[len(content) // 2] ^= 1
    newer.write_bytes(content[: len(content) // 3] if damage == "cut" else content)
    notes = Notes()
    assert folder.train(notes)
    assert notes.said(f"{newer.name} is damaged")
    assert notes.said("checkpoint of update 6")
    assert notes.steps[0].update == 7
    assert folder.weights() == reference.weights()
    assert older.name.startswith("checkpoint-000000006")


def test_a_checkpoint_whose_kept_weights_are_damaged_is_skipped(reference, folder):
    with pytest.raises(Killed):
        folder.train(kill_at(11))
    max(folder.paths.state.glob("weights-000000008*")).write_bytes(b"damaged")
    notes = Notes()
    assert folder.train(notes)
    assert notes.said("weights that it names are damaged")
    assert notes.steps[0].update == 7
    assert folder.weights() == reference.weights()


def test_weights_damaged_at_the_very_end_are_no_model(folder):
    state = checkpoint.StateFolder(folder.paths.state, print)
    name = state.save_weights(4, {"a": torch.zeros(2)})
    assert state.load_weights(name)["a"].tolist() == [0.0, 0.0]
    (folder.paths.state / name).write_bytes(b"damaged")
    with pytest.raises(UserError, match="weights kept at a validation are missing or damaged"):
        state.load_weights(name)


def test_only_two_checkpoints_and_the_weights_that_they_need_are_kept(folder):
    long = folder.changed(max_updates=16, validate_every_updates=2)
    with pytest.raises(Killed):
        long.train(kill_at(16))
    names = sorted(file.name.split("-")[0] + file.name.split("-")[1][-3:] for file in long.paths.state.glob("*.pt"))
    assert names == ["checkpoint012", "checkpoint015", "weights010", "weights012", "weights014"]


def test_sigterm_writes_a_checkpoint_after_the_present_update(reference, folder):
    before = signal.getsignal(signal.SIGTERM)
    notes = Notes(each=lambda step: os.kill(os.getpid(), signal.SIGTERM) if step.update == 5 else None)
    assert not folder.train(notes)
    assert signal.getsignal(signal.SIGTERM) is before
    assert notes.said("asked to stop: checkpoint of update 5 written")
    assert not folder.paths.output.joinpath("model").exists()
    resumed = Notes()
    assert folder.train(resumed)
    assert resumed.steps[0].update == 6
    assert folder.weights() == reference.weights()


def test_wall_time_adds_up_over_runs(folder):
    with pytest.raises(Killed):
        folder.train(kill_at(7))
    payload = checkpoint.StateFolder(folder.paths.state, print).newest()
    assert folder.train()
    assert folder.record()["wall_s"] > payload["status"]["wall_s"] > 0


def test_another_number_of_threads_is_refused(folder):
    with pytest.raises(Killed):
        folder.train(kill_at(7))
    files = sorted(file.name for file in folder.paths.state.iterdir())
    try:
        with pytest.raises(UserError) as problem:
            folder.train(threads=2)
    finally:
        torch.set_num_threads(1)
    assert "found --threads 2; expected --threads 1" in str(problem.value)
    assert "delete the state folder" in str(problem.value)
    assert sorted(file.name for file in folder.paths.state.iterdir()) == files


def test_other_settings_train_anew_and_say_so(folder):
    with pytest.raises(Killed):
        folder.train(kill_at(7))
    notes = Notes()
    other = folder.changed(lr=1e-3)
    assert other.train(notes)
    assert notes.said("settings.train.lr changed")
    assert notes.steps[0].update == 1


def test_other_inputs_train_anew_and_say_so(folder):
    with pytest.raises(Killed):
        folder.train(kill_at(7))
    train = folder.paths.view / "train.arrow"
    train.write_bytes((folder.paths.view / "dev.arrow").read_bytes())
    notes = Notes()
    assert folder.train(notes)
    assert notes.said("inputs.view/train.arrow changed")
    assert notes.steps[0].update == 1


def test_a_finished_training_leaves_no_state_and_trains_again_from_the_start(folder):
    assert folder.train()
    assert not folder.paths.state.exists()
    first = folder.weights()
    notes = Notes()
    assert folder.train(notes)
    assert [step.update for step in notes.steps] == list(range(1, 13))
    assert folder.weights() == first


def test_a_folder_of_other_things_is_no_state(folder):
    folder.paths.state.mkdir()
    (folder.paths.state / "thesis.tex").write_text("precious", encoding="utf-8")
    with pytest.raises(UserError, match="the state folder holds something else") as problem:
        folder.train()
    assert "thesis.tex" in str(problem.value)
    assert (folder.paths.state / "thesis.tex").exists()


def start_command(folder: Folder) -> subprocess.Popen:
    """The real `docmt train`."""
    paths = folder.paths
    named = {name: getattr(paths, name) for name in ("settings", "view", "text", "output", "state")}
    options = [part for name, path in named.items() for part in (f"--{name}", str(path))]
    command = [sys.executable, "-c", "from docmt.cli.main import main; main()", "train", *options]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [*command, "--threads", "1", "--device", "cpu"], env=environment, stderr=subprocess.PIPE, text=True
    )


def signal_after_checkpoint(folder: Folder, number: int) -> tuple[int, str, int]:
    """Run the command, send a signal as soon as there is a new checkpoint; its status, what it said, the update."""
    seen = set(folder.paths.state.glob("checkpoint-*.pt"))
    process = start_command(folder)
    while process.poll() is None and not set(folder.paths.state.glob("checkpoint-*.pt")) - seen:
        time.sleep(0.001)
    process.send_signal(number)
    _, said = process.communicate(timeout=120)
    newest = max((file.name for file in folder.paths.state.glob("checkpoint-*.pt")), default="-0-")
    return process.returncode, said, int(newest.split("-")[1])


def test_the_command_survives_sigterm_and_kill_minus_9(tmp_path):
    folder = make_folder(tmp_path / "run").changed(max_updates=30, save_every_updates=5, validate_every_updates=15)
    assert folder.train()
    expected = folder.weights()
    (folder.paths.output / "model" / "model.safetensors").unlink()

    status, said, update = signal_after_checkpoint(folder, signal.SIGTERM)
    assert status == 75, said
    assert 0 < update < 30
    assert f"checkpoint of update {update} written" in said

    status, said, later = signal_after_checkpoint(folder, signal.SIGKILL)
    assert status == -signal.SIGKILL, said
    assert f"resuming from the checkpoint of update {update}" in said
    assert later > update

    process = start_command(folder)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert folder.weights() == expected
    assert not Path(folder.paths.state).exists()
    assert json.loads((folder.paths.output / "record.json").read_text())["updates"] == 30
