"""The workflow on Slurm, LSF, PBS and Kubernetes: the real plugins, with stand-ins for the commands of the clusters.

`test_cluster_faults.py` has a real Slurm.
"""

import json
import re
import signal
import subprocess
import sys
import time

import pytest
from helpers.fake_cluster import Cluster
from helpers.plans import plan_of
from helpers.support import ROOT, Project, environment, small_demo
from test_profiles import EXECUTORS, folder_of, need_plugin

from docmt.base.manifest import MANIFEST
from docmt.plan.plan import Job
from docmt.plan.progress import read_queue

SLOW = pytest.mark.slow
CORPUS = Job.of("corpus", corpus="toy_zh-en@smoke")
TRAINING = Job.of("train", corpus="toy_zh-en", system="sentence", seed=1)
CHAINS = Job.of("chain_words", corpus="toy_zh-en@smoke", text="truecase_separate4k")
SUBMIT = {"slurm": "sbatch", "lsf": "bsub", "pbs": "qsub"}
CANCEL = {"slurm": "scancel", "lsf": "bkill", "pbs": "qdel"}
ASK = {"slurm": "squeue", "lsf": "bjobs", "pbs": "qstat"}


def target(project: Project, job: Job) -> str:
    """The manifest of a job."""
    return str(plan_of(project.root).recipe(job).folder / MANIFEST)


def command(profile: str, *words: str) -> list[str]:
    """snakemake with a profile; a new run needs no patience with slow disks."""
    quick = str(ROOT / "tests/helpers/quick_polls.py")
    return [sys.executable, quick, "--profile", folder_of(profile), "--latency-wait", "3", *words]


def call(project: Project, profile: str, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        command(profile, *words), cwd=project.root, capture_output=True, text=True, timeout=300, env=environment()
    )


@pytest.fixture(params=["slurm", pytest.param("lsf", marks=SLOW), pytest.param("pbs", marks=SLOW)])
def cluster(request, tmp_path, monkeypatch) -> Cluster:
    """Stand-ins for the commands of a cluster."""
    need_plugin(request.param)
    monkeypatch.setenv("DOCMT_PBS_WAIT_S", "1")
    return Cluster(tmp_path / "cluster", request.param, monkeypatch)


@SLOW
@pytest.mark.parametrize("profile", EXECUTORS)
def test_a_dry_run_plans_with_the_profile(profile, tmp_path):
    need_plugin(profile)
    project = small_demo(tmp_path / "project")
    done = call(project, profile, "-n", target(project, TRAINING))
    assert done.returncode == 0, done.stderr
    assert re.search(r"rule train:.*?resources: .*?mem_mb=8000", done.stdout + done.stderr, re.DOTALL)


@SLOW
def test_a_job_runs_to_its_end(cluster, tmp_path):
    project = small_demo(tmp_path / "project")
    done = call(project, cluster.kind, target(project, CORPUS))
    assert done.returncode == 0, done.stderr
    assert (project.root / target(project, CORPUS)).exists() and len(cluster.calls(SUBMIT[cluster.kind])) == 1


def words_of(cluster: Cluster, rule: str) -> list[str]:
    """The words of the one submission of a job of a rule."""
    (words,) = [
        words
        for words in cluster.calls(SUBMIT[cluster.kind])
        if any(re.search(rf"(?:docmt-|rule_|[_-]){rule}(?:[:_-]|$)", word) for word in words[:8] if "\n" not in word)
    ]
    return words


GPU = ["-gpu", "num=1:mode=shared:j_exclusive=yes"]
LSF = {
    "train": ["-W", "30", "-n", "1", "-R", "rusage[mem=8000.0]", "-R", "span[hosts=1]", *GPU],
    "chain_words": ["-W", "60", "-n", "1", "-R", "rusage[mem=2000.0]", "-R", "span[hosts=1]"],
}
PBS = {
    "train": ["-l", "select=1:ncpus=1:mem=8000mb:ngpus=1", "-l", "walltime=00:30:00"],
    "chain_words": ["-l", "select=1:ncpus=1:mem=2000mb", "-l", "walltime=01:00:00"],
}


SLURM = {
    "train": ["-t", "30", "--mem", "8000", "--nodes=1", "--requeue", "--cpus-per-gpu=1"],
    "chain_words": ["-t", "60", "--mem", "2000", "--requeue", "--ntasks=1", "--cpus-per-task=1"],
}


def test_each_rule_asks_for_what_it_needs_and_a_failure_is_seen(cluster, demo):
    cluster.does("fail")
    targets = [target(demo, job) for job in (TRAINING, CHAINS)]
    done = call(demo, cluster.kind, "--retries", "0", "-f", *targets)
    assert done.returncode == 1 and "At least one job did not complete successfully" in done.stderr
    assert all((demo.root / manifest).exists() for manifest in targets), "what was there before is there"
    for rule in ("train", "chain_words"):
        words = words_of(cluster, rule)
        if cluster.kind == "pbs":
            assert words[2:] == [*PBS[rule], "-r", "y", "-j", "oe", "-o", f"{demo.root.resolve()}/logs/pbs/"]
        elif cluster.kind == "lsf":
            assert words[4:8] == ["-e", words[3], "-env", "all"] and words[8:10] == ["-q", "normal"]
            assert words[10:-3] == LSF[rule] and words[-3:-1] == ["-cwd", str(demo.root)]
        else:
            assert words[words.index("-t") : words.index("-D")] == SLURM[rule]
            assert words[words.index("-D") + 1] == str(demo.root) and ("--gpus=1" in words) == (rule == "train")


