"""Stopped by a signal, by the deadline or killed, in any update or validation: the real command goes on to the same
weights."""

import os
import random
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from helpers.support import ROOT, environment
from helpers.toy_task import Folder, Notes, make_folder

from docmt.base.manifest import MANIFEST
from docmt.supervision.exit import Reason, read_exit

SCRIPT = ROOT / "tests" / "helpers" / "stopped_training.py"
VALIDATED = (15, 30, 45, 60)
LONG = {
    "max_updates": 60,
    "batch_tokens": 30,
    "save_every_updates": 7,
    "validate_every_updates": 15,
    "checkpoint": "average",
    "average": 2,
}
"""Dev has four batches, so that each of two ranks has two."""


@pytest.fixture(scope="module")
def sentence(tmp_path_factory) -> Path:
    """A trained sentence model for the second stage to start from."""
    folder = make_folder(tmp_path_factory.mktemp("sentence") / "run", by_sentence=True)
    del folder.model["combined_layers"]
    folder = folder.changed({"kind": "transformer"}, max_updates=4)
    assert folder.train()
    return folder.paths.output


@pytest.fixture(params=["first", "second"])
def folder(tmp_path, request) -> Folder:
    """A training of the first stage; or of the second, that starts from the sentence model and translates dev."""
    if request.param == "first":
        return make_folder(tmp_path / "run").changed(**LONG)
    init = request.getfixturevalue("sentence")
    return make_folder(tmp_path / "run", init=init).changed(**LONG, select_by="bleu")


def never_stopped(folder: Folder) -> bytes:
    assert folder.train()
    weights = folder.weights()
    (folder.paths.output / "model" / "model.safetensors").unlink()
    return weights


@dataclass
class Job:
    """`docmt job train` as a process of its own, again and again."""

    folder: Folder
    ranks: int = 1
    began: list[int] = field(default_factory=list)
    """The updates that it began, over all processes."""

    def run(self, how: str, where: str = "0", *options: str) -> tuple[int, str]:
        """One process; its exit status, and what it said. For `how` and `where` see the script."""
        log = self.folder.root / "began.txt"
        command = [sys.executable, str(SCRIPT), str(log), where, how, *self.folder.command(), *options]
        command += ["--ranks", str(self.ranks)]
        attempt = self.folder.attempts() + 1
        status = subprocess.run(command, env=environment(), timeout=240).returncode
        self.began = [int(line) for line in log.read_text().splitlines()]
        return status, self.folder.log(attempt)

    def stopped(self, how: str, where: str) -> None:
        """Stopped within an update, which is finished, or within a validation, which is not: a checkpoint says so."""
        status, said = self.run(how, where)
        assert status == 75, said
        update, _, in_validation = where.partition(".")
        rest = " written, its validation is to come;" if in_validation else " written"
        assert f"asked to stop: checkpoint of update {update}{rest}" in said
        self.check_exit(Reason.STOPPED, int(update))

    def out_of_time(self, seconds: float) -> None:
        """Stopped by a deadline, at whatever update that is."""
        status, said = self.run("slow", "0", "--deadline-minutes", str(seconds / 60))
        assert status == 75, said
        assert f"the deadline is near: checkpoint of update {self.began[-1]} written" in said
        self.check_exit(Reason.DEADLINE, self.began[-1])

    def killed(self, where: str) -> None:
        """Its process or, of several ranks, one of them; the others fail of that."""
        status, said = self.run("SIGKILL", where)
        assert status == (-signal.SIGKILL if self.ranks == 1 else 128 + signal.SIGKILL), said
        ending = read_exit(self.folder.paths.state)
        assert ending is None if self.ranks == 1 else ending.reason is Reason.ERROR

    def check_exit(self, reason: Reason, update: int) -> None:
        ending = read_exit(self.folder.paths.state)
        assert (ending.reason, ending.status, ending.update) == (reason, 75, update)

    def finished(self) -> bytes:
        status, said = self.run("none")
        assert status == 0, said
        assert not self.folder.paths.state.exists()
        assert read_exit(self.folder.paths.output).reason is Reason.FINISHED
        return self.folder.weights()

    def repeated_updates(self) -> int:
        return len(self.began) - len(set(self.began))


STOPPED_AT = {3: signal.SIGTERM, 5: signal.SIGUSR1, 8: signal.SIGINT}


