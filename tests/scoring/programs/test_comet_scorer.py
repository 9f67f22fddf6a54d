"""docmt's program for COMET with the real unbabel-comet, in an environment made from pins.comet.txt."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from helpers.support import ROOT

from docmt.scoring.comet import CometProgram

HELPER = ROOT / "tests/helpers/comet_checkpoint.py"
DOCUMENTS = [
    [("ab cd", "ab ce", "ab cd"), ("ef", "ef gh", "ef g"), ("i j k", "i", "i j"), ("a", "b", "c")],
    [("long " * 40, "ab", "long " * 40), ("xy", "xz", "xy")],
]


@pytest.fixture(scope="session")
def python(tmp_path_factory) -> Path:
    """The Python of an environment with unbabel-comet: that of DOCMT_COMET, or of one that is made here."""
    if given := os.environ.get("DOCMT_COMET"):
        return Path(given)
    folder = tmp_path_factory.mktemp("comet") / "environment"
    venv.create(folder, with_pip=True)
    pip = [folder / "bin/pip", "install", "-q", "-r", ROOT / "pins.comet.txt"]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"needs unbabel-comet, which pip cannot install here: {done.stderr[-500:]}")
    return folder / "bin/python"


@pytest.fixture(scope="session")
def checkpoint(python, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoint")
    subprocess.run([python, "-I", HELPER, "make", folder], check=True)
    return folder


def by_the_package(python: Path, checkpoint: Path, context: int) -> list[float]:
    """The scores that the package itself gives: `comet-score`'s own calls on lines with context."""
    command = [python, "-I", HELPER, "score", checkpoint, str(context)]
    done = subprocess.run(command, input=json.dumps(DOCUMENTS), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_scores_are_those_of_the_package(python, checkpoint):
    program = CometProgram((str(python),), checkpoint, checkpoint / "encoder", 2, "cpu")
    answers = program.measure(DOCUMENTS, {"COMET": 0, "doc-COMET": 2})
    for name, context in (("COMET", 0), ("doc-COMET", 2)):
        expected = by_the_package(python, checkpoint, context)
        assert answers[name]["scores"] == pytest.approx(expected, abs=1e-6)
    assert answers["COMET"]["scores"] != answers["doc-COMET"]["scores"]
    # The first sentence of a document has no context.
    assert answers["COMET"]["scores"][0] == pytest.approx(answers["doc-COMET"]["scores"][0], abs=1e-6)
    assert (answers["COMET"]["cut"], answers["COMET"]["less_context"]) == (1, 0)
    assert (answers["doc-COMET"]["cut"], answers["doc-COMET"]["less_context"]) == (1, 1)
    assert answers["COMET"]["version"][0].isdigit() and answers["COMET"]["reads_references"]


def test_the_program_needs_no_docmt():
    """It starts in an environment that has neither docmt nor comet, as far as its options."""
    program = ROOT / "docmt/scoring/programs/comet_scorer.py"
    done = subprocess.run([sys.executable, "-I", "-S", program, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--encoder" in done.stdout
