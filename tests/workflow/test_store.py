"""Runs with a store, by the real Snakemake: each artifact is pushed once, and a second team makes nothing."""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from helpers.support import Project

from docmt.base.manifest import read_manifest
from docmt.plan.pushing import PUSHED
from docmt.store.store import file_key

MODEL = "results/5_training/smoke/toy_zh-en/sentence/seed1/manifest.json"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    return folder


@pytest.fixture
def fresh(finished_demo: Project, tmp_path: Path) -> Project:
    """The settings of the demo, without any result."""
    root = tmp_path / "fresh"
    shutil.copytree(finished_demo.root, root, ignore=shutil.ignore_patterns("results", "logs", ".snakemake"))
    return Project(root)


def entries(place: Path) -> list[str]:
    return sorted(path.name for path in (place / "entries").rglob("*") if path.is_file())


def test_a_run_pushes_what_it_makes_and_a_second_team_makes_nothing(fresh: Project, place: Path, programs: Path):
    fresh.edit("config.yaml", "store", str(place))
    done = fresh.snakemake("--cores", "2", MODEL, check=True, programs=programs)
    assert f"docmt: pushed to {place}: 4 artifacts" in done.stderr
    assert len(entries(place)) == 4
    assert (fresh.root / PUSHED).read_text().count("\n") == 4
    shutil.rmtree(fresh.root / "results")
    done = fresh.snakemake("--cores", "2", MODEL, check=True, programs=programs)
    assert f"docmt: pulled from {place}: 1 artifact" in done.stderr and "1 training among 4 jobs" in done.stderr
    assert "Nothing to be done" in done.stdout + done.stderr
    shutil.rmtree(fresh.root / "results")
    done = fresh.snakemake(
        "--cores", "2", MODEL.replace("manifest", "record"), "--forcerun", "train", programs=programs
    )
    assert re.search(r"made +pulled\n", done.stderr), "the view is pulled for the training that is forced"
    assert "pushed to" not in done.stderr, "the store has this training"


def test_a_run_without_jobs_pushes_what_is_there_and_only_once(demo: Project, place: Path, programs: Path):
    demo.edit("config.yaml", "store", str(place))
    done = demo.snakemake("--cores", "1", MODEL, check=True, programs=programs)
    assert f"docmt: pushed to {place}: 4 artifacts" in done.stderr
    done = demo.snakemake("--cores", "1", MODEL, check=True, programs=programs)
    assert "pushed to" not in done.stderr


def test_a_store_that_cannot_be_written_costs_one_line(demo: Project, place: Path, programs: Path):
    demo.edit("config.yaml", "store", str(place))
    (place / "docmt-store.json").mkdir()
    done = demo.snakemake("--cores", "1", MODEL, "--config", "store_mode=push", check=True, programs=programs)
    assert done.stderr.count("4 artifacts, which the next run pushes") == 1


def test_without_a_mode_nothing_is_pulled_or_pushed(demo: Project, place: Path, programs: Path):
    demo.edit("config.yaml", "store", str(place))
    done = demo.snakemake("--cores", "1", MODEL, "--config", "store_mode=off", check=True, programs=programs)
    assert "pushed" not in done.stderr and not entries(place)


def test_a_poisoned_artifact_is_made_again_and_mended(fresh: Project, place: Path, programs: Path):
    fresh.edit("config.yaml", "store", str(place))
    fresh.snakemake("--cores", "2", MODEL, check=True, programs=programs)
    manifest = read_manifest(fresh.root / MODEL)
    weights = place / file_key(manifest.files["model/model.safetensors"].sha256)
    poisoned = weights.read_bytes()[:-1] + b"x"
    weights.chmod(0o644)
    weights.write_bytes(poisoned)
    shutil.rmtree(fresh.root / "results")
    done = fresh.snakemake("--cores", "2", MODEL, check=True, programs=programs)
    assert "docmt: not used from the store" in done.stderr and f"docmt: pushed to {place}: 1 artifact " in done.stderr
    assert (fresh.root / MODEL).exists() and weights.read_bytes() != poisoned
    shutil.rmtree(fresh.root / "results")
    done = fresh.snakemake("--cores", "2", MODEL, check=True, programs=programs)
    assert f"docmt: pulled from {place}: 1 artifact (" in done.stderr


@pytest.mark.slow
def test_after_the_end_of_a_driver_nothing_is_left_running_and_the_next_run_pushes_the_rest(fresh, place, programs):
    fresh.edit("config.yaml", "store", str(place))
    command = [sys.executable, "-m", "snakemake", "--cores", "1", MODEL]
    driver = subprocess.Popen(command, cwd=fresh.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not entries(place) and time.monotonic() < deadline:
        time.sleep(0.05)
    pushing = [child for child in psutil.Process(driver.pid).children() if "push-finished" in child.cmdline()]
    driver.kill()
    driver.wait()
    assert len(pushing) == 1
    psutil.wait_procs(pushing, timeout=60)
    assert not pushing[0].is_running()
    before = entries(place)
    assert 0 < len(before) <= 4
    fresh.snakemake("--unlock", check=True, programs=programs)
    done = fresh.snakemake("--cores", "1", MODEL, check=True, programs=programs)
    assert len(entries(place)) == 4 and set(before) <= set(entries(place))
    assert f"pushed to {place}: {4 - len(before)} artifact" in done.stderr or len(before) == 4
