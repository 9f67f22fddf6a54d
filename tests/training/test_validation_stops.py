"""A validation is a work of its own: training stops before it, within it or after it, and goes on as if it had not."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator

import pytest
import torch
from helpers.toy_task import Folder, Notes, make_folder, open_score

from docmt.supervision.exit import Reason
from docmt.supervision.watch import Watch
from docmt.training.checkpoint import StateFolder
from docmt.training.loop import Training
from docmt.training.status import Status
from docmt.training.task import prepare, read_settings

RULES = {"select_by": "bleu", "checkpoint": "average_best", "average": 2, "batch_tokens": 30}
"""Four batches of dev for its losses, and three for its translations."""
LOSSES, BLEU = range(4), range(4, 7)
UPDATES = range(1, 13)


class Killed(BaseException):
    """Ends a training at once, as no handler expects."""


def kill() -> None:
    raise Killed


def terminate() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.fixture
def folder(tmp_path) -> Folder:
    return make_folder(tmp_path / "run").changed(**RULES)


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> Folder:
    """A training that was never stopped; validations after updates 4, 8 and 12."""
    folder = make_folder(tmp_path_factory.mktemp("reference") / "run").changed(**RULES)
    assert folder.train()
    return folder


@pytest.fixture
def during(monkeypatch) -> Iterator[Callable[[int, int, Callable], None]]:
    """Makes the next training act as it comes to a batch of the validation after an update, counted from 0."""
    plain, planted, updates = Watch.until_asked, {}, []

    def until_asked(self: Watch, parts: Iterable) -> Iterator:
        for part in plain(self, parts):
            updates.append(self.update)
            planted.pop((self.update, updates.count(self.update) - 1), lambda: None)()
            yield part

    def plant(update: int, batch: int, act: Callable[[], None]) -> None:
        updates.clear()
        planted[update, batch] = act

    monkeypatch.setattr(Watch, "until_asked", until_asked)
    yield plant
    assert not planted, "never came there"


def saved(folder: Folder) -> list[tuple[int, int]]:
    """Updates and validations of each checkpoint."""
    names = sorted(file.name for file in folder.paths.state.glob("checkpoint-*.pt"))
    return [tuple(map(int, name.split("-")[1:3])) for name in names]


def of_dev(folder: Folder) -> list[dict]:
    return [line for line in folder.metrics() if line["kind"] == "dev"]


def check_the_same(folder: Folder, reference: Folder) -> None:
    assert folder.weights() == reference.weights()
    assert of_dev(folder) == of_dev(reference)
    names = ("updates", "best_update", "best_dev_loss", "dev_loss", "dev_bleu", "stop_rule")
    assert [folder.record()[name] for name in names] == [reference.record()[name] for name in names]


@pytest.mark.some(1)
@pytest.mark.parametrize(("update", "batch"), [(4, LOSSES[0]), (8, BLEU[-1]), (12, BLEU[1])])
def test_a_signal_ends_a_validation_at_its_next_batch_with_a_checkpoint_of_before(
    reference, folder, during, update, batch
):
    during(update, batch, terminate)
    notes, resumed = Notes(), Notes()
    assert not folder.train(notes)
    assert notes.said(f"asked to stop: checkpoint of update {update} written, its validation is to come")
    assert notes.steps[-1].update == update
    assert [validation.update for validation in notes.validations] == list(range(4, update, 4))
    assert saved(folder)[-1] == (update, update // 4 - 1)
    assert folder.train(resumed)
    assert [step.update for step in resumed.steps] == list(range(update + 1, 13))
    assert [validation.update for validation in resumed.validations] == list(range(update, 13, 4))
    check_the_same(folder, reference)


@pytest.mark.slow
def test_a_signal_within_an_update_does_not_wait_for_its_validation(reference, folder):
    notes = Notes(each=lambda step: terminate() if step.update == 4 else None)
    assert not folder.train(notes)
    assert notes.said("checkpoint of update 4 written, its validation is to come")
    assert notes.validations == []
    assert folder.train()
    check_the_same(folder, reference)


@pytest.mark.slow
def test_a_signal_while_the_chosen_weights_are_validated_leaves_the_end_to_do(reference, folder, during):
    folder, last = folder.changed(save_every_updates=100), max(BLEU) + 1
    during(12, last + BLEU[-1], terminate)
    notes, resumed = Notes(), Notes()
    assert not folder.train(notes)
    assert notes.said("training ends after update 12: max_updates 12 reached")
    assert notes.said("asked to stop: checkpoint of update 12 written; run again to go on")
    assert not (folder.paths.output / "model").exists()
    assert folder.train(resumed)
    assert resumed.steps == resumed.validations == []
    check_the_same(folder, reference)


@pytest.mark.slow
def test_killed_between_an_update_and_its_validation(reference, folder, during):
    """A checkpoint after each work: update 4 has one before its validation and one after."""
    during(4, BLEU[1], kill)
    with pytest.raises(Killed):
        folder.train(save_minutes=0)
    assert saved(folder) == [(3, 0), (4, 0)]
    during(8, LOSSES[1], kill)
    with pytest.raises(Killed):
        folder.train(save_minutes=0)
    assert saved(folder) == [(7, 1), (8, 1)]
    assert folder.train(Notes())
    check_the_same(folder, reference)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


UPDATE_S, BATCH_S = 1.0, 10.0


def timed(folder: Folder, monkeypatch, deadline_minutes: float) -> tuple[Training, Notes]:
    """A process whose updates take a second each and the batches of its validations ten, by a clock of its own."""
    clock, plain = Clock(), Watch.until_asked

    def until_asked(self: Watch, parts: Iterable) -> Iterator:
        for part in plain(self, parts):
            clock.now += BATCH_S
            yield part

    def tick(step) -> None:
        clock.now += UPDATE_S

    monkeypatch.setattr(Watch, "until_asked", until_asked)
    task = prepare(folder.paths, read_settings(folder.paths), torch.device("cpu"), open_score)
    watch = Watch(end=60 * deadline_minutes, clock=clock)
    training = Training(task, StateFolder(folder.paths.state, print, {}), watch)
    training.restore()
    return training, Notes(each=tick)


def run(folder: Folder, deadline_minutes: float) -> tuple[Reason, Notes, Status]:
    with pytest.MonkeyPatch.context() as patch:
        training, notes = timed(folder, patch, deadline_minutes)
        return training.run(notes), notes, training.status


def test_a_deadline_that_falls_into_the_first_validation_loses_that_alone(folder):
    reason, notes, status = run(folder, 30 / 60)
    assert (reason, status.update, status.history) == (Reason.DEADLINE, 4, [])
    assert saved(folder)[-1] == (4, 0)
    again, more, status = run(folder, 30 / 60)
    assert again is Reason.DEADLINE
    assert [validation.update for validation in more.validations] == [4], "a job too short for it makes it all the same"
    assert [step.update for step in more.steps] == []
    assert saved(folder)[-1] == (4, 1)
    end, rest, status = run(folder, 60)
    assert (end, status.update, status.validated) == (Reason.FINISHED, 12, 12)
    assert [step.update for step in (*notes.steps, *rest.steps)] == list(UPDATES)


def test_a_validation_of_known_length_is_not_begun_where_the_deadline_is_nearer(folder):
    """The first takes 70 seconds, the second would end after the deadline."""
    reason, notes, status = run(folder, 120 / 60)
    assert (reason, status.update, status.validated) == (Reason.DEADLINE, 8, 4)
    assert saved(folder)[-1] == (8, 1)
    assert [validation.update for validation in notes.validations] == [4]


def test_each_batch_of_a_validation_is_a_sign_of_life():
    clock, silences = Clock(), []
    watch = Watch(clock=clock)
    for _ in watch.until_asked(range(3)):
        clock.now += BATCH_S
        silences.append(watch.silent_s())
    assert silences == [BATCH_S] * 3
