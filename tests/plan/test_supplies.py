"""What corpora and checkpoints need: their states, their sizes, and how a person gets them."""

from pathlib import Path

import pytest
from helpers.catalogue_files import corpus_config
from helpers.finished import finish
from helpers.small_grid import CORPUS, STUDY

from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.files import FileConfig, SourceConfig
from docmt.catalogue.forms import ReaderConfig
from docmt.catalogue.missing import Places
from docmt.grid.grid import load_grid
from docmt.plan.plan import Job, Plan
from docmt.plan.run import grid_of_run
from docmt.plan.supplies import Supplies, Supply, corpus_supply, left_out_lines, together

HUB = SourceConfig(url="https://huggingface.co/a/resolve/main/b", grade="B")
GUESS = SourceConfig(url="https://example.org/guess", grade="D")
PUBLIC = FileConfig(name="train.en", sources=(GUESS, HUB), size=7)
UNSIZED = FileConfig(name="train.de", sources=(HUB,))
GUESSED = FileConfig(name="ted.tgz", sources=(GUESS,), obtain="Ask  FBK.", size=100)
LDC = FileConfig(name="train.zh", licence="LDC", obtain="Ask the LDC.")


def corpus(*files: FileConfig) -> CorpusConfig:
    return corpus_config(ReaderConfig("toy"), "news", files=files)


def supply(tmp_path: Path, *files: FileConfig, mirror: str | None = None) -> Supply:
    return corpus_supply(corpus(*files), Places(tmp_path / "results", mirror))


def test_the_states_of_corpora(tmp_path):
    assert supply(tmp_path) == Supply("news")
    assert supply(tmp_path, PUBLIC) == Supply("news", "to-fetch", 7)
    assert supply(tmp_path, PUBLIC, UNSIZED) == Supply("news", "to-fetch", 7, False)
    missing = Supply("news", "by-hand", 7, True, "news is missing: ted.tgz", "Ask FBK.")
    assert supply(tmp_path, PUBLIC, GUESSED) == missing, "a guess is no source to rely on"
    assert supply(tmp_path, LDC, GUESSED).state == "licence"
    nothing = supply(tmp_path, *(FileConfig(name=f"part{number}") for number in range(5)))
    assert (nothing.reason, nothing.way) == ("news is missing: part0 and 4 more files", "No public source is known.")


def test_what_is_here_is_ready(tmp_path):
    (tmp_path / "mirror").mkdir()
    for file in (LDC, GUESSED):
        (tmp_path / "mirror" / file.name).write_text("text")
    assert supply(tmp_path, LDC, GUESSED, mirror=str(tmp_path / "mirror")).state == "ready"
    assert supply(tmp_path, LDC, mirror="https://example.org/mirror").state == "to-fetch", "nobody knows before"


def test_what_was_read_needs_its_files_no_more(small):
    files = [{"name": "a.zh", "licence": "LDC", "obtain": "Ask the LDC.", "sha256": "1" * 64}]
    small.write("workflow/corpora/toy.yaml", {**CORPUS, "corpus": "toy", "files": files})
    assert Supplies(load_grid(small.root), small.root).corpus("toy").state == "licence"
    finish(Plan(load_grid(small.root), small.root), [Job.of("corpus", corpus="toy")])
    assert Supplies(load_grid(small.root), small.root).corpus("toy") == Supply("toy")


def test_the_worst_state_counts():
    supplies = [Supply("a", "to-fetch", 3), Supply("b", "by-hand", 4, False), Supply("c")]
    assert together(supplies) == Supply("", "by-hand", 7, False)
    assert together([*supplies, Supply("d", "licence")]).state == "licence"
    assert together([]) == Supply("", "ready", 0, True)


CHECKPOINT = {
    "set": "bert",
    "kind": "checkpoint",
    "about": "a",
    "licence": "Apache-2.0",
    "citation": "c",
    "folder": "models/bert",
    "gigabytes": 0.5,
    "files": [{"name": "config.json", "sources": [HUB.url]}],
}


@pytest.fixture
def started(small):
    """A study whose systems start from a checkpoint of `workflow/downloads`, beside one that does not."""
    small.edit("config.yaml", "texts/pieces", {"pretrained": "models/bert"})
    small.edit(STUDY, "systems/sentence", {"text": "pieces", "pretrained": "models/bert"})
    small.edit(STUDY, "systems/plain", {})
    small.write("workflow/downloads/bert.yaml", CHECKPOINT)
    return small


def test_a_checkpoint_needs_consent(started, monkeypatch):
    reason = "models/bert is missing: a pretrained model"
    missing = Supplies(load_grid(started.root), started.root).checkpoint("models/bert")
    assert (missing.state, missing.reason) == ("by-hand", reason)
    assert "`docmt fetch-files bert`, downloads it (0.5 GB; licence: Apache-2.0)" in missing.way
    agreed = Supplies(load_grid(started.root, {"fetch_checkpoints": True}), started.root)
    assert agreed.checkpoint("models/bert") == Supply("models/bert", "to-fetch", 5e8)
    assert agreed.checkpoint("elsewhere/bert").way == "Put a checkpoint into the folder elsewhere/bert."
    monkeypatch.chdir(started.root)
    grid = grid_of_run(started.root, {})
    assert grid.not_run == {"models/bert": reason} and grid.ways == {"models/bert": missing.way}
    assert left_out_lines(grid, ["one"]) == [f"left out: 5 runs: {reason}. {missing.way}"]
    assert left_out_lines(grid, []) == []
    assert grid_of_run(started.root, {"missing": "stop"}).not_run == {}


def test_a_corpus_that_needs_a_licence_leaves_out_its_systems(small, monkeypatch):
    files = [{"name": "a.zh", "licence": "LDC", "obtain": "Ask the LDC."}]
    small.write("workflow/corpora/large.yaml", {**CORPUS, "corpus": "large", "files": files})
    small.edit(STUDY, "corpora", ["toy", "large"])
    monkeypatch.chdir(small.root)
    grid = grid_of_run(small.root, {})
    assert grid.not_run == {"large": "large is missing: a.zh"}
    assert left_out_lines(grid, ["one"]) == ["left out: 5 runs: large is missing: a.zh. Ask the LDC."]
