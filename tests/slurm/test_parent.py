"""What the executor takes for granted of its parent: read the parent's code again before its version changes."""

import inspect
from importlib.metadata import version

import snakemake_executor_plugin_slurm as parent
from helpers.slurm_driver import Driver
from snakemake_executor_plugin_slurm import submit_string, utils, validation

from snakemake_executor_plugin_docmt_slurm import Executor, ExecutorSettings


def test_the_versions_are_those_that_were_read():
    versions = [version(f"snakemake-executor-plugin-{name}") for name in ("slurm", "slurm-jobstep")]
    assert versions == ["2.8.0", "0.6.1"]


def test_the_functions_that_write_a_command_line_have_the_arguments_that_they_get():
    assert [*inspect.signature(submit_string.get_submit_command).parameters][:4] == [
        *("job", "params", "settings", "failed_nodes")
    ]
    assert [*inspect.signature(utils.set_gres_string).parameters] == ["job"]
    assert [*inspect.signature(validation.validate_slurm_extra).parameters] == ["job"]
    assert [*inspect.signature(validation.validate_or_get_slurm_job_id).parameters] == ["job_id", "output"]


def test_what_is_replaced_is_there_to_be_replaced():
    replaced = set(vars(Executor)) - {"__module__", "__doc__"}
    public = {"run_job", "run_jobs", "check_active_jobs", "cancel_jobs", "get_job_exec_prefix"}
    assert public | {"__post_init__", "get_account_arg", "get_partition_arg"} <= replaced
    assert {name for name in replaced if not name.startswith("_")} <= set(dir(parent.Executor))


def test_the_parent_begins_a_run_with_the_attributes_that_are_read_here(cluster):
    driver = Driver()
    assert driver.run_uuid.startswith("docmt_")
    assert driver.slurm_logdir.name == "logs"
    assert (driver._failed_nodes, driver._partitions) == (set(), None)
    assert "--executor slurm-jobstep" in driver.additional_general_args()


def test_all_settings_of_the_parent_are_settings_here():
    assert set(inspect.signature(parent.ExecutorSettings).parameters) < set(
        inspect.signature(ExecutorSettings).parameters
    )
