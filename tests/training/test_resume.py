"""A training that was stopped, anyhow and anywhere, ends in the weights of one that was not."""

import os
import signal
import threading

import pytest
import torch
from helpers.toy_task import Folder, Notes, make_folder

from docmt.base.errors import UserError
from docmt.training import checkpoint, progress


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
    folder = make_folder(tmp_path_factory.mktemp("reference") / "run").changed(
        checkpoint="average", average=2, validate_start=True
    )
    assert folder.train()
    return folder


@pytest.fixture
def folder(tmp_path) -> Folder:
    return make_folder(tmp_path / "run").changed(checkpoint="average", average=2, validate_start=True)


TIMES = ("source_words_per_s", "source_tokens_per_s", "target_tokens_per_s", "wall_s", "device_hours", "memory_mib")


def rows(folder: Folder) -> list[dict]:
    """The lines of metrics.jsonl without what is measured, which no two runs have in common."""
    return [{name: value for name, value in line.items() if name not in TIMES} for line in folder.metrics()]


@pytest.mark.some(1)
@pytest.mark.parametrize("kills", [[1], [4], [12], [2, 4, 5, 7, 10, 11]])
def test_a_killed_training_goes_on_to_the_same_weights_and_rows(reference, folder, kills):
    """A line every four updates here, which no checkpoint but the last of 3, 6, 9 and 12 is in step with."""
    for update in kills:
        with pytest.raises(Killed):
            folder.train(kill_at(update))
    notes = Notes()
    assert folder.train(notes)
    assert folder.weights() == reference.weights()
    assert rows(folder) == rows(reference)
    saved = (kills[-1] - 1) // 3 * 3
    assert notes.steps[0].update == saved + 1
    assert notes.said(f"checkpoint of update {saved}") == (saved > 0)


@pytest.mark.some(1)
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
    (folder.paths.state / ".checkpoint.part").touch()  # as a kill leaves it
    assert folder.train()
    assert folder.weights() == reference.weights()


