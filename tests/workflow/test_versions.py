"""The oldest Snakemake that pyproject.toml allows, and versions since, plan and make what the pinned one does."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from helpers.support import ROOT, Project, environment, planned_jobs, run, small_demo

from docmt.base.manifest import read_manifest

VERSIONS = ("9.5.1", "9.13.7", "9.22.0")


def snakemake_of(version: str, folder: Path) -> list:
    """Install a version beside the packages of this Python, and return the beginning of its command line."""
    command = [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder), f"snakemake=={version}"]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip(f"needs a registry of packages that has snakemake {version}")
    return ["env", f"PYTHONPATH={folder}:{environment()['PYTHONPATH']}", sys.executable, "-m", "snakemake"]


def contents(project: Project) -> dict[str, str]:
    """The digests of all artifacts but pages, which say how long trainings took."""
    manifests = (project.root / "results").glob("[0-7]_*/**/manifest.json")
    return {str(path.relative_to(project.root)): read_manifest(path).content for path in manifests}


def test_the_oldest_version_is_the_one_that_is_allowed():
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert f"snakemake>={VERSIONS[0]},<10" in stated


@pytest.mark.nightly
@pytest.mark.parametrize("version", VERSIONS)
def test_another_version_plans_the_same_jobs(version, project, tmp_path):
    command = snakemake_of(version, tmp_path / version)
    done = run([*command, "-n", "demo"], cwd=project.root, check=True)
    counted = sum(line.startswith(("rule ", "localrule ")) for line in (done.stdout + done.stderr).splitlines())
    assert counted == len(planned_jobs(project, "demo"))


@pytest.mark.nightly
def test_the_oldest_version_makes_the_same_artifacts(finished_demo, tmp_path):
    project = small_demo(tmp_path / "project")
    run([*snakemake_of(VERSIONS[0], tmp_path / "old"), "--cores", "2"], cwd=project.root, check=True, timeout=1800)
    mine, theirs = contents(project), contents(finished_demo)
    assert mine.keys() == theirs.keys()
    assert {name for name in mine if mine[name] != theirs[name]} == set()
