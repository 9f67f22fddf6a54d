"""The default number of CPU threads: one for narrow models, else free cores alone, never above OMP_NUM_THREADS."""

import os

import pytest

from docmt.trained import model


@pytest.mark.parametrize(
    ("cores", "load", "limit", "width", "threads"),
    [
        (2, 0.0, "", 64, 1),
        (16, 0.0, "", 64, 1),
        (2, 0.0, "", 256, 2),
        (2, 1.6, "", 256, 1),
        (2, 9.0, "", 512, 1),
        (16, 0.0, "", 256, 4),
        (16, 0.0, "", 1024, 8),
        (16, 12.4, "", 1024, 4),
        (16, 0.0, "3", 1024, 3),
    ],
)
def test_it_is_that_of_free_cores(monkeypatch, cores, load, limit, width, threads):
    monkeypatch.setattr(model, "cores", lambda: cores)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert model.default_threads(width) == threads
