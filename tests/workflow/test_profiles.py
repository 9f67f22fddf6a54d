"""The profiles of clusters: the options that they state, and the scripts of PBS."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest
import yaml
from helpers.support import ROOT
from snakemake.cli import get_argument_parser
from snakemake_interface_executor_plugins.registry import ExecutorPluginRegistry

EXECUTORS = {"slurm": "docmt-slurm", "lsf": "lsf", "kubernetes": "kubernetes", "pbs": "cluster-generic"}


def folder_of(profile: str) -> str:
    """Return the folder that `--profile` names."""
    return profile if profile == "slurm" else f"profiles/{profile}"


def need_plugin(profile: str) -> None:
    """Skip a test where the plugin of a profile is not installed; fail it in CI, which installs the extra `test`."""
    name = f"snakemake_executor_plugin_{EXECUTORS[profile].replace('-', '_')}"
    if importlib.util.find_spec(name) is None:
        tell = pytest.fail if os.environ.get("CI") else pytest.skip
        tell(f"needs {name}: the extra {profile}")


def stated(profile: str, monkeypatch):
    """The options of snakemake by a profile; an unknown option ends the parser."""
    need_plugin(profile)
    monkeypatch.chdir(ROOT)
    ExecutorPluginRegistry().collect_plugins()
    parser = get_argument_parser(profiles=[folder_of(profile)])
    return parser.parse_args(["--profile", folder_of(profile)])


@pytest.mark.parametrize("profile", EXECUTORS)
def test_a_profile_is_found_and_states_options_that_snakemake_knows(profile, monkeypatch):
    options = stated(profile, monkeypatch)
    assert options.executor == EXECUTORS[profile]
    assert (options.retries, options.jobs, options.latency_wait, options.keep_going) == (2, 40, 60, True)
    assert {"mem_mb", "runtime"} <= {*options.default_resources.keys()}
    assert options.max_jobs_per_timespan.timespan == 30


def test_every_call_keeps_what_a_failed_job_leaves_and_takes_no_other_trigger():
    """`update` alone does not keep a manifest: see tests/workflow/test_drivers.py."""
    always = yaml.safe_load((ROOT / "profiles/default/config.yaml").read_text(encoding="utf-8"))
    assert always["keep-incomplete"] is always["rerun-incomplete"] is True
    assert always["rerun-triggers"] == ["mtime", "params"]


def test_jobs_of_slurm_are_asked_for_by_squeue_and_start_again_after_preemption(monkeypatch):
    options = stated("slurm", monkeypatch)
    stated_options = (options.docmt_slurm_status_command, options.docmt_slurm_requeue)
    assert (*stated_options, options.docmt_slurm_jobname_prefix) == ("squeue", True, "docmt")


def test_pods_share_a_volume_with_the_folder_of_the_project(monkeypatch):
    options = stated("kubernetes", monkeypatch)
    (volume,) = options.kubernetes_persistent_volumes
    name, path = (volume.name, str(volume.path)) if hasattr(volume, "name") else volume.split(":")
    assert name == "docmt" and options.precommand.startswith(f"cd {path}/")


def test_the_scripts_of_pbs_are_those_that_its_profile_names(monkeypatch):
    options = stated("pbs", monkeypatch)
    for command in (options.cluster_generic_submit_cmd, options.cluster_generic_status_cmd):
        assert os.access(ROOT / command, os.X_OK)
    assert options.cluster_generic_cancel_cmd == "qdel"


@pytest.fixture
def pbs(tmp_path, monkeypatch):
    """Run a script of PBS in a folder, with stand-ins for commands as shell scripts; what it returned and printed."""
    (tmp_path / "programs").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}:{os.environ['PATH']}")
    monkeypatch.setenv("DOCMT_PBS_WAIT_S", "0")

    def call(script: str, *words: str, **commands: str) -> subprocess.CompletedProcess:
        for name, text in commands.items():
            (tmp_path / "programs" / name).write_text(f"#!/bin/sh\n{text}\n")
            (tmp_path / "programs" / name).chmod(0o755)
        command = [sys.executable, ROOT / "profiles/pbs" / script, *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    return call


@pytest.mark.parametrize(
    ("qstat", "file", "expected"),
    [
        ("echo '    job_state = R'", None, "running"),
        ("echo '    job_state = E'", "0", "running"),
        ("echo '    job_state = F'", "0", "success"),
        ("echo '    job_state = F'", None, "failed"),
        ("echo 'qstat: Unknown Job Id 7.server' >&2; exit 153", "0", "success"),
        ("echo 'qstat: Unknown Job Id 7.server' >&2; exit 153", None, "failed"),
        ("echo 'qstat: 7.server Job has finished, use -x or -H' >&2; exit 35", "0", "success"),
        ("echo 'qstat: cannot connect to server (errno=15010)' >&2; exit 255", None, "running"),
    ],
)
def test_the_state_of_a_job_of_pbs(pbs, tmp_path, qstat, file, expected):
    if file is not None:
        (tmp_path / "logs/pbs").mkdir(parents=True)
        (tmp_path / "logs/pbs/7.server.status").write_text(f"{file}\n")
    done = pbs("status", "7.server", qstat=qstat)
    assert (done.returncode, done.stdout) == (0, f"{expected}\n")


PROPERTIES = {
    "rule": "train",
    "wildcards": {"corpus": "toy_zh-en@smoke", "system": "it's $(here)", "seed": "1"},
    "threads": 4,
    "resources": {"mem_mb": 8000, "runtime": 1440, "gpu": 2, "pbs_options": "-q gpu -l place='excl host'"},
}


def submitted(pbs, tmp_path, properties: dict, *options: str, ends: str = "exit 0") -> tuple[list[str], str]:
    """The words that qsub gets, and the script."""
    script = f"#!/bin/sh\n# properties = {json.dumps(properties)}\n{ends}\n"
    (tmp_path / "job.sh").write_text(script)
    done = pbs("submit", *options, "job.sh", qsub='cat > sent.sh; printf "%s\\n" "$@" > words; echo 7.server')
    assert (done.returncode, done.stdout) == (0, "7.server\n"), done.stderr
    return (tmp_path / "words").read_text().splitlines(), (tmp_path / "sent.sh").read_text()


def test_a_job_asks_pbs_for_what_its_rule_needs_and_names_are_no_code(pbs, tmp_path):
    words, _ = submitted(pbs, tmp_path, PROPERTIES, "-P", "my project")
    assert words == [
        *("-N", "docmt-train-toy_zh-en-smoke-it-s---here--1"),
        *("-l", "select=1:ncpus=4:mem=8000mb:ngpus=2", "-l", "walltime=24:00:00"),
        *("-r", "y", "-j", "oe", "-o", f"{tmp_path}/logs/pbs/", "-P", "my project", "-q", "gpu"),
        *("-l", "place=excl host"),
    ]


@pytest.mark.parametrize(("ends", "status"), [("true && exit 0 || exit 1", "0"), ("false && exit 0 || exit 1", "1")])
def test_a_job_of_pbs_writes_how_it_ended(pbs, tmp_path, ends, status):
    _, script = submitted(pbs, tmp_path, PROPERTIES, ends=ends)
    (tmp_path / "logs/pbs/7.server.status").write_text("0, of an earlier attempt")
    subprocess.run(["sh"], input=script, text=True, env={**os.environ, "PBS_JOBID": "7.server"})
    assert (tmp_path / "logs/pbs/7.server.status").read_text() == f"{status}\n"


def test_a_refusal_of_qsub_is_passed_on(pbs, tmp_path):
    (tmp_path / "job.sh").write_text(f"#!/bin/sh\n# properties = {json.dumps(PROPERTIES)}\nexit 0\n")
    done = pbs("submit", "job.sh", qsub="echo 'qsub: Unknown queue' >&2; exit 170")
    assert (done.returncode, done.stdout, done.stderr) == (170, "", "qsub: Unknown queue\n")
