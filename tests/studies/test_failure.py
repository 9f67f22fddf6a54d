"""The failure study in miniature compares like with like: lengths, data scales, seeds, and the same training tokens."""

import dataclasses
from functools import cache

import pytest
from helpers.whole_grid import whole_grid

from docmt.grid.items import study_jobs
from docmt.kinds.points import PointsFigure
from docmt.reporting.study import StudyConfig
from docmt.settings.system import Entry


@cache
def study() -> StudyConfig:
    return whole_grid().studies["failure"]


def entry(name: str) -> Entry:
    return next(candidate for candidate in whole_grid().of_study("failure") if candidate.system.name == name)


def pairs() -> list[tuple[Entry, Entry]]:
    rows = [row for row in study().tables["gaps"].rows if not row.group]
    return [(entry(row.system), entry(row.baseline)) for row in rows]


@pytest.mark.parametrize(("figure", "numbers"), [("by_length", (32, 128, 512)), ("by_scale", (50, 200, 801))])
def test_there_are_three_lengths_and_three_scales_of_both_models(figure, numbers):
    config = study().figures[figure]
    assert isinstance(config, PointsFigure)
    for series in config.series:
        assert tuple(sorted(series.points)) == numbers
        for number, name in series.points.items():
            cut = entry(name).system.view.train
            length, scale = (number, None) if figure == "by_length" else (512, number if number < 801 else None)
            assert (cut.max_tokens, cut.sample) == (length, scale)
            assert entry(name).system.view.test.max_tokens == length


def test_every_training_has_three_seeds_and_the_same_tokens():
    systems = list(whole_grid().of_study("failure"))
    assert {training.seeds for training in systems} == {(1, 2, 3)}
    assert len({training.system.train for training in systems}) == 1
    train = systems[0].system.train
    assert train.max_updates is not None and train.patience is None and train.max_epochs is None
    assert train.checkpoint == "last", "the final loss is that of the weights after these tokens"
    assert {training.system.init_from for training in systems} == {None}, "from random initialisation"


def test_the_two_models_of_a_row_differ_in_nothing_but_the_model():
    assert len(pairs()) == 6
    for ours, theirs in pairs():
        assert dataclasses.replace(ours.system, name="", model=theirs.system.model) == dataclasses.replace(
            theirs.system, name=""
        )
        assert (ours.system.model.kind, theirs.system.model.kind) == ("transformer", "g_transformer")
        sizes = ("width", "inner", "heads", "encoder_layers", "decoder_layers", "dropout", "embeddings")
        assert [getattr(ours.system.model, size) for size in sizes] == [
            getattr(theirs.system.model, size) for size in sizes
        ]


def test_only_windows_are_translated():
    translated = {names["system"] for _, names in study_jobs(whole_grid(), "failure")["scores"]}
    assert translated == {"concat_4", "long_short_4"}
