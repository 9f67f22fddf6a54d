"""The host waits for a GPU once in some updates, whatever they have: for all of their losses and gradients' norms.

The updates are computed on a pretended device (`helpers/pretend_device.py`), which counts these waits.
"""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from helpers.model_cases import CASES, MOSTLY_SLOW, VOCABULARY, documents, rows_of
from helpers.pretend_device import CPU, DEVICE, READ, UPLOAD, move, pretended_device

from docmt.models import build
from docmt.models.pretrained import Start
from docmt.settings.train import TrainConfig
from docmt.supervision.ranks import Ranks
from docmt.supervision.watch import Watch
from docmt.training.checkpoint import StateFolder
from docmt.training.computing import TILE
from docmt.training.loop import Training
from docmt.training.progress import Listeners, Update
from docmt.training.task import Task
from docmt.training.validate import dev_losses

EVERY = 3
"""The number of updates that are read at once; trainings read more (`docmt.training.loop.READ_EVERY`)."""
READS = 1
READS_OF_DEV = 1
NOISY = {"dropout": 0.2, "attention_dropout": 0.1, "activation_dropout": 0.1}


def training(case: str, folder: Path, device: torch.device = DEVICE, padded: bool = False, **train: object) -> Training:
    """A training with all noise, whose updates have one batch unless `train` says otherwise."""
    torch.manual_seed(1)
    model = build(replace(CASES[case], **NOISY), VOCABULARY, VOCABULARY).train()
    move(model) if device == DEVICE else None
    settings = TrainConfig(
        **{"tokens_per_update": 50, "batch_tokens": 50, "max_updates": 2, "word_dropout": 0.1, **train}
    )
    # The fused optimiser of trainings refuses a device that it does not know.
    optimiser = torch.optim.AdamW([{"params": [*model.parameters()], "name": "lr", "group": None}], foreach=False)
    rows = rows_of(*documents())
    task = Task(model, optimiser, settings, rows, rows, 1, device, Start([], []))
    return Training(task, StateFolder(folder, print, {}), Watch(), quantum=TILE if padded else 1)


class Kept(Listeners):
    """All updates that were reported."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[Update] = []

    def updated(self, step: Update) -> None:
        self.steps.append(step)


def updates(training: Training, count: int = EVERY) -> list[Update]:
    kept, training._read_every = Kept(), EVERY
    for _ in range(count):
        training._do("update", kept)
    return kept.steps


@pytest.mark.some(1)
@pytest.mark.parametrize("case", MOSTLY_SLOW)
def test_several_updates_wait_once(case, tmp_path):
    """With one batch, and with several, clipped and padded."""
    several = {"batch_tokens": 28, "clip_norm": 1.0, "padded": True}
    for number, settings in enumerate(({}, several)):
        with pretended_device() as waits:
            begun = training(case, tmp_path / str(number), **settings)
            waits.clear()
            steps = updates(begun)
        assert dict(+waits) == {READ: READS}
        assert len(steps) == EVERY
        assert all(step.loss > 0 and step.gradient_norm > 0 for step in steps)
        assert [step.padding > 0 for step in steps] == [bool(settings)] * EVERY


@pytest.mark.parametrize("case", MOSTLY_SLOW)
def test_losses_of_dev_are_read_once(case, tmp_path):
    with pretended_device() as waits:
        begun = training(case, tmp_path)
        waits.clear()
        dev_losses(begun.task.model, begun.task.dev, 28, 0.1, DEVICE, begun._forward_context, Ranks())
    assert dict(+waits) == {READ: READS_OF_DEV}


def test_the_pretended_device_computes_what_the_cpu_does(tmp_path):
    """What these tests rest on: the numbers are right, and each way to read a value is counted."""
    with pretended_device() as waits:
        pretended = updates(training("g_transformer", tmp_path / "pretended"))
        x = torch.arange(3.0).to(DEVICE)
        waits.clear()
        reads = [x.tolist, x.sum().item, x.cpu, x.nonzero, lambda: bool(x.any()), lambda: x[x > 0], x.unique]
        for number, read in enumerate(reads, start=1):
            read()
            assert waits[READ] == number
        assert waits[UPLOAD] == 0
        for number, upload in enumerate((lambda: torch.tensor([1], device=DEVICE), lambda: torch.ones(1).to(DEVICE))):
            upload()
            assert waits[UPLOAD] == number + 1
        torch.ones(1).to(DEVICE, non_blocking=True)
        assert dict(waits) == {READ: len(reads), UPLOAD: 2}
    plain = updates(training("g_transformer", tmp_path / "plain", CPU))
    numbers = [[(step.loss, step.nll, step.gradient_norm) for step in steps] for steps in (plain, pretended)]
    assert numbers[0] == numbers[1]
