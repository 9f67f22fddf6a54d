"""Why jobs wait and how they ended, in words."""

import pytest

from docmt.cluster.reasons import ENDINGS, STUCK, WAITS, ended_because, is_stuck, waits_because

QOS = "of its quality of service (QOS)"


@pytest.mark.parametrize("reason", WAITS)
def test_what_passes_by_itself_is_not_stuck(reason):
    assert waits_because(reason).endswith(f" ({reason})")
    assert not is_stuck(reason)


@pytest.mark.parametrize("reason", STUCK)
def test_what_needs_a_person_is_stuck(reason):
    assert waits_because(reason).endswith(f" ({reason})")
    assert is_stuck(reason)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (
            "QOSMaxJobsPerUserLimit",
            "your other jobs use what the limit of its quality of service (QOS) allows: jobs at once",
        ),
        ("QOSMaxGRESPerUser", "your other jobs use what the limit of its quality of service (QOS) allows: GPUs"),
        ("QOSGrpCpuLimit", "all users together use what the limit of its quality of service (QOS) allows: CPU cores"),
        ("AssocGrpMemLimit", "all users together use what the limit of the account allows: memory"),
        ("AssocMaxJobsLimit", "your other jobs use what the limit of the account allows: jobs at once"),
        ("QOSMaxNodePerUserLimit", f"your other jobs use what the limit {QOS} allows: nodes"),
        ("QOSUsageThreshold", f"your other jobs use what the limit {QOS} allows: resources"),
    ],
)
def test_a_limit_says_whose_and_of_what(reason, words):
    assert waits_because(reason) == f"{words} ({reason})"
    assert not is_stuck(reason)


def test_a_limit_that_a_job_exceeds_alone_never_lets_it_start():
    reason = "QOSMaxWallDurationPerJobLimit"
    assert is_stuck(reason)
    assert waits_because(reason) == f"it alone asks for more than the limit {QOS} allows: time ({reason})"


def test_names_of_nodes_behind_a_reason_stay():
    reason = "ReqNodeNotAvail, UnavailableNodes:n1,n2"
    assert waits_because(reason) == (
        f"a node that it needs is down, drained or reserved, for maintenance perhaps ({reason})"
    )
    down = "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"
    assert waits_because(down).startswith("a node that it needs is down")


def test_unknown_words_stay_as_they_are():
    assert (waits_because("NewReason"), ended_because("NEW_STATE")) == ("NewReason", "NEW_STATE")
    assert not is_stuck("NewReason")


def test_every_ending_is_a_sentence_without_its_state():
    assert all(text.startswith(("it ", "its ", "a job ", "another ")) for text in ENDINGS.values())
