"""A wheel of docmt runs without a clone."""

import shutil
import site
import subprocess
import sys
import tomllib
import venv

import pytest
from helpers.support import ROOT, run

BROUGHT = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["data-files"]


def test_it_has_every_file_that_a_study_folder_links_or_copies():
    tracked = run(["git", "ls-files", "workflow", "envs", "profiles", "slurm", "Snakefile", "config.yaml"], cwd=ROOT)
    places = {}
    for folder, patterns in BROUGHT.items():
        for path in (path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()):
            places[str(path.relative_to(ROOT))] = folder.removeprefix("share/docmt").strip("/")
    assert places == {name: name.rpartition("/")[0] for name in tracked.stdout.splitlines()}


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_demo_runs_in_an_empty_folder_with_the_wheel_alone(tmp_path):
    """The libraries are those of these tests; docmt itself comes from the wheel."""
    home, here = tmp_path / "env", tmp_path / "here"
    here.mkdir()
    clone = tmp_path / "clone"
    run(["git", "clone", "-q", ROOT, clone], cwd=ROOT, check=True)
    run([sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", tmp_path, clone], cwd=tmp_path, check=True)
    shutil.rmtree(clone)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(home, with_pip=True)
    run([home / "bin" / "pip", "install", "--no-deps", wheel], cwd=here, check=True)
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()))
    for words in (
        ("docmt.cli.main", "init"),
        ("snakemake", "--cores", "2", "--config", "scale=smoke"),
        ("docmt.cli.main", "status", "demo", "--config", "scale=smoke"),
    ):
        done = subprocess.run([home / "bin" / "python", "-m", *words], cwd=here, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (here / "results/report@smoke.html").exists()
