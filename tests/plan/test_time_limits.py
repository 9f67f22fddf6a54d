"""What a run says of trainings that take longer than their jobs may run."""

import pytest
from helpers.plans import plan_of
from helpers.small_grid import STUDY
from helpers.support import Project

from docmt.grid.grid import load_grid
from docmt.plan.time_limits import REMEDY, AttemptTimes, time_lines

PATH = "results/5_training/paper/toy/{}/seed1"


@pytest.fixture
def long(small) -> Project:
    """A project with a training of weeks (`document`), and one of seconds (`sentence`)."""
    small.edit(STUDY, "systems/document/train", {"max_updates": 10_000_000})
    return small


def lines(project: Project, time: AttemptTimes, *systems: str) -> list[str]:
    targets = [f"{PATH.format(system)}/record.json" for system in systems]
    return time_lines(load_grid(project.root), plan_of(project.root, *targets).reasons, lambda job: time, project.root)


def test_trainings_that_are_estimated_longer_are_named_with_the_limit_and_what_to_do(long):
    first, second = lines(long, AttemptTimes((20, 40, 60), 1), "sentence", "document")
    assert first == (f"trainings that are estimated to take longer than their jobs may run: 1. {REMEDY}")
    assert second.startswith(f"  {PATH.format('document')}: ")
    assert second.endswith(
        " h, and may run 2.0 h on 1 GPU (20 + 40 + 60 minutes) (assumed 0.088 TFLOP/s for a GPU at width 64)"
    )


def test_the_longest_are_named_and_the_others_counted(long):
    names = ["document", "fine", "fine.narrow", "sentence"]
    told = lines(long, AttemptTimes((0.0001,), 1), *names)
    assert told[0].startswith("trainings that are estimated to take longer than their jobs may run: 4. ")
    assert len(told) == 5 and told[-1] == "  ... and 1 more"
    assert not any("/sentence/" in line for line in told), "the shortest"


def test_nothing_is_said_of_trainings_that_have_time(long):
    assert lines(long, AttemptTimes((1440, 1440), 1), "sentence") == []
    assert lines(long, AttemptTimes((10**9,), 1), "document") == []
    assert time_lines(load_grid(long.root), [], lambda job: AttemptTimes((0,), 1), long.root) == []


def test_a_damaged_record_refuses_no_run(long):
    """The run makes it again."""
    path = long.root / PATH.format("sentence") / "record.json"
    path.parent.mkdir(parents=True)
    path.write_text("[]", encoding="utf-8")
    (line,) = lines(long, AttemptTimes((1,), 1), "document")
    assert line.startswith("the time of trainings is not estimated: ") and str(path) in line


def test_a_training_whose_time_is_not_known_yet_is_not_named(long):
    jobs = plan_of(long.root, f"{PATH.format('document')}/record.json").reasons
    assert time_lines(load_grid(long.root), jobs, lambda job: None, long.root) == []


def hours(line: str) -> float:
    return float(line.split(": ")[1].split(" h")[0].replace(",", ""))


def test_several_gpus_share_the_time_and_without_one_it_is_the_processors(long):
    single, four, none = (lines(long, AttemptTimes((1,), count), "document")[1] for count in (1, 4, 0))
    assert hours(single) == pytest.approx(4 * hours(four), rel=0.02)
    assert hours(none) > hours(single) and "for a CPU core" in none
