"""The time and the GPUs that jobs ask a cluster for."""

import pytest
from helpers.plans import plan_of
from helpers.small_grid import STUDY
from helpers.support import Project
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.grid.grid import load_grid
from docmt.plan.job_times import (
    LEAST,
    MARGIN,
    STEP,
    JobTime,
    SiteLimits,
    device_on_cluster,
    estimated_times,
    freeze_times,
    read_frozen_times,
    time_for,
    time_without_estimate,
)

PATH = "results/5_training/paper/toy/{}/seed1"
DAY = SiteLimits(1440, 8)


def times(project: Project, *systems: str, limits: SiteLimits = DAY, attempts: int = 3, **config) -> list[JobTime]:
    targets = [f"{PATH.format(system)}/record.json" for system in systems]
    jobs = plan_of(project.root, *targets, **config).reasons
    return [*estimated_times(load_grid(project.root, config), jobs, limits, attempts, project.root).values()]


@given(
    hours=st.floats(0, 1e5),
    longest=st.integers(LEAST, 20_000),
    gpus=st.integers(1, 16),
    attempts=st.integers(1, 5),
)
def test_time_is_within_limits_and_enough_or_all_that_the_site_allows(hours, longest, gpus, attempts):
    asked = time_for(hours, "cuda", SiteLimits(longest, gpus), attempts)
    assert LEAST <= asked.minutes <= longest and 1 <= asked.gpus <= gpus
    assert asked.minutes % STEP == 0 or asked.minutes == longest
    has_time = asked.minutes * asked.gpus * attempts >= MARGIN * hours * 60 * 0.999
    assert has_time or asked == (longest, gpus)
    fewer = longest * (asked.gpus - 1) * attempts
    assert asked.gpus == 1 or fewer < MARGIN * hours * 60, "one GPU less is too few"


def test_a_processor_asks_for_no_gpu_however_long_it_takes():
    assert time_for(1000, "cpu", DAY, 3) == JobTime(1440, 0)


def test_one_gpu_has_more_time_before_a_second_is_asked_for():
    assert time_for(10, "cuda", DAY, 3) == JobTime(900, 1)
    assert time_for(40, "cuda", DAY, 3) == JobTime(1440, 1), "in three attempts"
    assert time_for(50, "cuda", DAY, 3) == JobTime(1440, 2)
    assert time_for(50, "cuda", SiteLimits(1440, 1), 3) == JobTime(1440, 1), "the site allows one"


def test_trainings_ask_for_the_time_of_their_estimates(small):
    small.edit(STUDY, "systems/document/train", {"max_updates": 10_000_000})
    short, long = times(small, "sentence", "document")
    assert short == JobTime(LEAST, 1)
    assert long.minutes > LEAST


def test_a_training_of_unknown_size_has_no_estimate_and_asks_for_the_default(small):
    for system in ("sentence", "document"):
        small.edit(STUDY, f"systems/{system}/train", {"max_updates": None, "patience": 5})
    assert times(small, "sentence") == []
    grid = load_grid(small.root)
    assert time_without_estimate(grid, "train", DAY) == JobTime(1440, 1)
    assert time_without_estimate(grid, "train", SiteLimits(600, 1)) == JobTime(600, 1)
    assert time_without_estimate(grid, "translate", DAY) == JobTime(240, 1)


def test_translations_follow_the_size_of_the_test_set(small):
    target = "results/6_translations/paper/toy/sentence/seed1/test.txt"
    grown = []
    for sentences in (None, 1_000, 100_000_000):
        if sentences:
            split = {"documents": 100, "sentences": sentences}
            small.edit("workflow/corpora/toy.yaml", "expected", {"test": split})
        jobs = [job for job in plan_of(small.root, target).reasons if job.rule == "translate"]
        grown.append([*estimated_times(load_grid(small.root), jobs, DAY, 3, small.root).values()])
    assert grown == [[], [JobTime(LEAST, 1)], [JobTime(1440, 1)]]


def test_a_damaged_record_refuses_no_run(small):
    path = small.root / PATH.format("sentence") / "record.json"
    path.parent.mkdir(parents=True)
    path.write_text("[]", encoding="utf-8")
    jobs = plan_of(small.root, f"{PATH.format('document')}/record.json").reasons
    assert estimated_times(load_grid(small.root), jobs, DAY, 3, small.root) == {}


def test_the_device_is_a_gpu_unless_the_settings_say_otherwise(small):
    devices = [device_on_cluster(load_grid(small.root, {"device": name})) for name in ("auto", "cuda", "cpu")]
    assert devices == ["cuda", "cuda", "cpu"]
    assert times(small, "sentence", device="cpu")[0].gpus == 0


def test_jobs_read_the_times_of_their_submission(tmp_path):
    path, asked = tmp_path / "times.json", {"results/a/manifest.json": JobTime(45, 2)}
    freeze_times(asked, path)
    assert read_frozen_times(path) == asked
    path.write_text(path.read_text().replace("45", "46"))
    with pytest.raises(UserError, match=r"times\.json: the file was changed after docmt wrote it"):
        read_frozen_times(path)
