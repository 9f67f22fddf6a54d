"""Workers: results in the order of the tasks, from any number of processes, and what becomes of failures."""

from contextlib import contextmanager

import pytest
from helpers.worker_tasks import failing, killed, slow_first

from docmt.base.errors import UserError
from docmt.base.workers import UNDER_WAY, Done, Workers


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_the_order_of_the_tasks(processes):
    results = list(Workers(processes).each("working", slow_first, range(7), 7))
    assert results == [(number, True) for number in range(7)]


@pytest.mark.parametrize("total", [0, 1])
def test_for_one_task_no_process_is_started(total):
    """What cannot be pickled shows that it stays here."""
    results = list(Workers(4).each("working", lambda: lambda number: Done(number, 1), range(total), total))
    assert results == list(range(total))


def test_no_more_tasks_are_taken_than_are_under_way():
    started = []

    def tasks():
        for number in range(20):
            started.append(number)
            yield number

    results = Workers(2).each("working", slow_first, tasks(), 20)
    for number in range(3):
        assert next(results) == (number, True)
        assert len(started) <= number + 1 + 2 * UNDER_WAY
    results.close()


@pytest.mark.parametrize("processes", [1, 2])
def test_the_first_failure_in_order_is_told_as_it_was_raised(processes):
    results = Workers(processes).each("working", failing, range(9), 9)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(UserError) as told:
        next(results)
    assert str(told.value) == "task 2: no good\n  another"


def test_a_killed_process_is_named():
    with pytest.raises(UserError, match=r"a worker process has ended\n.*lack of memory"):
        list(Workers(2).each("working", killed, range(4), 4))


def test_progress_is_told_of_shards_and_pairs():
    told = []

    @contextmanager
    def progress(name: str):
        told.append(name)
        yield lambda *numbers: told.append(numbers)

    list(Workers(1, progress).each("working", slow_first, range(2), 2))
    assert told == ["working", (1, 2, 10), (2, 2, 20)]
