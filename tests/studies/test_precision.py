"""The study of bf16 compares trainings of the demo and of the failure study with themselves, in another precision."""

from dataclasses import replace

import pytest
from helpers.support import ROOT
from helpers.whole_grid import whole_grid

from docmt.kinds.gaps import GapsTable
from docmt.plan.plan import Plan
from docmt.plan.targets import targets
from docmt.settings.system import Entry


def entry(study: str, name: str) -> Entry:
    return next(candidate for candidate in whole_grid().of_study(study) if candidate.system.name == name)


def pairs(table: str) -> list[tuple[Entry, Entry]]:
    config = whole_grid().studies["precision"].tables[table]
    assert isinstance(config, GapsTable)
    rows = [row for row in config.rows if not row.group]
    return [(entry("precision", row.system), entry("precision", row.baseline)) for row in rows]


@pytest.mark.parametrize("table", ["bleu", "accuracy", "ltcr", "loss", "failure"])
def test_the_two_trainings_of_a_row_differ_in_nothing_but_their_precision(table):
    for half, whole in pairs(table):
        assert (half.system.train.precision, whole.system.train.precision) == ("bf16", "fp32")
        start = whole.system.init_from and f"{whole.system.init_from}.bf16"
        same = replace(
            whole.system, name=half.system.name, init_from=start, train=replace(whole.system.train, precision="bf16")
        )
        assert half.system == same
        assert half.seeds == whole.seeds == (1, 2, 3, 4, 5)


def test_the_systems_are_those_of_the_demo_and_of_the_failure_study():
    demo = {whole.system.name.removesuffix(".demo"): whole for _, whole in pairs("bleu")}
    assert demo.keys() == {system.system.name for system in whole_grid().of_study("demo")}
    for name, whole in demo.items():
        assert replace(whole.system, name=name) == entry("demo", name).system
    compared = [whole for _, whole in pairs("failure")]
    assert len({whole.system.name for whole in compared}) == 10
    for whole in compared:
        assert whole.system == entry("failure", whole.system.name).system


def test_trainings_in_fp32_are_not_made_again():
    for table, study in (("bleu", "demo"), ("failure", "failure")):
        for _, whole in pairs(table):
            if not whole.system.name.endswith(".demo"):
                assert whole.trained == entry(study, whole.system.name).trained


def test_shared_scores_are_targets_of_one_study_alone():
    listed = targets(Plan(whole_grid(), ROOT), ["demo", "precision"], scores=True)
    names = [target.target for target in listed]
    assert len(names) == len({*names})
    assert sum("7_scores/toy_zh-en/sentence/seed1" in name for name in names) == 1
