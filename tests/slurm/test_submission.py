"""What `sbatch` is called with: names, comments, resources of a site, and the counts of failed attempts."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest
from helpers.slurm_commands import option
from helpers.slurm_driver import Driver, group_of, job_of
from snakemake_interface_common.exceptions import WorkflowError

from docmt.base.failures import VARIABLE, FailureCause, note_failure
from snakemake_executor_plugin_docmt_slurm import ExecutorSettings
from snakemake_executor_plugin_docmt_slurm.naming import LONGEST, Comment, job_name

NAMES = {"corpus": "toy_zh-en", "scale": "smoke", "seed": "1", "system": "concat_3"}
GPU_SITE = {"gpu_model": "h100", "gpu_partition": "gpu", "gpu_constraint": "nvlink&big", "gpu_qos": "long"}


def training(number: int = 1, **resources) -> object:
    return job_of("train", number, {"gpu": 2, "mem_mb": 8000, "runtime": 1440, **resources}, **NAMES)


def submitted(cluster, driver: Driver, job: object) -> list[str]:
    driver.run_jobs([job])
    assert driver.failed == []
    return cluster.calls("sbatch")[-1]


def test_a_training_is_submitted_with_its_name_its_gpus_and_what_the_site_says(cluster):
    call = submitted(cluster, Driver(requeue=True, **GPU_SITE), training(slurm_partition="cpu", slurm_account="proj"))
    assert option(call, "--job-name") == "docmt.train.toy_zh-en.concat_3.seed1"
    assert {"--gpus=h100:2", "--nodes=1", "--requeue", "--cpus-per-task=1", "--qos=long"} <= set(call)
    assert [option(call, name) for name in ("-p", "-A", "-t", "--mem", "-C")] == [
        "gpu",
        "proj",
        "1440",
        "8000",
        "nvlink&big",
    ]
    assert option(call, "-D") == str(Path.cwd())
    comment = Comment.read(option(call, "--comment"))
    assert comment.words == "train corpus=toy_zh-en scale=smoke seed=1 system=concat_3"


def test_a_step_on_the_cpu_asks_for_nothing_of_a_gpu(cluster):
    call = submitted(cluster, Driver(**GPU_SITE), job_of("tokens", corpus="toy_zh-en@smoke", text="bpe"))
    assert option(call, "--job-name") == "docmt.tokens.toy_zh-en@smoke.bpe"
    assert option(call, "--ntasks") == "1"
    assert not [word for word in call if "gpu" in word or "h100" in word or "nvlink" in word or "qos" in word]
    assert "-p" not in call


def test_downloads_go_to_the_partition_with_a_network(cluster):
    driver = Driver(download_partition="transfer")
    assert option(submitted(cluster, driver, job_of("download", corpus="ted", file="a.tgz")), "-p") == "transfer"
    assert "-p" not in submitted(cluster, driver, job_of("corpus", 2, corpus="ted"))


def test_the_job_runs_what_snakemake_says_after_the_modules_and_knows_its_failed_attempts(cluster):
    note_failure("train corpus=toy_zh-en scale=smoke seed=1 system=concat_3", FailureCause.TIME, "7", "TIMEOUT")
    script = option(submitted(cluster, Driver(), training()), "--wrap")
    assert "python -m snakemake --snakefile 'Snakefile' --attempt 1 --force --executor slurm-jobstep --jobs 1" in script
    assert script.endswith("--mode 'remote'")
    assert "module load cuda &&" in script
    told = subprocess.run(
        ["sh", "-c", script.split(" &&")[0] + f"; printenv {VARIABLE}"], capture_output=True, text=True
    )
    assert json.loads(told.stdout) == {"train%20corpus=toy_zh-en%20scale=smoke%20seed=1%20system=concat_3": [0, 1]}


def test_the_script_may_be_given_on_standard_input(cluster):
    call = submitted(cluster, Driver(pass_command_as_script=True), training())
    assert call[-1] == "/dev/stdin"
    assert option(call, "--wrap") is None


def test_a_group_is_called_by_its_rules_and_its_number_of_jobs(cluster):
    translate, scores = job_of("translate", 1, **NAMES), job_of("scores", 2, **NAMES)
    call = submitted(cluster, Driver(), group_of(translate, scores))
    assert option(call, "--job-name") == "docmt.scores+translate.2jobs"
    assert Comment.read(option(call, "--comment")).words == "group scores+translate jobs=2"


def test_names_are_short_and_in_characters_that_shells_leave_alone():
    name = job_name(job_of("download", corpus="c" * 100, file="a b/$(x);\u4e2d'\"|" + "f" * 100))
    assert len(name) == LONGEST
    assert shlex.quote(name) == name
    assert job_name(job_of("contrastive", whole="", **NAMES)) == "docmt.contrastive.toy_zh-en.concat_3.seed1"


def test_comments_are_read_as_they_are_written_and_those_of_others_are_not():
    comment = Comment.of(job_of("download", corpus="a b", file="x|y=z"), "run-1", "c0ffee", "abc")
    assert str(comment) == "docmt download corpus=a%20b file=x%7Cy%3Dz run=run-1 project=c0ffee work=abc"
    assert Comment.read(str(comment)) == comment
    assert Comment.read("rule_train_wildcards_x") is None


def test_a_job_that_slurm_refuses_has_failed_with_its_message(cluster):
    cluster.refuse("sbatch")
    driver = Driver()
    driver.run_jobs([training()])
    assert driver.submitted == []
    assert "The job was not submitted: sbatch ended with status 1" in driver.failed[0][1]


def test_jobs_of_several_clusters_are_refused(cluster):
    driver = Driver()
    driver.run_jobs([job_of("corpus", resources={"slurm_cluster": "other"}, corpus="ted")])
    assert "jobs on several clusters are not supported" in driver.failed[0][1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"array_jobs": "all"}, "array-jobs is not supported"),
        ({"efficiency_report": True}, "efficiency-report is not supported"),
        ({"max_seconds_between_status_checks": 0}, "must be a positive number"),
        ({"status_command": "qstat"}, "'sacct' or 'squeue'"),
    ],
)
def test_settings_that_would_have_no_effect_are_refused(settings, message):
    with pytest.raises(WorkflowError, match=message):
        ExecutorSettings(**settings)
