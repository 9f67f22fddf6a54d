"""Pins, set-up commands, style, and the direction of imports."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from helpers.support import ROOT, run

TOOLS = Path(sys.executable).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def pins() -> dict[str, str]:
    lines = (ROOT / "pins.txt").read_text().splitlines()
    return dict(line.lower().split("==") for line in lines if line and not line.startswith("#"))


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


RANGES = {"snakemake"}
"""What users may have in versions other than the pinned one, within the range in pyproject.toml."""
STATED = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"]
NEEDED = {normal(re.split("[<>=~]", line)[0]) for line in STATED}


def test_every_dependency_is_pinned_in_one_place():
    assert {normal(name) for name in pins()} >= NEEDED
    ranges = {re.split("[<>=~]", line)[0] for line in STATED if re.search("[<>=~]", line)}
    assert ranges == RANGES, "other versions stand in pins.txt only"


def test_the_conda_environment_has_the_same_pins():
    environment = yaml.safe_load((ROOT / "envs" / "docmt.yaml").read_text())
    conda = environment["dependencies"][-1]["pip"]
    pinned = {normal(name): version for name, version in pins().items()}
    assert {normal(line.split("==")[0]) for line in conda} == NEEDED
    assert {normal(name): version for name, version in (line.split("==") for line in conda)} == {
        name: pinned[name] for name in NEEDED
    }


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        ("snakefmt", "--check", "-l", "120", "Snakefile", "workflow"),
        ("lint-imports",),
    ],
    ids=" ".join,
)
def test_style_and_layers(command):
    done = run([TOOLS / command[0], *command[1:]], cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_passes_its_linter(project):
    """Jobs write logs into their folders, a file an attempt: Snakemake would delete the log of a rule before a job.

    `show` sets links with programs that every system has, and needs no software of its own.
    """
    text = project.snakemake("--lint").stderr
    parts = re.split(r"^Lints for ", text, flags=re.M)[1:]
    lints = [
        (re.split(" [(]|:", part)[0], title) for part in parts for title in re.findall(r"^    \* (.*?):?$", part, re.M)
    ]
    assert lints, text
    others = [(subject, title) for subject, title in lints if title != "No log directive defined"]
    assert others == [("rule show", "Specify a conda environment or container for each rule.")]


def test_models_need_nothing_but_torch_numpy_pyarrow_and_safetensors():
    """The machines with GPUs have no more than these."""
    hide = (
        "import sys\n"
        "class Hide:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in hidden: raise ModuleNotFoundError(name)\n"
        "hidden = {'yaml', 'rich', 'typer', 'jaxtyping', 'beartype', 'jieba', 'sacrebleu', 'tensorboard'}\n"
        "hidden |= {'polars', 'tokenizers', 'transformers'}\n"
        "sys.meta_path.insert(0, Hide())\n"
        "import docmt.nn.streams, docmt.models, docmt.models.store, docmt.search.beam, docmt.search.forced\n"
        "import docmt.training.job, docmt.decoding.translator\n"
        "from importlib import import_module\n"
        "from docmt.settings.models import MODELS\n"
        "[import_module(row.model.split(':')[0]) for row in MODELS.values()]\n"
    )
    done = subprocess.run([sys.executable, "-c", hide], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