@pytest.mark.parametrize("folder", ["second"], indirect=True)
def test_each_signal_writes_a_checkpoint_after_the_present_update(folder):
    short = folder.changed(max_updates=12)
    expected = never_stopped(short)
    for update, number in STOPPED_AT.items():
        before = signal.getsignal(number)
        stop = lambda step, at=update, number=number: step.update == at and os.kill(os.getpid(), number)  # noqa: E731
        notes = Notes(each=stop)
        assert not short.train(notes)
        assert signal.getsignal(number) is before
        assert notes.said(f"asked to stop: checkpoint of update {update} written")
        assert not short.paths.output.joinpath("model", "model.safetensors").exists()
    resumed = Notes()
    assert short.train(resumed)
    assert resumed.steps[0].update == 9
    assert short.weights() == expected


def test_a_job_whose_time_is_over_before_it_begins_makes_one_update(tmp_path):
    """Deadlines within updates and validations are in test_validation_stops.py and test_pace.py."""
    folder = make_folder(tmp_path / "run")
    expected = never_stopped(folder)
    for update in (1, 2, 3):
        notes = Notes()
        assert not folder.train(notes, end=0.0)
        assert [step.update for step in notes.steps] == [update]
        assert notes.said(f"the deadline is near: checkpoint of update {update} written")
    resumed = Notes()
    assert folder.train(resumed)
    assert [step.update for step in resumed.steps] == list(range(4, 13)), "none is lost"
    assert folder.weights() == expected


@pytest.mark.nightly
def test_a_hung_training_ends_with_the_stack_of_every_thread(tmp_path):
    """The second rank hangs, the first waits for it."""
    folder = make_folder(tmp_path / "run").changed(hints={"hang_minutes": 0.15})
    status, said = Job(folder, ranks=2).run("hang", "5")
    assert status == 70, said
    assert said.count("no progress for 0.15 minutes after update 4") == 2
    assert "the checkpoint of update 3 stays" in said
    waiting, hanging = ((folder.paths.state / f"hang.rank{rank}.txt").read_text() for rank in (0, 1))
    assert "ranks.py" in waiting and "ranks.py" not in hanging
    assert "in update" in hanging
    assert "in _look" in waiting, "every thread"
    ending = read_exit(folder.paths.state)
    assert (ending.reason, ending.status, ending.update) == (Reason.HUNG, 70, 4)
    notes = Notes()
    assert folder.train(notes)
    assert notes.steps[0].update == 4


@pytest.mark.slow
def test_ranks_agree_to_stop_within_a_validation(tmp_path, sentence):
    """The second alone is asked to, within the losses; later the first alone, as it translates and the other waits."""
    rules = {"max_updates": 3, "validate_every_updates": 1, "select_by": "bleu"}
    job = Job(make_folder(tmp_path / "run", init=sentence).changed(**{**LONG, **rules}), ranks=2)
    job.stopped("SIGTERM", "1.1")
    job.stopped("SIGUSR1", "2.3")
    job.finished()
    assert job.began == [1, 2, 3]
    assert [line["update"] for line in job.folder.metrics() if line["kind"] == "dev"] == [1, 2, 3]


@pytest.mark.slow
@pytest.mark.parametrize("ranks, seed", [(1, 1), (1, 2), (2, 3)])
def test_stopped_at_random_updates_and_in_validations(folder, ranks, seed):
    """60 random points over stages, ranks and seeds; the weights are those of a training never stopped, to the bit."""
    generator, job = random.Random(seed), Job(folder, ranks)
    expected = job.finished()
    (folder.paths.output / MANIFEST).unlink()
    (folder.root / "began.txt").unlink()
    job.out_of_time(generator.uniform(0.5, 3.0))
    for where in points(generator, after=job.began[-1]):
        before, how = job.repeated_updates(), generator.choice(["SIGTERM", "SIGUSR1", "SIGINT", "SIGKILL"])
        job.killed(where) if how == "SIGKILL" else job.stopped(how, where)
        assert job.repeated_updates() - before <= LONG["save_every_updates"]
    assert job.finished() == expected


def points(generator: random.Random, after: int) -> list[str]:
    """Six updates, and a batch of each validation, in their order."""
    updates = generator.sample(range(after + 1, LONG["max_updates"]), 6)
    validations = [f"{update}.{generator.randrange(2)}" for update in VALIDATED if update > after]
    return sorted([*map(str, updates), *validations], key=float)
