"""Posteriors that have collapsed are named; others, and models without one, are not."""

import pytest

from docmt.reporting.plots import COLLAPSED, collapsed


@pytest.mark.parametrize(("last", "expected"), [(0.02, 1), (COLLAPSED, 0), (3.0, 0), (None, 0)])
def test_the_last_validation_decides(world, last, expected):
    world.train("sentence")
    rows = [{"kind": "dev", "update": 1, "kl": 0.01}, {"kind": "dev", "update": 2, "loss": 1.0}]
    rows += [{"kind": "dev", "update": 3, "kl": last}] if last is not None else []
    rows = rows[1:] if last is None else rows
    world.curve("sentence", rows)
    lines = list(collapsed(run for run in world.load().runs if run.entry.system.name == "sentence" and run.seed == 1))
    assert len(lines) == expected
    assert all("has collapsed" in line and "0.02 nats" in line for line in lines)
