"""The workflow on LSF, PBS and Kubernetes: the real plugins, with stand-ins for the commands of the clusters."""

import json
import re
import signal
import subprocess
import sys
import time

import pytest
from helpers.fake_cluster import Cluster
from helpers.support import ROOT, Project, small_demo
from test_profiles import EXECUTORS, need_plugin

pytestmark = pytest.mark.slow

CARD = "results/1_corpus/toy_zh-en@smoke/card.json"
TRAINING = "results/5_training/smoke/toy_zh-en/sentence/seed1/manifest.json"
COMPARISON = "results/7_comparisons/smoke/demo/quality/manifest.json"


def command(profile: str, *words: str) -> list[str]:
    """snakemake with a profile; a new run needs no patience with slow disks."""
    quick = str(ROOT / "tests/helpers/quick_polls.py")
    return [sys.executable, quick, "--profile", f"profiles/{profile}", "--latency-wait", "3", *words]


def call(project: Project, profile: str, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run(command(profile, *words), cwd=project.root, capture_output=True, text=True, timeout=300)


@pytest.fixture(params=["lsf", "pbs"])
def cluster(request, tmp_path, monkeypatch) -> Cluster:
    need_plugin(request.param)
    monkeypatch.setenv("DOCMT_PBS_WAIT_S", "1")
    commands = Cluster(tmp_path / "cluster", request.param, monkeypatch)
    commands.kind, commands.submit, commands.cancel = (
        request.param,
        *(("bsub", "bkill"), ("qsub", "qdel"))[request.param == "pbs"],
    )
    return commands


@pytest.mark.parametrize("profile", EXECUTORS)
def test_a_dry_run_plans_with_the_profile(profile, tmp_path):
    need_plugin(profile)
    done = call(small_demo(tmp_path / "project"), profile, "-n", TRAINING)
    assert done.returncode == 0, done.stderr
    assert re.search(r"rule train:.*?resources: .*?mem_mb=8000.*?runtime=30", done.stdout + done.stderr, re.DOTALL)


def test_a_job_runs_to_its_end(cluster, tmp_path):
    project = small_demo(tmp_path / "project")
    done = call(project, cluster.kind, CARD)
    assert done.returncode == 0, done.stderr
    assert (project.root / CARD).exists() and len(cluster.calls(cluster.submit)) == 1


def words_of(cluster: Cluster, rule: str) -> list[str]:
    """The words of the one submission of a job of a rule, without the job itself and the paths of logs."""
    (words,) = [words for words in cluster.calls(cluster.submit) if re.search(rf"[_-]{rule}[:-]", words[1])]
    return words


GPU = ["-gpu", "num=1:mode=shared:j_exclusive=yes"]
LSF = {
    "train": ["-W", "30", "-n", "1", "-R", "rusage[mem=8000.0]", "-R", "span[hosts=1]", *GPU],
    "compare": ["-W", "60", "-n", "1", "-R", "rusage[mem=2000.0]", "-R", "span[hosts=1]"],
}
PBS = {
    "train": ["-l", "select=1:ncpus=1:mem=8000mb:ngpus=1", "-l", "walltime=00:30:00"],
    "compare": ["-l", "select=1:ncpus=1:mem=2000mb", "-l", "walltime=01:00:00"],
}


def test_each_rule_asks_for_what_it_needs_and_a_failure_is_seen(cluster, demo):
    cluster.does("fail")
    done = call(demo, cluster.kind, "--retries", "0", "--config", "retrain_hours=1", "-f", TRAINING, COMPARISON)
    assert done.returncode == 1 and "At least one job did not complete successfully" in done.stderr
    for rule in ("train", "compare"):
        words = words_of(cluster, rule)
        if cluster.kind == "pbs":
            assert words[2:] == [*PBS[rule], "-r", "y", "-j", "oe", "-o", f"{demo.root.resolve()}/logs/pbs/"]
        else:
            assert words[4:8] == ["-e", words[3], "-env", "all"] and words[8:10] == ["-q", "normal"]
            assert words[10:-3] == LSF[rule] and words[-3:-1] == ["-cwd", str(demo.root)]


def test_a_failed_job_is_submitted_again(cluster, tmp_path):
    cluster.does("fail")
    assert call(small_demo(tmp_path / "project"), cluster.kind, CARD).returncode == 1
    asked = [re.findall(r"mem=(\d+)", " ".join(words[:-1]))[0] for words in cluster.calls(cluster.submit)]
    assert asked == ["2000"] * 3, "a failure that is not for want of memory asks for no more of it"


def test_ctrl_c_cancels_the_jobs(cluster, tmp_path, monkeypatch):
    """Between two questions to the cluster: while it asks, snakemake does not know which jobs it has."""
    monkeypatch.setenv("POLL_S", "6")
    cluster.does("hang")
    project = small_demo(tmp_path / "project")
    with (tmp_path / "screen").open("w") as screen:
        driver = subprocess.Popen(command(cluster.kind, CARD), cwd=project.root, stdout=screen, stderr=screen)
        while not cluster.calls("bjobs" if cluster.kind == "lsf" else "qstat"):
            assert driver.poll() is None, (tmp_path / "screen").read_text()
            time.sleep(0.2)
        time.sleep(3)
        driver.send_signal(signal.SIGINT)
        assert driver.wait(timeout=120) != 0
    number = "100" if cluster.kind == "lsf" else "100.server"
    assert cluster.calls(cluster.cancel) == [[number]]


def test_pods_share_the_folder_and_ask_for_gpus_with_a_limit(demo, tmp_path, monkeypatch):
    need_plugin("kubernetes")
    notes = tmp_path / "pods.jsonl"
    monkeypatch.setenv("FAKE_PODS", str(notes))
    profile = "profiles/kubernetes/profile.v9+.yaml"
    site = demo.read(profile) | {"kubernetes-service-account-name": "runner", "kubernetes-namespace": "mt"}
    demo.write(profile, site)
    done = call(demo, "kubernetes", "--retries", "0", "--config", "retrain_hours=1", "-f", TRAINING, COMPARISON)
    assert done.returncode == 1 and "At least one job did not complete successfully" in done.stderr
    jobs = [json.loads(line) for line in notes.read_text().splitlines()]
    pods = {re.search(r"--target-jobs '(\w+):", pod_of(job)["containers"][0]["args"][1])[1]: job for job in jobs}
    assert {*pods} == {"train", "compare"}
    for job in pods.values():
        pod = pod_of(job)
        (container,) = pod["containers"]
        assert job["namespace"] == "mt" and pod["serviceAccountName"] == "runner" and pod["restartPolicy"] == "Never"
        assert container["image"] == "registry.example.org/docmt:0.1.0" and container["command"] == ["/bin/sh"]
        assert container["args"][0] == "-c" and container["args"][1].startswith("cd /docmt/project && ")
        assert {"mountPath": "/docmt", "name": "docmt"} in container["volumeMounts"]
        assert {"name": "docmt", "persistentVolumeClaim": {"claimName": "docmt"}} in pod["volumes"]
        assert "--default-storage-provider" not in container["args"][1], "jobs read and write the volume itself"
        assert " input-output " in container["args"][1].split("--shared-fs-usage")[1].split("--latency-wait")[0]
    asked = {rule: pod_of(job)["containers"][0]["resources"] for rule, job in pods.items()}
    disk = {"cpu": "950m", "ephemeral-storage": "1000M"}
    assert asked["train"]["requests"] == {**disk, "memory": "8000M", "nvidia.com/gpu": "1"}
    assert asked["train"]["limits"]["nvidia.com/gpu"] == "1"
    assert asked["compare"]["requests"] == {**disk, "memory": "2000M"}
    assert pod_of(pods["train"])["tolerations"][0]["key"] == "nvidia.com/gpu"


def pod_of(job: dict) -> dict:
    """The specification of the pod of a job of Kubernetes."""
    return job["spec"]["template"]["spec"]
