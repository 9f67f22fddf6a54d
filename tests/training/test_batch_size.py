"""The size of batches that no setting states, on a CPU and on a GPU whose memory is a plain function here."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from helpers.model_cases import CASES, VOCABULARY, documents, rows_of

from docmt.base.errors import UserError
from docmt.models import build
from docmt.models.pretrained import Start
from docmt.settings.train import TrainConfig
from docmt.supervision.exit import Reason
from docmt.training import batch_size
from docmt.training.batch_size import ADAM, FILE, FILLED, ON_CPU, TRIAL, batch_tokens, longest_instances
from docmt.training.task import Task

GPU = torch.device("cuda")
FIXED, OF_TOKEN = 5_000_000, 40_000
ROWS = rows_of(*[side * 200 for side in documents()])
UPDATE = 60_000


def task_on(device: torch.device, **train: object) -> Task:
    model = build(CASES["transformer"], VOCABULARY, VOCABULARY)
    settings = TrainConfig(**{"tokens_per_update": UPDATE, **train})
    return Task(model, None, settings, ROWS, ROWS, 1, device, Start([], []))


def peak(instances: np.ndarray) -> int:
    return FIXED + OF_TOKEN * int(ROWS.target_tokens[instances].sum())


def memory_for(task: Task, tokens: int) -> int:
    """The memory of a GPU that holds a batch of so many tokens."""
    numbers = sum(p.numel() * p.element_size() for p in task.model.parameters())
    return int((FIXED + OF_TOKEN * tokens + ADAM * numbers) / FILLED) + 1


@pytest.mark.parametrize(
    ("device", "stated", "fits", "expected"),
    [
        (torch.device("cpu"), None, 0, ON_CPU),
        (torch.device("cpu"), 70, 0, 70),
        (GPU, 70, 0, 70),
        (GPU, None, 10_000, 10_000),
        (GPU, None, 3 * UPDATE, UPDATE),
        (GPU, None, 0, int(ROWS.target_tokens.max())),
    ],
)
def test_the_size_is_stated_or_as_large_as_update_and_memory_allow(device, stated, fits, expected, tmp_path):
    task = task_on(device, batch_tokens=stated)
    assert batch_tokens(task, tmp_path, None, peak, memory_for(task, fits)) == expected


def test_a_small_update_needs_no_trial(tmp_path):
    assert batch_tokens(task_on(GPU, tokens_per_update=TRIAL), tmp_path, None, None, 1) == TRIAL


@pytest.mark.parametrize("device", [GPU, torch.device("cpu")], ids=str)
def test_the_size_stays_on_a_resume_and_is_halved_after_a_lack_of_memory(device, tmp_path):
    task = task_on(device)
    first = batch_tokens(task, tmp_path, None, peak, memory_for(task, 10_000))
    assert [batch_tokens(task, tmp_path, reason) for reason in (None, Reason.STOPPED)] == [first, first]
    halves = [batch_tokens(task, tmp_path, reason) for reason in (Reason.OUT_OF_MEMORY, None)]
    assert halves == [first // 2, first // 2]


def test_a_trial_that_does_not_fit_gives_the_smaller_one(tmp_path):
    def full(instances: np.ndarray) -> int:
        if ROWS.target_tokens[instances].sum() >= 2 * TRIAL:
            raise torch.OutOfMemoryError
        return peak(instances)

    few = longest_instances(ROWS.target_tokens, TRIAL)
    assert batch_tokens(task_on(GPU), tmp_path, None, full, 1 << 40) == ROWS.target_tokens[few].sum()


def test_a_damaged_size_is_refused(tmp_path: Path):
    (tmp_path / FILE).write_text('{"tokens": "many"}')
    with pytest.raises(UserError, match="the size is then chosen again"):
        batch_tokens(task_on(GPU), tmp_path, None)


def test_a_trial_leaves_model_and_gradients_as_they_were(monkeypatch):
    """On the CPU, whose memory takes the place of the GPU's."""
    task = task_on(torch.device("cpu"))
    task = replace(task, optimiser=torch.optim.SGD(task.model.parameters()))
    before = {name: value.clone() for name, value in task.model.state_dict().items()}
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda device: None)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda device: 7)
    assert batch_size.peak_bytes(task, np.arange(3)) == 7
    assert all(torch.equal(before[name], value) for name, value in task.model.state_dict().items())
    assert all(parameter.grad is None for parameter in task.model.parameters())
