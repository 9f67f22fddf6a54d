"""The launchers of several nodes: how they share ranks, how they refuse each other, and how they end alike."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docmt.base.errors import TRY_AGAIN, UserError
from docmt.supervision import meeting
from docmt.supervision.exit import CLAIM, Reason, read_exit, write_exit
from docmt.supervision.launch import free_port
from docmt.supervision.meeting import LOST, Meeting, shares_of
from docmt.supervision.node import Share, TrainingNode


def never() -> bool:
    return False


def nodes(count: int = 2, **facts: Any) -> list[TrainingNode]:
    port = free_port()
    return [TrainingNode(number, count, "127.0.0.1", port, **facts) for number in range(count)]


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """What each of them returns or raises, in threads of their own."""
    results: list[Any] = [None] * len(works)

    def keep(number: int) -> None:
        try:
            results[number] = works[number]()
        except UserError as problem:
            results[number] = problem

    threads = [threading.Thread(target=keep, args=(number,)) for number in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return results


def joined(node: TrainingNode, ranks: int = 3, asked_to_stop: Callable[[], object] = never) -> Share:
    with Meeting(node) as here:
        return here.join(ranks, lambda: 1234, asked_to_stop)


def ended(node: TrainingNode, state: Path, record: tuple) -> int:
    """The status of all; the rank of this node writes a record, and ends with the status of it."""
    with Meeting(node) as here:
        here.join(2, free_port, never)
        write_exit(state, *record)
        return here.end(record[3], state, None)


@pytest.mark.parametrize(
    ("ranks", "most", "shares"),
    [(8, [8, 8], [4, 4]), (3, [3, 3], [2, 1]), (8, [1, 7], [1, 7]), (6, [1, 9, 9], [1, 3, 2])],
)
def test_ranks_are_spread_evenly_over_the_gpus_of_the_nodes(ranks, most, shares):
    assert shares_of(ranks, most) == shares


@pytest.mark.parametrize(
    ("ranks", "most", "message"),
    [(8, [4, 3], "found 4 \\+ 3 GPUs; expected 8"), (1, [1, 1], "a node would have no process")],
)
def test_nodes_that_cannot_have_their_ranks_are_refused(ranks, most, message):
    with pytest.raises(UserError, match=message):
        shares_of(ranks, most)


def test_each_node_learns_its_ranks_and_where_the_first_of_all_listens():
    first, second = nodes()
    assert at_once(lambda: joined(second), lambda: joined(first)) == [
        Share(2, 1, "127.0.0.1", 1234),
        Share(0, 2, "127.0.0.1", 1234),
    ]


def test_two_nodes_of_the_same_number_are_refused():
    # The third node does not come, so that no node begins and leaves before the others are here.
    first, second, _ = nodes(3)
    results = [*map(str, at_once(lambda: joined(first), lambda: joined(second), lambda: joined(second)))]
    said = "two nodes have the same number\n  found --node-rank 1 twice"
    assert sorted(results) == [f"node {number}: {said}" for number in (0, 1, 1)]


def test_a_node_that_does_not_come_and_a_stop_meanwhile_end_the_wait(monkeypatch):
    with pytest.raises(UserError, match="asked to stop before all nodes came") as problem:
        joined(nodes()[0], asked_to_stop=lambda: "SIGTERM")
    assert problem.value.status == TRY_AGAIN
    monkeypatch.setattr(meeting, "JOIN_S", 0.2)
    for node in nodes():
        with pytest.raises(UserError, match=r"not all of 2 nodes came within 0\.2 seconds"):
            joined(node)


def test_a_failure_with_a_name_counts_on_all_nodes_and_in_the_record(tmp_path):
    """Each node sees its own record alone, as on a file system that shows files late."""
    states = [tmp_path / name for name in ("first", "second")]
    for state in states:
        state.mkdir()
        (state / CLAIM).touch()
    records = [(Reason.ERROR, 4, "a rank is gone", 1), (Reason.OUT_OF_MEMORY, 4, "out of memory", 2)]
    places = zip(nodes(), states, records, strict=True)
    works = [lambda place=place: ended(*place) for place in places]
    assert at_once(*works) == [2, 2]
    assert (read_exit(states[0]).reason, read_exit(states[0]).message) == (Reason.OUT_OF_MEMORY, "out of memory")


def test_a_silent_node_counts_as_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(meeting, "LOST_S", 0.5)
    monkeypatch.setattr(meeting, "BEAT_S", 0.05)
    first, second = nodes()

    def silent() -> None:
        Meeting(second).join(2, free_port, never)

    def waiting() -> tuple[bool, int]:
        with Meeting(first) as here:
            here.join(2, free_port, never)
            while not here.has_failed():
                pass
            return here.end(1, tmp_path, None)

    assert at_once(waiting, silent)[0] == LOST
