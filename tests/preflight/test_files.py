"""Files from outside that targets need: corpora, checkpoints, translations, files of scores, and their sources."""

import http.server
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.servers import serving
from helpers.small_grid import CORPUS, STUDY
from helpers.support import Project

from docmt.grid.grid import load_grid
from docmt.preflight.checkpoints import check_checkpoints
from docmt.preflight.finding import RunFinding
from docmt.preflight.network import check_network
from docmt.preflight.planned import PlannedRun, planned_run
from docmt.preflight.sources import check_places, check_sources

SCORES = "results/7_scores/{}/{}/seed1"
CHECKPOINT = {"kind": "checkpoint", "about": "a", "licence": "l", "citation": "c", "gigabytes": 0.5}


@pytest.fixture
def project(small, monkeypatch) -> Project:
    """A study on three corpora: a generated one, one by hand, and one whose files a run downloads."""
    corpora = {
        "large": [{"name": "a.zh", "obtain": "Ask me."}],
        "public": [{"name": "b.zh", "size": 2_000_000_000, "sources": ["http://one.example/b.zh"]}, {"name": "c.zh"}],
    }
    corpora["public"][1]["sources"] = ["http://one.example/c.zh", "http://two.example/c.zh"]
    for name, files in corpora.items():
        small.write(f"workflow/corpora/{name}.yaml", {**CORPUS, "corpus": name, "files": files})
    small.edit(STUDY, "corpora", ["toy", *corpora])
    monkeypatch.chdir(small.root)
    return small


def run_of(*targets: str, **config) -> PlannedRun:
    return planned_run(load_grid(Path(), config), targets or ["one"])[0]


def told(findings: Iterator[RunFinding]) -> list[tuple[str, str]]:
    return [(finding.level, finding.text) for finding in findings]


def test_studies_leave_out_what_only_a_person_can_bring(project):
    (level, text), (_, fact) = told(check_sources(run_of()))
    assert level == "warning" and text == (
        "workflow/corpora/large.yaml: files are missing that only a person can bring\n"
        "  found in no folder: a.zh; expected in results/1_corpus/large/downloads/, a folder of `local`, or the "
        "mirror\n"
        "  Ask me. A run leaves out the systems that need them (`missing: skip`)."
    )
    assert fact.startswith("to download: 2 files, 2 GB, and files of unknown size")


def test_single_targets_and_missing_stop_are_refused(project):
    target = SCORES.format("large", "sentence")
    for run in (run_of(target), run_of(missing="stop")):
        level, text = told(check_sources(run))[0]
        assert level == "error" and text.endswith("\n  Ask me.")


def test_a_file_in_a_mirror_is_there(project):
    project.write("mirror/a.zh", "x")
    assert [level for level, _ in told(check_sources(run_of(mirror="mirror")))] == ["fact"]


def test_several_files_of_one_name_are_named(project):
    for folder in ("one", "two"):
        project.write(f"own/{folder}/a.zh", "x")
    texts = [text for _, text in told(check_sources(run_of(local={"large": "own"})))]
    assert any("several files are named a.zh" in text for text in texts)


def test_folders_and_files_of_config_yaml_that_are_not_there(project):
    grid = load_grid(Path(), {"mirror": "no/mirror", "local": {"large": "no/ldc"}, "human": {"one": "judged.json"}})
    assert [finding.message.where for finding in check_places(grid)] == [
        "config.yaml mirror", "config.yaml human.one", "config.yaml local.large",
    ]  # fmt: skip
    assert told(check_places(load_grid(Path(), {"mirror": "http://one.example"}))) == []


def test_translations_of_others_and_files_of_scores(project):
    external = {"text": "joint", "corpora": ["toy"], "translations": {"path": "others/google.txt"}}
    project.edit(STUDY, "systems/google", external)
    project.edit(STUDY, "scoring", {"coherence": {"vectors": {"en": "gigaword.txt"}}})
    texts = told(check_sources(run_of()))
    assert any(
        level == "warning" and text.startswith("others/google.txt: translations of another system are missing")
        for level, text in texts
    )
    assert any(
        "gigaword.txt: word vectors is missing: the metrics that need it are left out" in text for _, text in texts
    )
    stated = {"coherence": {"vectors": {"en": "own.txt"}}}
    project.edit(STUDY, "scoring", {})
    level, text = told(check_sources(run_of(scoring=stated)))[0]
    assert level == "error" and text.startswith("own.txt: word vectors is missing: a run is refused without it")


