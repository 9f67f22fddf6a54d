"""What people see of a training."""

import io

import pytest
from helpers.toy_task import step
from rich.console import Console

from docmt.training import live
from docmt.training.live import TrainingLog, dev_line
from docmt.training.progress import Validation


def test_a_log_has_a_line_a_minute_and_one_at_each_validation():
    now, lines = [0.0], []
    listener = TrainingLog(lines.append, clock=lambda: now[0])
    for update in range(1, 8):
        now[0] += 20.0
        listener.updated(step(update))
    listener.validated(Validation(update=7, epoch=1, loss=2.5, nll=0.0))
    listener.note("the end")
    assert [line.split(":")[0] for line in lines] == [
        "update 3, epoch 2",
        "update 6, epoch 2",
        "update 7, epoch 2",
        "the end",
    ]
    assert "loss 3.000, nll 2.000, gradient 2.00, lr 0.001, 80 / 20 source / target tokens per second" in lines[0]
    assert lines[2].endswith("dev loss 2.5000, nll 0.0000, perplexity 1.00")


def test_a_validation_is_told_with_its_bleu_and_its_other_losses():
    validation = Validation(update=7, epoch=1, loss=2.5, nll=0.0, terms={"kl": 0.5}, bleu=12.345)
    assert dev_line(validation).endswith("perplexity 1.00, BLEU 12.35, kl 0.5000")


@pytest.mark.parametrize(("total", "left"), [(20, True), (None, False)])
def test_a_terminal_has_a_live_line_and_the_validations_above_it(monkeypatch, total, left):
    screen = io.StringIO()
    monkeypatch.setattr(live, "Console", lambda **_: Console(file=screen, force_terminal=True, width=150))
    listener = live.LiveLine(total)
    for update in range(1, 11):
        listener.updated(step(update))
    listener.validated(Validation(update=10, epoch=1, loss=2.5, nll=0.0))
    listener.close()
    text = screen.getvalue()
    assert "update 10" in text
    assert "loss 3.000" in text
    assert "20 target tokens/s" in text
    assert "dev loss 2.5000" in text
    assert ("left" in text) == left