@SLOW
def test_a_failed_job_is_submitted_again_with_more_memory(cluster, tmp_path):
    cluster.does("fail")
    project = small_demo(tmp_path / "project")
    assert call(project, cluster.kind, target(project, CORPUS)).returncode == 1
    calls = [" ".join(words[:-1]) for words in cluster.calls(SUBMIT[cluster.kind])]
    assert [re.search(r"mem[= ](\d+)", words)[1] for words in calls] == ["2000", "4000", "6000"]


@SLOW
def test_ctrl_c_cancels_the_jobs(cluster, tmp_path, monkeypatch):
    """Between two questions to the cluster: while it asks, snakemake does not know which jobs it has."""
    monkeypatch.setenv("POLL_S", "6")
    cluster.does("hang")
    project = small_demo(tmp_path / "project")
    words = command(cluster.kind, target(project, CORPUS))
    with (tmp_path / "screen").open("w") as screen:
        driver = subprocess.Popen(words, cwd=project.root, stdout=screen, stderr=screen, env=environment())
        while not cluster.calls(ASK[cluster.kind]):
            assert driver.poll() is None, (tmp_path / "screen").read_text()
            time.sleep(0.2)
        time.sleep(3)
        driver.send_signal(signal.SIGINT)
        assert driver.wait(timeout=120) != 0
    (words,) = cluster.calls(CANCEL[cluster.kind])
    assert "100" in words[0] or "100" in words


@pytest.fixture
def slurm(tmp_path, monkeypatch) -> Cluster:
    """Stand-ins for the commands of Slurm."""
    return Cluster(tmp_path / "cluster", "slurm", monkeypatch)


@pytest.mark.slow
def test_what_sbatch_refuses_is_said_in_its_own_words(slurm, demo):
    slurm.does("refuse")
    done = call(demo, "slurm", "--retries", "0", "-f", target(demo, CHAINS))
    assert done.returncode == 1
    assert "Requested node configuration is not available" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_run_ends_though_slurm_is_away_at_times_and_forgets_its_jobs(slurm, tmp_path):
    slurm.does("forget")
    project = small_demo(tmp_path / "project")
    done = call(project, "slurm", target(project, CORPUS))
    assert done.returncode == 0, done.stderr
    assert "Slurm no longer knows the job 100" in done.stderr and len(slurm.calls("sbatch")) == 1


@pytest.mark.slow
def test_a_job_in_the_queue_says_what_it_is(slurm, demo):
    """Its name is the run's, by which the plugin asks for it; `docmt status` reads the comment of the real plugin."""
    slurm.does("fail")
    call(demo, "slurm", "--retries", "0", "-f", target(demo, TRAINING))
    words = words_of(slurm, "train")
    assert words[words.index("--job-name") + 1].startswith("docmt_")
    comment = words[words.index("--comment") + 1]
    program = slurm.folder / "programs/squeue"
    program.write_text(f"#!/bin/sh\necho '100|PENDING|Resources|{demo.root}|{comment}'\n", encoding="utf-8")
    (job,), _ = read_queue(demo.root)
    assert (job.what, job.id) == ("train toy_zh-en_sentence_1", plan_of(demo.root).recipe(TRAINING).folder.name)


@SLOW
def test_pods_share_the_folder_and_ask_for_gpus_with_a_limit(demo, tmp_path, monkeypatch):
    need_plugin("kubernetes")
    notes = tmp_path / "pods.jsonl"
    monkeypatch.setenv("FAKE_PODS", str(notes))
    profile = "profiles/kubernetes/config.yaml"
    site = demo.read(profile) | {"kubernetes-service-account-name": "runner", "kubernetes-namespace": "mt"}
    demo.write(profile, site)
    targets = [target(demo, job) for job in (TRAINING, CHAINS)]
    done = call(demo, "kubernetes", "--retries", "0", "-f", *targets)
    assert done.returncode == 1 and "At least one job did not complete successfully" in done.stderr
    jobs = [json.loads(line) for line in notes.read_text().splitlines()]
    pods = {re.search(r"--target-jobs '(\w+):", pod_of(job)["containers"][0]["args"][1])[1]: job for job in jobs}
    assert {*pods} == {"train", "chain_words"}
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
    assert asked["chain_words"]["requests"] == {**disk, "memory": "2000M"}
    assert pod_of(pods["train"])["tolerations"][0]["key"] == "nvidia.com/gpu"


def pod_of(job: dict) -> dict:
    """The specification of the pod of a job of Kubernetes."""
    return job["spec"]["template"]["spec"]
