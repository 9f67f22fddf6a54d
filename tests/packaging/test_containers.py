"""The images of containers/: both are of the same parts, with the versions of pins.txt, and the demo runs in them."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from helpers.planted_gpus import write_program
from helpers.support import ROOT, need, run

CONTAINERS = ROOT / "containers"
DOCKERFILE, DEFINITION = ((CONTAINERS / name).read_text() for name in ("Dockerfile", "docmt.def"))
IGNORED = (ROOT / ".dockerignore").read_text()


def module(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    loaded = module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


SECTIONS = module(ROOT / "benchmarks/containers.py").sections


def test_hadolint_has_nothing_to_say():
    done = run([Path(sys.executable).with_name("hadolint"), CONTAINERS / "Dockerfile"], cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_both_images_have_the_same_base_and_arguments():
    of_dockerfile = dict(re.findall(r"^ARG (\w+)=(.*)$", DOCKERFILE, re.MULTILINE))
    of_definition = dict(re.findall(r"^    (\w+)=(.*)$", SECTIONS()["arguments"], re.MULTILINE))
    assert of_dockerfile == of_definition
    assert set(of_dockerfile) == {"BASE_IMAGE", "TORCH", "EXTRAS"}
    assert re.fullmatch(r"debian:12\.\d+-slim", of_dockerfile["BASE_IMAGE"]), "a version, of which Python is 3.11"
    assert "python=3.11\n" in (ROOT / "envs/docmt.yaml").read_text()


def test_both_images_get_the_same_files():
    let_in = {line.removeprefix("!") for line in IGNORED.splitlines() if line.startswith("!")}
    copied = dict(line.split() for line in SECTIONS()["files"].strip().splitlines())
    assert set(copied) == let_in
    assert copied == {name: f"/opt/docmt/{name}" for name in let_in}
    assert all((ROOT / name).exists() for name in let_in)
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]["include"]
    assert {name.rstrip("*") for name in packages} <= let_in


def test_no_version_of_a_library_stands_beside_pins():
    for path in CONTAINERS.iterdir():
        if path.is_file():
            assert not re.findall(r"[\w-]+==\d[\w.]*", path.read_text()), path
    assert "-c pins.txt" in (CONTAINERS / "install.sh").read_text()


@pytest.mark.parametrize(
    ("file", "command", "expected"),
    [
        (None, "snakemake demo", "--snakefile /opt/docmt/Snakefile demo"),
        ("Snakefile", "snakemake demo", "demo"),
        ("workflow/Snakefile", "snakemake demo", "demo"),
        (None, "docmt list-targets", "list-targets"),
    ],
)
def test_the_workflow_of_the_image_is_used_where_the_folder_has_none(tmp_path, monkeypatch, file, command, expected):
    for program in ("snakemake", "docmt"):
        write_program(tmp_path / "bin" / program, 'echo "$@"\n')
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    (tmp_path / "work/workflow").mkdir(parents=True)
    if file:
        (tmp_path / "work" / file).touch()
    done = subprocess.run(
        [CONTAINERS / "run.sh", *command.split()], cwd=tmp_path / "work", capture_output=True, text=True
    )
    assert done.stdout.strip() == expected


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="debootstrap and buildah in a chroot need root")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", ["dockerfile", "definition"])
def test_the_demo_runs_in_an_image(tmp_path_factory, kind):
    need("buildah")
    need("debootstrap")
    folder = tmp_path_factory.getbasetemp() / "images"
    done = run([sys.executable, ROOT / "benchmarks/containers.py", folder, kind], cwd=ROOT, timeout=3500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"report: \d{5,} bytes, of user 12345", done.stdout), done.stdout
