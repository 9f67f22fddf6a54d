"""The Python examples of docs/ need nothing but what README's first command installs."""

import re
import shutil
import sys
from importlib import metadata

import pytest
from helpers.first_command import hiding, installed_by_readme
from helpers.how_to import blocks_of
from helpers.python_examples import examples, files_to_write, imported
from helpers.support import ROOT, run
from packaging.utils import canonicalize_name


def test_what_an_example_imports_is_a_plain_dependency():
    owners = metadata.packages_distributions()
    wanted = {(name, package) for name, code in (examples() | files_to_write()).items() for package in imported(code)}
    assert {"polars", "pandas", "matplotlib", "torch"} <= {package for _, package in wanted}
    lacking = [pair for pair in wanted if not installed_by_readme() & {*map(canonicalize_name, owners[pair[1]])}]
    assert not lacking, "README's first command does not install it"


@pytest.mark.parametrize(
    ("code", "packages"),
    [
        ("import os, numpy.linalg\nfrom torch import nn\n", {"numpy", "torch"}),
        (">>> import docmt, polars\n>>> from docmt.base import chains\n3\n", {"polars"}),
        ("def f():\n    from . import x\n    import pandas as pd\n", {"pandas"}),
    ],
)
def test_imports_are_found_in_scripts_and_sessions(code, packages):
    assert imported(code) == packages


def test_extras_are_hidden_and_plain_dependencies_are_not():
    code = (
        hiding()
        + "import polars, sacrebleu, yaml\ntry:\n    import ctranslate2\nexcept ImportError:\n    print('hidden')"
    )
    assert run([sys.executable, "-c", code], cwd=ROOT, check=True).stdout == "hidden\n"


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_examples_run_in_the_environment_of_readmes_first_command(example_folder, tmp_path, monkeypatch):
    """A clone, README's first command in it but for the run, and then each example after the demo."""
    clone, folder = tmp_path / "docmt", tmp_path / "project"
    shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(".git", ".venv", "results", "*.egg-info"))
    shutil.copytree(example_folder, folder, symlinks=True, ignore=shutil.ignore_patterns("exported_model"))
    (folder / "talk.txt").write_text("他来了。\n", encoding="utf-8")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("MPLBACKEND", "agg")
    command = blocks_of((ROOT / "README.md").read_text(encoding="utf-8"))[0].body
    assert command.endswith(" && snakemake\n")
    run(["bash", "-e", "-c", command.removesuffix(" && snakemake\n")], cwd=clone, check=True, timeout=1800)
    python = clone / ".venv/bin/python"
    failed = {}
    for name, code in examples().items():
        (folder / name).write_text(re.sub(r"^```.*", "", code, flags=re.MULTILINE), encoding="utf-8")
        session = ("-m", "doctest", "-o", "ELLIPSIS") if name.endswith(".txt") else ()
        done = run([python, *session, name], cwd=folder)
        if done.returncode:
            failed[name] = done.stdout[-2000:] + done.stderr[-2000:]
    assert not failed
