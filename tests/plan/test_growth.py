"""Memory grows after failures for want of memory, time after time-outs, and nothing after other failures."""

from itertools import product

import pytest
from snakemake.iocontainers import Wildcards
from snakemake.resources import Resources

from docmt.base.failures import VARIABLE, Counts, FailureCause, job_text, note_failure, written_counts
from docmt.plan.growth import MOST_DOUBLINGS, grown, let_resources_grow

NAMES = {"corpus": "ted", "seed": "1"}
JOB = job_text("train", NAMES)


class Rule:
    """A rule of Snakemake, as far as its resources go."""

    name = "train"

    def __init__(self, **resources: object) -> None:
        self.resources = Resources.from_mapping(resources)
        let_resources_grow([self])

    def value(self, resource: str, attempt: int = 1) -> object:
        asked = self.resources[resource]
        return asked.evaluate(Wildcards(fromdict=NAMES), input=[], attempt=attempt, threads=1, rulename="train").value


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("causes", [*product(FailureCause, repeat=3)], ids=" ".join)
def test_each_resource_doubles_with_the_failures_that_it_cures(causes):
    rule = Rule(mem_mb=1000, runtime=60)
    for number, cause in enumerate(causes, 1):
        note_failure(JOB, cause, str(number), "")
        so_far = causes[:number]
        assert rule.value("mem_mb", number + 1) == 1000 * 2 ** so_far.count(FailureCause.MEMORY)
        assert rule.value("runtime", number + 1) == 60 * 2 ** so_far.count(FailureCause.TIME)


def test_growth_ends_after_some_doublings_and_at_the_limit_of_the_site():
    assert [grown(100, failures) for failures in range(6)] == [100, 200, 400, 800, 800, 800]
    assert [grown(100, failures, 300) for failures in range(4)] == [100, 200, 300, 300]
    assert grown(500, MOST_DOUBLINGS, 300) == 500


def test_the_limits_are_resources_of_the_site():
    rule = Rule(mem_mb=1000, runtime=60, max_mem_mb=1500, max_runtime=90)
    for number, cause in enumerate([FailureCause.MEMORY, FailureCause.TIME]):
        note_failure(JOB, cause, str(number), "")
    assert (rule.value("mem_mb"), rule.value("runtime")) == (1500, 90)


def test_sizes_with_units_and_functions_grow_as_well():
    rule = Rule(mem="2GB", runtime=lambda wildcards, attempt, threads: 30 * attempt * threads)
    note_failure(JOB, FailureCause.MEMORY, "1", "")
    note_failure(JOB, FailureCause.TIME, "2", "")
    assert (rule.value("mem_mb", attempt=3), rule.value("runtime", attempt=3)) == (4000, 180)


def test_a_rule_without_such_resources_gets_none():
    assert set(Rule(gpu=1).resources) == {"gpu"}


def test_a_job_sees_what_the_driver_saw(monkeypatch):
    """Though its file system may show another state of the files."""
    note_failure(JOB, FailureCause.TIME, "1", "")
    monkeypatch.setenv(VARIABLE, written_counts({JOB: Counts(memory=2)}))
    rule = Rule(mem_mb=1000, runtime=60)
    assert (rule.value("mem_mb"), rule.value("runtime")) == (4000, 60)
