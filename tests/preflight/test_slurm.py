"""What Slurm has against what a profile asks for, by what a real Slurm 22.05 printed."""

import dataclasses
import math

import pytest
from helpers.recorded_slurm import KEEPS_ACCOUNTS, FakeSlurm

from docmt.preflight.profile import Profile
from docmt.preflight.slurm import cluster
from docmt.preflight.slurm.checks import check_slurm, check_times
from docmt.preflight.slurm.cluster import gpus_of, minutes_of, read_cluster

FLAGS = {"slurm-status-command": "squeue", "slurm-requeue": True}


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A folder with the rules of a workflow."""
    rules = tmp_path / "workflow/rules/one.smk"
    rules.parent.mkdir(parents=True)
    (tmp_path / "workflow/scales").mkdir()
    rules.write_text("rule tokens:\n    threads: 8\n\nrule train:\n    threads: 1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def profile(executor: str = "slurm", flags: dict | None = None, default: dict | None = None, **rules) -> Profile:
    values = {"executor": executor, "jobs": 4, "default-resources": default or {}, "set-resources": rules}
    return Profile({**values, **(FLAGS if flags is None else flags)})


def told(asked: Profile) -> list[tuple[str, str]]:
    return [(finding.level, finding.text) for finding in check_slurm(asked) if finding.level != "fact"]


def only(asked: Profile, level: str = "error") -> str:
    """The text of the only finding."""
    ((actual, text),) = told(asked)
    assert actual == level
    return text


def test_what_a_real_slurm_says_of_itself(slurm):
    read = read_cluster()
    assert read.config["SLURM_VERSION"] == "22.05.8" and read.config["MinJobAge"] == "300 sec"
    assert [(item.name, item.is_up, item.is_default, item.minutes) for item in read.partitions.values()] == [
        ("low", True, True, math.inf),
        ("high", True, False, 1440),
        ("cpu", True, False, 240),
        ("old", False, False, 240),
    ]
    (node,) = read.nodes
    assert (node.cpus, node.memory, node.gpus, node.is_usable) == (8, 32000, {"h100": 2}, True)
    assert node.features == {"ib", "a"} and node.partitions == {"low", "high", "cpu", "old"}


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("UNLIMITED", math.inf), ("1-00:00:00", 1440), ("2-12", 3600), ("04:00:00", 240), ("30:30", 30.5), ("30", 30)],
)
def test_times_of_slurm(text, minutes):
    assert minutes_of(text) == minutes


@pytest.mark.parametrize(
    ("gres", "gpus"),
    [
        ("gpu:h100:2(S:0-1)", {"h100": 2}),
        ("gpu:4", {"": 4}),
        ("(null)", {}),
        ("nvme:1,gpu:a:1,gpu:b:2", {"a": 1, "b": 2}),
    ],
)
def test_gpus_of_nodes(gres, gpus):
    assert gpus_of(gres) == gpus


@pytest.mark.parametrize("executor", ["slurm", "docmt-slurm"])
def test_a_right_profile_has_no_findings_and_says_what_cannot_be_seen(executor, slurm):
    asked = profile(
        executor, train={"gpu": 2, "mem_mb": 8000, "runtime": 2880, "gpu_model": "h100", "constraint": "ib&a"}
    )
    assert told(asked) == []
    facts = [finding.text for finding in check_slurm(asked) if finding.level == "fact"]
    assert facts == [
        "Slurm 22.05.8: 4 partitions, 1 nodes",
        "not checked: that all nodes have this folder under the same path",
    ]


def test_a_slurm_that_is_not_there_fails_or_hangs(slurm, tmp_path, monkeypatch):
    slurm.program("scontrol", "echo 'slurm_load_ctl_conf error: Unable to contact slurm controller' >&2; exit 1")
    text = only(profile())
    assert text.startswith("scontrol show config: Slurm does not answer\n  found slurm_load_ctl_conf error")
    slurm.program("scontrol", "exec sleep 5")
    monkeypatch.setattr(cluster, "TIMEOUT_S", 0.1)
    assert "found nothing in 0.1 s\n  ask the administrators" in only(profile())
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert "no program of Slurm\n  found no scontrol in PATH\n  run on a login node" in only(profile())


def test_sacct_without_accounts_would_wait_for_ever(slurm):
    text = only(profile(flags={"slurm-requeue": True}))
    assert text.startswith("slurm-status-command: a run would wait for ever: it asks sacct")
    assert text.endswith("found AccountingStorageType = accounting_storage/none\n  set slurm-status-command: squeue")


def test_sacct_that_does_not_answer_or_does_not_see_cancelled_jobs(slurm):
    slurm.change(KEEPS_ACCOUNTS)
    flags = {"docmt-slurm-status-command": "sacct", "docmt-slurm-requeue": True}
    text = only(profile("docmt-slurm", flags))
    assert (
        "sacct does not answer\n  found Slurm accounting storage is disabled\n  set docmt-slurm-status-command" in text
    )
    slurm.program("sacct", "exit 0")
    assert told(profile("docmt-slurm", flags)) == []
    assert "for a job that somebody cancels: by sacct this plugin does not see it" in only(
        profile(flags={"slurm-requeue": True})
    )


def test_squeue_needs_a_slurm_that_remembers_jobs(slurm):
    flags = {**FLAGS, "slurm-init-seconds-before-status-checks": 101}
    text = only(profile(flags=flags))
    assert "found 101 s before the first question; MinJobAge = 300 s" in text and "lower slurm-init" in text
    assert told(profile(flags={**flags, "slurm-init-seconds-before-status-checks": 100})) == []
    slurm.change({"config": {"MinJobAge               = 300 sec": "MinJobAge               = 0 sec"}})
    assert told(profile(flags=flags)) == [], "with 0 Slurm forgets no job"


def test_preempted_jobs(slurm):
    slurm.change({"partition": {"PreemptMode=REQUEUE": "PreemptMode=CANCEL"}})
    assert only(profile()).startswith("partition low PreemptMode: preempted jobs are cancelled")
    slurm.change(
        {
            "config": {
                "preempt/partition_prio": "preempt/none",
                "JobRequeue              = 1": "JobRequeue              = 0",
            }
        }
    )
    assert told(profile()) == []
    text = only(profile(flags={"slurm-status-command": "squeue"}), "warning")
    assert text.startswith("slurm-requeue: a job that is preempted, or whose node fails, is not started again")


def test_partitions_of_rules_of_the_environment_and_of_a_file(slurm, tmp_path, monkeypatch):
    assert "no partition has this name\n  found hihg\n  did you mean 'high'?" in only(
        profile(train={"slurm_partition": "hihg"})
    )
    monkeypatch.setenv("SBATCH_PARTITION", "old")
    text = only(profile())
    assert text.startswith("SBATCH_PARTITION: the partition starts no job now\n  found old is down")
    file = tmp_path / "partitions.yaml"
    file.write_text("partitions:\n  cpu: {max_runtime: 240}\n  gone: {max_runtime: 60}\n", encoding="utf-8")
    asked = profile(flags={**FLAGS, "slurm-partition-config": str(file)}, train={"runtime": 300})
    texts = [text for _, text in told(asked)]
    assert any(text.startswith(f"{file}: no partition has this name\n  found gone") for text in texts)
    assert any("found runtime 300 minutes; expected at most 240 minutes in cpu" in text for text in texts)
    file.write_text("- cpu\n", encoding="utf-8")
    assert f"not a file of partitions\n  run `generate-slurm-partition-config -o {file}`" in only(asked)


def test_a_cluster_without_a_default_partition(slurm):
    slurm.change({"partition": {"Default=YES": "Default=NO"}})
    assert "the cluster has no default partition, and none is named" in only(profile())
    assert told(profile(default={"slurm_partition": "high"})) == []


def test_accounts(slurm, monkeypatch):
    flags = {**FLAGS, "slurm-qos": "long"}
    asked = profile(flags=flags, default={"slurm_account": "physics"})
    assert told(asked) == []
    assert any("keeps no accounts" in finding.text for finding in check_slurm(asked))
    slurm.change(KEEPS_ACCOUNTS)
    assert told(asked) == []
    assert "has no such account\n  found phisics\n  did you mean 'physics'" in only(
        profile(default={"slurm_account": "phisics"})
    )
    assert "has no such quality of service\n  found lnog\n  did you mean 'long'" in only(
        profile(flags={**FLAGS, "slurm-qos": "lnog"})
    )
    monkeypatch.setenv("SBATCH_ACCOUNT", "chemistry")
    assert only(profile()).startswith("SBATCH_ACCOUNT: user ")
    slurm.program("sacctmgr", "exit 1")
    assert "Slurm does not answer\n  found status 1" in only(profile())


def test_a_partition_of_other_accounts(slurm):
    slurm.change(
        {"partition": {"PartitionName=high AllowGroups=ALL AllowAccounts=ALL": "PartitionName=high AllowAccounts=a,b"}}
    )
    text = only(profile(train={"slurm_partition": "high", "slurm_account": "c"}))
    assert "the account may not use the partition\n  found high with account c; expected a, b" in text


def test_later_attempts_that_ask_for_too_much_are_warnings(slurm):
    asked = profile(
        flags={**FLAGS, "retries": 2},
        train={"mem_mb": "15000 * attempt", "slurm_partition": "cpu", "runtime": "100 * attempt"},
    )
    time, memory = told(asked)
    assert time[0] == memory[0] == "warning"
    assert "jobs of train, in attempt 3, ask for more time" in time[1] and "found runtime 300 minutes" in time[1]
    assert (
        "jobs of train, in attempt 3, ask for more than any node" in memory[1] and "found mem_mb 45000 MB" in memory[1]
    )


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"mem_mb": 40_000}, "found mem_mb 40000 MB; expected at most 32000 MB in low"),
        ({"cpus_per_task": 9}, "found threads 9 processors; expected at most 8 processors in low"),
        ({"gpu": 3}, "found gpu 3 GPUs; expected at most 2 GPUs in low"),
        ({"gpu": 8, "nodes": 2}, "found gpu 4 GPUs; expected at most 2 GPUs in low"),
        ({"gpu": 1, "gpu_model": "a100"}, "this type of GPU\n  found a100; expected h100"),
        ({"constraint": "ib&nvlink"}, "this feature\n  found ib&nvlink; expected a, ib"),
    ],
)
def test_more_than_any_node_has(asked, expected, slurm):
    assert expected in only(profile(train=asked))


def test_constraints_with_operators_are_left_to_slurm(slurm):
    assert told(profile(train={"constraint": "[rack1|rack2]"})) == []


def test_no_node_has_all_of_it_together(slurm):
    line = (slurm.folder / "node.txt").read_text(encoding="utf-8")
    other = (
        line.replace("NodeName=localhost", "NodeName=big")
        .replace("32000 Alloc", "64000 Alloc")
        .replace("gpu:h100:2", "(null)")
    )
    (slurm.folder / "node.txt").write_text(line + other, encoding="utf-8")
    assert "no node of the partition has all that jobs of train ask for\n  found 40000 MB" in only(
        profile(train={"gpu": 1, "mem_mb": 40_000})
    )


def test_nodes_that_start_no_job(slurm):
    slurm.change({"node": {"State=IDLE": "State=IDLE+DRAIN"}})
    texts = {text for _, text in told(profile())}
    (text,) = texts
    assert text.startswith("low: no node of the partition starts jobs now") and "`sinfo -R` says why" in text


def test_nothing_is_submitted(slurm: FakeSlurm):
    slurm.program("sbatch", f"touch {slurm.folder}/submitted")
    told(profile(train={"gpu": 3}))
    assert not (slurm.folder / "submitted").exists()


def test_trainings_that_cannot_end_in_time(small, monkeypatch, slurm):
    from docmt.grid.grid import load_grid
    from docmt.preflight.planned import planned_run

    monkeypatch.chdir(small.root)
    run, _ = planned_run(load_grid(small.root), ["one"])
    assert [*check_times(run, profile(train={"runtime": 60}))] == []
    (finding,) = check_times(run, profile(train={"runtime": 0.0001, "gpu": 1}))
    assert finding.level == "warning" and finding.message.what.startswith("trainings that are estimated to take longer")
    assert "results/5_training/paper/toy/" in str(finding.message.found)
    (fact,) = check_times(run, profile(train={"runtime": "lambda wildcards: 3"}))
    assert fact.text == "not checked: the time of trainings, since a function computes their `runtime` or `gpu`"


SITE = {"docmt-slurm-status-command": "squeue", "docmt-slurm-requeue": True}


@pytest.mark.parametrize(
    ("flag", "value", "message"),
    [
        ("gpu-partition", "hgih", "no partition has this name\n  found hgih"),
        ("gpu-model", "a100", "no node of the partition has this type of GPU\n  found a100"),
        ("gpu-constraint", "nvlink", "no node of the partition has this feature\n  found nvlink"),
        ("download-partition", "network", "no partition has this name\n  found network"),
    ],
)
def test_what_the_site_file_asks_for_jobs_with_gpus_and_for_downloads(flag, value, message, slurm, tmp_path):
    rules = tmp_path / "workflow/rules/one.smk"
    rules.write_text(rules.read_text() + "\nrule download:\n    threads: 1\n", encoding="utf-8")
    name = f"docmt-slurm-{flag}"
    asked = profile("docmt-slurm", {**SITE, name: value}, train={"gpu": 1})
    assert only(asked).startswith(f"{name}: {message}")
    assert told(profile("slurm", {**FLAGS, name: value}, train={"gpu": 1})) == [], "only our executor obeys it"
    if flag != "download-partition":
        assert told(profile("docmt-slurm", {**SITE, name: value}, train={"gpu": 0})) == []


def test_a_quality_of_service_of_the_site_file_is_compared_with_those_of_the_user(slurm):
    slurm.change(KEEPS_ACCOUNTS)
    slurm.program("sacctmgr", "echo 'lab|normal,urgent'")
    for where, asked in {
        "default-resources.qos": profile("docmt-slurm", SITE, {"qos": "urgnt"}),
        "docmt-slurm-gpu-qos": profile("docmt-slurm", {**SITE, "docmt-slurm-gpu-qos": "urgnt"}, train={"gpu": 1}),
    }.items():
        assert only(asked).startswith(f"{where}: user ") and "found urgnt\n  did you mean" in only(asked)
    assert told(profile("docmt-slurm", SITE, {"qos": "urgent"})) == []


def test_jobs_ask_for_no_gpu_on_the_processor(slurm, tmp_path):
    rules = tmp_path / "workflow/rules/one.smk"
    rules.write_text('rule train:\n    resources:\n        gpu=estimated("train", "gpus"),\n', encoding="utf-8")
    asked = profile("docmt-slurm", {**SITE, "docmt-slurm-gpu-model": "a100"})
    assert "found a100" in only(asked)
    assert told(dataclasses.replace(asked, device="cpu")) == []