@pytest.fixture
def started(project) -> Project:
    """A system starts from a checkpoint, which docmt can download."""
    project.edit("config.yaml", "texts/pieces", {"pretrained": "models/bert"})
    system = {"extends": "sentence", "text": "pieces", "pretrained": "models/bert", "corpora": ["toy"]}
    project.edit(STUDY, "systems/started", system)
    files = [{"name": "config.json", "sources": ["http://one.example/config.json"]}]
    downloads = {"set": "bert", **CHECKPOINT, "folder": "models/bert", "files": files}
    project.write("workflow/downloads/bert.yaml", downloads)
    return project


def test_a_checkpoint_needs_consent(started):
    (level, text), (_, count) = told(check_checkpoints(run_of()))
    assert level == "warning" and text.startswith(
        "models/bert: a pretrained checkpoint is missing\n  found fetch_check"
    )
    assert "`fetch_checkpoints: true` in config.yaml, or `docmt fetch-files bert`" in text and count.endswith(": 1")
    level, text = told(check_checkpoints(run_of(SCORES.format("toy", "started"))))[0]
    assert level == "error"
    (_, text), _ = told(check_checkpoints(run_of(fetch_checkpoints=True)))
    assert text == "a run downloads before its first job: models/bert (0.5 GB)"


def test_a_checkpoint_that_is_incomplete_or_damaged(started):
    started.write("models/bert/config.json", json.dumps({"model_type": "bert"}))
    index = {"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}
    started.write("models/bert/model.safetensors.index.json", json.dumps(index))
    started.write("models/bert/one.safetensors", "")
    texts = [text for _, text in told(check_checkpoints(run_of()))]
    assert any(text.startswith("models/bert/two.safetensors: file not found") for text in texts)
    assert any(text.startswith("models/bert/tokenizer.json: file not found") for text in texts)
    assert any(text.startswith("study one, system started, models/bert/config.json") for text in texts)
    started.write("models/bert/two.safetensors", "not weights")
    texts = [text for _, text in told(check_checkpoints(run_of()))]
    assert any(text.startswith("models/bert/one.safetensors: the file is empty\n  download it again") for text in texts)


class Handler(http.server.BaseHTTPRequestHandler):
    """A server that has b.zh alone."""

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.send_response(200 if self.path.endswith("/b.zh") else 404)
        self.send_header("Content-Length", "2000000000")
        self.end_headers()


@pytest.fixture
def site() -> Iterator[str]:
    with serving(Handler) as address:
        yield address


NOWHERE = "http://127.0.0.1:9"
"""The address of a port at which nothing listens."""


def test_without_a_network_one_line_says_so(project):
    hosts = {"one.example": NOWHERE, "two.example": NOWHERE}
    ((level, text),) = told(check_network(run_of(hosts=hosts), 1))
    assert level == "error" and text.startswith(
        "one.example, two.example: no source can be reached: there seems to be no"
    )
    assert "refused" in text and "`mirror`" in text


def test_a_host_that_does_not_answer_is_named_once_and_its_files_are_asked_of_others(project, site):
    hosts = {"one.example": site, "two.example": NOWHERE}
    silent, missing, fact = told(check_network(run_of(hosts=hosts), 1))
    assert silent[0] == "warning" and silent[1].startswith("two.example: a host of 1 files does not answer")
    assert missing[0] == "error" and missing[1].startswith("public c.zh: no source has the file\n  found http://one.ex")
    assert "HTTP 404; http://two.example/c.zh: no answer" in missing[1]
    assert fact[1] == "asked 2 hosts for 2 files"


def test_a_file_that_only_some_sources_have_is_a_warning(project, site):
    files = [{"name": "b.zh", "sources": ["http://one.example/d.zh", "http://two.example/b.zh"]}]
    project.edit("workflow/corpora/public.yaml", "files", files)
    (level, text), _ = told(check_network(run_of(hosts={"one.example": site, "two.example": site}), 1))
    assert level == "warning" and text.startswith("public b.zh: a source does not have the file; another one does")


def test_a_mirror_is_asked_too(project, site):
    texts = told(check_network(run_of(hosts={"one.example": NOWHERE, "two.example": NOWHERE}, mirror=site), 1))
    assert not any("no network" in text for _, text in texts)
    missing = [text for level, text in texts if level == "error"]
    assert [text.split(":")[0] for text in missing] == ["large a.zh", "public c.zh"]


def test_at_a_scale_with_fixtures_nothing_is_asked(project):
    project.edit("workflow/scales/smoke.yaml", "fixtures", {})
    run = run_of(scale="smoke")
    assert told(check_network(run, 1)) == [] and told(check_sources(run))[-1][1].startswith("scale smoke generates")
