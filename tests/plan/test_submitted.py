"""The jobs of a plan that a cluster has, by the comments of the cluster's jobs."""

import pytest

from docmt.base.artifacts import write_json
from docmt.cluster.comments import Purpose, purpose_of
from docmt.cluster.jobs import ClusterJob
from docmt.plan.jobs import Job
from docmt.plan.submitted import attempts, of_folder, values_in_comment
from docmt.steps import NAMES

TRAINING = Job.of("train", scale="smoke", corpus="toy", system="a_b", seed=1)


def submitted(number: int, purpose: Purpose, folder: object = "/p", when: str = "2026-01-01T00:00:00") -> ClusterJob:
    return ClusterJob(str(number), "PENDING", "Priority", str(folder), purpose, submitted=when)


def test_jobs_are_those_of_a_folder_by_any_path_of_it_in_order_of_submission(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "project")
    times = ("2026-01-02T00:00:00", "2026-01-01T00:00:00", "2026-01-01T00:00:00")
    folders = (tmp_path / "project", tmp_path / "link", tmp_path)
    jobs = [submitted(n, Purpose("train"), *pair) for n, pair in enumerate(zip(folders, times, strict=True))]
    jobs.append(submitted(10, Purpose("train"), tmp_path / "link", times[1]))
    assert [job.number for job in of_folder(jobs, tmp_path / "link")] == ["1", "10", "0"]


@pytest.mark.parametrize(
    "comment",
    [
        "docmt train system=a_b scale=smoke seed=1 corpus=toy run=x project=y work=z",
        "rule_train_wildcards_smoke_toy_a_b_1",
    ],
)
def test_a_job_is_found_by_either_comment(comment, tmp_path):
    job = submitted(7, purpose_of(comment))
    assert attempts([TRAINING], [job], tmp_path) == {TRAINING: job}


def test_the_last_attempt_counts_and_other_jobs_are_left_out(tmp_path):
    jobs = [submitted(n, Purpose("train", TRAINING.values)) for n in (3, 4)]
    jobs.append(submitted(5, Purpose("tokens_learnt", (("corpus", "toy"),))))
    assert {job: last.number for job, last in attempts([TRAINING], jobs, tmp_path).items()} == {TRAINING: "4"}


def test_a_group_has_the_jobs_that_the_driver_has_noted(tmp_path):
    note = tmp_path / "results/state/groups/0b.json"
    group = [submitted(7, purpose_of("docmt group train jobs=2 run=x project=y work=0b"))]
    assert attempts([TRAINING], group, tmp_path) == {}
    write_json(note, ["train corpus=toy scale=smoke seed=1 system=a_b", "item corpus=toy", 7])
    assert attempts([TRAINING], group, tmp_path) == {TRAINING: group[0]}
    for damaged in ("{", "7", '{"a": 1}'):
        note.write_text(damaged)
        assert attempts([TRAINING], group, tmp_path) == {}


@pytest.mark.parametrize("rule", NAMES)
def test_every_rule_has_a_text_of_its_values(rule):
    names = dict.fromkeys(("scale", "corpus", "text", "view", "system", "seed", "study", "table", "item"), "x")
    names |= {"passage": "x", "checkpoint": "x", "whole": "", "at_scale": ""}
    job = Job.of(rule, **names)
    assert {*values_in_comment(job)} <= {"x", "_"}
