"""A driver that was killed leaves its jobs to the next driver; one that is interrupted cancels all of its own."""

import os
from pathlib import Path

import pytest
from helpers.slurm_commands import option
from helpers.slurm_driver import Driver, group_of, job_of
from snakemake_interface_common.exceptions import WorkflowError

from snakemake_executor_plugin_docmt_slurm.states import AT_ONCE


def corpora(*names: str) -> list:
    return [job_of("corpus", number, corpus=name) for number, name in enumerate(names, 1)]


def numbers(driver: Driver) -> list[str]:
    return [info.external_jobid for info in driver.submitted]


@pytest.mark.parametrize("state", ["PENDING", "RUNNING", "SUSPENDED", "COMPLETING"])
def test_the_next_driver_waits_for_a_job_of_the_one_before(cluster, state):
    Driver().run_jobs(corpora("ted"))
    cluster.change("101", state=state)
    after = Driver()
    after.run_jobs(corpora("ted", "news"))
    assert numbers(after) == ["101", "102"]
    assert len(cluster.calls("sbatch")) == 2
    cluster.change("101", state="COMPLETED")
    after.poll()
    assert after.done == ["101"]


def test_a_job_that_has_ended_is_submitted_again(cluster):
    Driver().run_jobs(corpora("ted"))
    cluster.change("101", state="FAILED")
    after = Driver()
    after.run_jobs(corpora("ted"))
    assert numbers(after) == ["102"]


def test_a_job_with_other_settings_is_cancelled_and_the_next_waits_for_its_end(cluster):
    Driver().run_jobs(corpora("ted"))
    Path("settings.json").write_text('{"other": 1}')
    after = Driver()
    after.run_jobs(corpora("ted"))
    assert numbers(after) == ["102"]
    assert cluster.calls("scancel") == [["101"]]
    assert option(cluster.calls("sbatch")[-1], "--dependency") == "afterany:101"


def test_jobs_of_another_project_and_of_others_are_left_alone(cluster, tmp_path, monkeypatch):
    Driver().run_jobs(corpora("ted"))
    cluster.change("999", state="RUNNING", comment="rule_corpus_wildcards_ted")
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    Path("settings.json").write_text("{}")
    after = Driver()
    after.run_jobs(corpora("ted"))
    assert numbers(after) == ["103"]
    assert cluster.calls("scancel") == []


def test_a_job_is_adopted_once(cluster):
    Driver().run_jobs(corpora("ted"))
    after = Driver()
    after.run_jobs(corpora("ted"))
    after.run_jobs(corpora("ted"))
    assert numbers(after) == ["101", "102"]


def test_a_group_is_adopted_and_one_that_shares_some_of_its_jobs_is_cancelled(cluster):
    Driver().run_jobs([group_of(*corpora("a", "b"))])
    same = Driver()
    same.run_jobs([group_of(*corpora("b", "a"))])
    assert numbers(same) == ["101"]
    fewer = Driver()
    fewer.run_jobs([group_of(*corpora("b"))])
    assert numbers(fewer) == ["102"]
    assert cluster.calls("scancel") == [["101"]]


def test_an_interrupted_driver_cancels_its_jobs_in_calls_that_fit_a_command_line(cluster):
    Driver().run_jobs(corpora("earlier"))
    driver = Driver()
    driver.run_jobs(corpora("earlier"))
    numbers_of_run = [str(number) for number in range(1000, 1000 + AT_ONCE)]
    comment = f"docmt corpus corpus=x run={driver.run_uuid} project={project()} work=1"
    for number in numbers_of_run:
        cluster.change(number, state="RUNNING", comment=comment)
    cluster.change("7", state="RUNNING", comment="another's")
    driver.cancel_jobs([])  # a query takes the jobs off Snakemake's list while it lasts
    assert [len(call) for call in cluster.calls("scancel")] == [AT_ONCE, 1]
    assert {number for call in cluster.calls("scancel") for number in call} == {"101", *numbers_of_run}


def project() -> str:
    from snakemake_executor_plugin_docmt_slurm.naming import digest_of_folder

    return digest_of_folder(Path())


def test_jobs_that_were_not_cancelled_are_told(cluster):
    driver = Driver()
    driver.run_jobs(corpora("ted"))
    cluster.refuse("scancel")
    with pytest.raises(WorkflowError, match="Jobs were not cancelled"):
        driver.cancel_jobs(driver.submitted)


def test_a_driver_within_a_job_forgets_the_variables_of_that_job(monkeypatch):
    """The parent does this before its thread starts."""
    import snakemake_executor_plugin_slurm as parent

    monkeypatch.setenv("SLURM_JOB_ID", "1")
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", "4")
    parent.delete_slurm_environment()
    assert not [name for name in os.environ if name.startswith("SLURM_")]