def test_a_damaged_checkpoint_is_skipped_for_the_one_before(reference, folder):
    with pytest.raises(Killed):
        folder.train(kill_at(11))
    newer = max(folder.paths.state.glob("checkpoint-*.pt"))
    content = bytearray(newer.read_bytes())
    content[len(content) // 2] ^= 1
    newer.write_bytes(content)
    notes = Notes()
    assert folder.train(notes)
    assert notes.said(f"{newer.name} is damaged")
    assert notes.said("checkpoint of update 6")
    assert notes.steps[0].update == 7
    assert folder.weights() == reference.weights()


@pytest.mark.slow
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
    state = checkpoint.StateFolder(folder.paths.state, print, {})
    name = state.save_weights(4, {"a": torch.zeros(2)})
    assert state.read(name)["a"].tolist() == [0.0, 0.0]
    (folder.paths.state / name).write_bytes(b"damaged")
    with pytest.raises(UserError, match="a file that the training saved is missing or damaged"):
        state.read(name)


def test_a_file_of_the_first_rank_that_appears_late_is_waited_for(tmp_path, monkeypatch):
    """As on a network file system, which shows a new file late to other nodes."""
    monkeypatch.setattr(checkpoint, "LOOK_S", 0.01)
    state = checkpoint.StateFolder(tmp_path / "state", print, {})
    name = state.save_weights(3, {"a": torch.ones(2)})
    hidden = (state.folder / name).rename(tmp_path / "hidden")
    threading.Timer(0.2, lambda: hidden.rename(state.folder / name)).start()
    assert state.read(name, patience_s=60)["a"].tolist() == [1.0, 1.0]


@pytest.mark.slow
def test_where_no_checkpoint_is_whole_training_starts_from_the_beginning(reference, folder):
    with pytest.raises(Killed):
        folder.train(kill_at(8))
    for file in folder.paths.state.glob("checkpoint-*.pt"):
        file.write_bytes(file.read_bytes()[:-1])
    notes = Notes()
    assert folder.train(notes)
    assert sum("is damaged and is skipped" in line for line in notes.lines) == 2
    assert notes.said("no checkpoint is whole: training starts from the beginning")
    assert notes.steps[0].update == 1
    assert folder.weights() == reference.weights()


def test_as_many_checkpoints_are_kept_as_the_job_is_told(folder):
    long = folder.changed(max_updates=16)
    with pytest.raises(Killed):
        long.train(kill_at(16), checkpoints=4)
    updates = [int(file.name.split("-")[1]) for file in sorted(long.paths.state.glob("checkpoint-*.pt"))]
    assert updates == [6, 9, 12, 15]


def test_checkpoints_are_written_by_minutes_too(folder):
    with pytest.raises(Killed):
        folder.changed(save_every_updates=100).train(kill_at(6), save_minutes=0)
    updates = [int(file.name.split("-")[1]) for file in sorted(folder.paths.state.glob("checkpoint-*.pt"))]
    assert updates == [4, 5]


def test_only_two_checkpoints_and_the_weights_that_they_need_are_kept(folder):
    long = folder.changed(max_updates=16, validate_every_updates=2)
    with pytest.raises(Killed):
        long.train(kill_at(16))
    names = sorted(file.name.split("-")[0] + file.name.split("-")[1][-3:] for file in long.paths.state.glob("*.pt"))
    assert names == ["checkpoint012", "checkpoint015", "weights010", "weights012", "weights014"]


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
    with pytest.raises(UserError, match="the folder for checkpoints has other files") as problem:
        folder.train()
    assert "thesis.tex" in str(problem.value)
    assert [file.name for file in folder.paths.state.iterdir()] == ["thesis.tex"]


@pytest.mark.some(1)
@pytest.mark.parametrize(("every", "save_minutes"), [(1, 30), (5, 0)])
def test_rows_are_the_same_wherever_checkpoints_are(tmp_path, monkeypatch, every, save_minutes):
    """With minutes 0, a checkpoint stands between each update and its validation, too."""
    monkeypatch.setattr(progress, "EVERY_UPDATES", every)
    number_event_files(monkeypatch)
    curves = []
    for name, stops in (("stopped", range(1, 12)), ("whole", ())):
        folder = make_folder(tmp_path / name).changed(save_every_updates=100)
        for _ in stops:
            in_order = Notes(each=lambda step: os.kill(os.getpid(), signal.SIGTERM))
            assert not folder.train(in_order, save_minutes=save_minutes)
        assert folder.train()
        curves.append((rows(folder), scalars(folder)))
    assert curves[0] == curves[1]


def number_event_files(monkeypatch) -> None:
    """TensorBoard reads files by name: of those of one process and second the tenth would come before the second."""
    writer = pytest.importorskip("tensorboard.summary.writer.event_file_writer")
    monkeypatch.setattr(writer, "_global_uid", writer.AtomicCounter(1000))


def test_rates_are_over_all_of_a_row(folder):
    """Tokens a second of a row that two processes made count the seconds of both."""
    steps = []
    first = Notes(each=lambda step: steps.append(step) or (step.update == 6 and os.kill(os.getpid(), signal.SIGTERM)))
    assert not folder.train(first)
    assert folder.train(Notes(each=steps.append))
    (row,) = [line for line in folder.metrics() if line["kind"] == "train" and line["update"] == 8]
    tokens, seconds = (sum(getattr(step, name) for step in steps[4:8]) for name in ("target_tokens", "seconds"))
    assert row["target_tokens_per_s"] == pytest.approx(tokens / seconds)


def scalars(folder: Folder) -> dict[str, list[tuple[int, float]]]:
    """What TensorBoard shows of losses."""
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder.paths.output / "tensorboard"))
    events.Reload()
    return {name: [(event.step, event.value) for event in events.Scalars(name)] for name in ("train/loss", "dev/loss")}
