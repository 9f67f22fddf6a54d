"""A system whose translations a program makes goes through the workflow; a run that was killed loses no answer."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest
from helpers.command_line import output
from helpers.places import target
from helpers.plans import to_make
from helpers.planted import at
from helpers.score_files import scores_in
from helpers.support import ROOT, SMOKE, Project, small_demo

from docmt.base.artifacts import SCRATCH

DECODED, SCORES = (f"{stage}/toy_zh-en/service/seed1" for stage in ("6_asked", "7_scores"))
WAIT_S = 120
HANGS = "3"
"""The id of the request that the program does not answer the first time."""


@pytest.fixture
def service(tmp_path) -> Project:
    """A study of a system that is a program: it answers sentences in capitals, and hangs once."""
    project = small_demo(tmp_path / "project")
    sizes = {"train_documents": 40, "dev_documents": 2, "test_documents": 6, "contrastive_items": 2}
    corpus = project.read("workflow/corpora/toy_zh-en.yaml")
    project.write("workflow/corpora/toy_zh-en.yaml", {**corpus, "reader": {"kind": "toy", **sizes}, "expected": {}})
    smoke = project.read(SMOKE)
    project.write("workflow/scales/tiny.yaml", {"about": "a", **{k: smoke[k] for k in ("model", "train", "decode")}})
    run = [sys.executable, "-S", str(ROOT / "tests/helpers/answering.py"), "notes", "late", HANGS]
    text = project.read("workflow/studies/demo.yaml")["systems"]["sentence"]["text"]
    systems = {"service": {"text": text, "command": {"run": run}}}
    project.write("mine.yaml", {"study": "mine", "title": "A", "corpora": ["toy_zh-en"], "systems": systems})
    project.edit("config.yaml", "studies", ["mine.yaml"])
    project.edit("config.yaml", "scale", "tiny")
    return project


def notes(project: Project) -> list[str]:
    """The ids of the requests that the program has read."""
    path = project.root / "notes"
    return [line for line in path.read_text(encoding="utf-8").split() if line.isdigit()] if path.exists() else []


def killed(project: Project, programs: Path) -> None:
    """Run the workflow until the program hangs, and kill everything at once with SIGKILL; what it asks of is there."""
    before = ("--quiet", "all", "--cores", "1", target(project, DECODED), "--omit-from", "ask")
    project.snakemake(*before, check=True, programs=programs)
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--nolock", target(project, DECODED)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with (project.root / "screen.txt").open("w") as stream:
        driver = subprocess.Popen(
            command, cwd=project.root, env=environment, stdout=stream, stderr=stream, start_new_session=True
        )
    deadline = time.monotonic() + WAIT_S
    while notes(project)[-1:] != [HANGS]:
        screen = (project.root / "screen.txt").read_text(encoding="utf-8")
        assert driver.poll() is None and time.monotonic() < deadline, screen
        time.sleep(0.02)
    processes = psutil.Process(driver.pid).children(recursive=True)
    assert any("answering.py" in " ".join(process.cmdline()) for process in processes)
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait(WAIT_S)
    assert not psutil.wait_procs(processes, timeout=WAIT_S)[1], "the program has outlived its job"


@pytest.mark.slow
def test_nothing_is_translated_twice_and_nothing_is_lost(service, programs):
    killed(service, programs)
    decoded, scores = ((service.root / target(service, place)).parent for place in (DECODED, SCORES))
    (journal,) = (decoded / SCRATCH).iterdir()
    assert len(journal.read_text(encoding="utf-8").splitlines()) == 2
    assert not (decoded / "decoding.json").exists()

    options = ("--quiet", "all", "--cores", "1", "--nolock")
    service.snakemake(*options, target(service, SCORES), check=True, programs=programs)
    assert notes(service) == ["1", "2", "3", "3", "4", "5", "6"], "the third had no answer"
    table = pq.read_table(service.root / at(service, "1_corpus/toy_zh-en") / "documents.parquet").to_pylist()
    sources = [row["source"] for row in table if row["split"] == "test"]
    lines = (decoded / "test.txt").read_text(encoding="utf-8").splitlines()
    assert lines == [source.upper() for source in sources]
    record = json.loads((decoded / "decoding.json").read_text(encoding="utf-8"))
    assert (record["strategy"], record["lines"], record["stand_in"]) == ("command", "sentences", False)
    assert "s-BLEU" in scores_in(scores)
    assert not (decoded / SCRATCH).exists()
    assert to_make(service.root, target(service, SCORES)) == set()

    asked = len(notes(service))
    service.edit("mine.yaml", "systems/service/command/version", "another")
    service.snakemake(*options, target(service, DECODED), check=True, programs=programs)
    assert len(notes(service)) == asked + 6, "changed settings use no old answer"


def test_a_program_that_fails_is_told_with_its_name_and_its_answers_are_left(service, programs):
    run = [sys.executable, "-S", str(ROOT / "tests/helpers/answering.py"), "notes", "crash!", "2"]
    service.edit("mine.yaml", "systems/service/command", {"run": run, "retries": 1})
    done = service.snakemake("--quiet", "all", "--cores", "1", target(service, DECODED), programs=programs)
    assert done.returncode != 0
    folder = (service.root / target(service, DECODED)).parent
    log = (folder / "log.1.txt").read_text(encoding="utf-8")
    assert "docmt: service: command.run: the program gave no usable answer" in log
    assert "it ended with status 3, for the request '2', which was sent 2 times" in log
    assert not (folder / "decoding.json").exists()
    assert len(list((folder / SCRATCH).iterdir())) == 1
    rows = json.loads(output("list-results", "--root", service.root, "--json"))
    assert [row["is_finished"] for row in rows if row["path"] == str(folder.relative_to(service.root))] == [False]
