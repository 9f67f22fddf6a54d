"""One run of the real command names every fault of a project, with its place and what to do."""

import json
import re

import pytest
import yaml
from helpers.support import Project, docmt, small_demo

MINE = """
study: mine
title: Mine
corpora: [toy_zh-en, news_zh-en]
systems:
  huge:
    corpora: [toy_zh-en]
    text: truecase_separate4k
    view: {window: 1}
    model: {kind: transformer, embeddings: target, width: 65536, inner: 1000000, encoder_layers: 40}
    train: {max_updates: 10000000}
  service: {corpora: [toy_zh-en], text: truecase_separate4k, command: {run: no-such-translator --fast}}
  licensed:
    corpora: [news_zh-en]
    text: bert_truecase30k
    view: {window: 1}
    model: {kind: transformer, embeddings: target}
    pretrained: models/bert-base-cased
tables:
  own:
    title: T
    metrics: [s-BLEU]
    columns: {toy: {corpus: toy_zh-en}}
    rows: [{system: huge}, {system: service}]
  licensed: {title: T, metrics: [s-BLEU], columns: {news: {corpus: news_zh-en}}, rows: [{system: licensed}]}
"""
FAULTS: tuple[tuple[str, ...], ...] = (
    # Settings.
    (" studdies: unknown key", "did you mean 'studies'?"),
    (" shards: value not allowed", "found 0; expected 1 or more"),
    (" seeds: value not allowed", "found no seed; expected at least one"),
    (" texts.lower_separate8k.bpe: unknown name", "did you mean 'joint'?"),
    ("workflow/studies/broken.yaml:", "not valid YAML", "correct the line"),
    ("workflow/studies/wrong.yaml:", "tables.t.metric: unknown key", "did you mean 'metrics'?"),
    ("workflow/studies/wrong.yaml:", "tables.t.rows.0.sistem: unknown key", "did you mean 'system'?"),
    ("workflow/studies/other.yaml:", "systems.b.extends: unknown system", "found nobody", "valid: b"),
    ("workflow/corpora/ted_zh-en.yaml:", "source_language: value not allowed", "found chinese"),
    ("workflow/downloads/mbart25.yaml:", "kind: unknown name", "did you mean 'checkpoint'?"),
    ("results/checksums.lock.json: not a lock file of downloads", "restore it"),
    ("unknown target", "found demoo; expected all, a study", "did you mean 'demo'?"),
    # Files from outside.
    ("config.yaml mirror: the mirror is not there", "found /no/mirror", "correct the path, mount the disk"),
    ("config.yaml local.news_zh-en: no such folder", "found /no/ldc", "correct the path, mount the disk"),
    ("config.yaml human.demo: file not found", "found judged.json", "docmt read-sheets --json"),
    ("files are missing that docmt cannot download", "news_zh-en.train.zh", "Linguistic Data", "`mirror: FOLDER`"),
    ("models/bert-base-cased/model.safetensors: the weights are damaged", "download the file again"),
    ("models/bert-base-cased/config.json num_hidden_layers: key is missing",),
    ("models/bert-base-cased/tokenizer.json: file not found", "it belongs to the pretrained model's folder"),
    ("vectors.txt: file not found", "check the path"),
    # The environment, the disk, the store and the devices.
    ("this Python's environment: packages are missing", "found no eflomal", "pip install -c pins.txt -e '.[eflomal]'"),
    ("service: command.run: no program that can be run", "found 'no-such-translator'", "name a program by its path"),
    ("the disk has not enough room", "expected an estimate of ", "link results/ to a larger disk"),
    ("/no/store: the folder of the store is not there", "mkdir"),
    ("keys:1: not an allowed key", "correct or remove the line"),
    ("config.yaml device: torch can use no GPU here", "found torch ", "or set device: cpu"),
)
"""Of each fault, what the one run must say of it: the place and what is wrong, what was found, and what to do."""


@pytest.fixture
def faulty(tmp_path) -> Project:
    """A project with all the faults at the same time."""
    project = small_demo(tmp_path / "project")
    config = project.read("config.yaml")
    config |= {"studdies": 1, "shards": 0, "seeds": [], "scale": "paper", "device": "cuda", "missing": "stop"}
    config |= {"mirror": "/no/mirror", "local": {"news_zh-en": "/no/ldc"}, "human": {"demo": "judged.json"}}
    config |= {"store": "/no/store", "store_keys": "keys"}
    config["texts"]["lower_separate8k"]["bpe"] = "joinnt"
    config["scoring"]["aligner"]["kind"] = "eflomal"
    config["scoring"]["coherence"]["vectors"] = {"en": "vectors.txt"}
    other = {"study": "other", "title": "O", "corpora": ["toy_zh-en"], "systems": {"b": {"extends": "nobody"}}}
    table = {"title": "T", "metric": "s-BLEU", "metrics": ["s-BLEU"], "rows": [{"sistem": "b"}]}
    for path, value in {
        "config.yaml": config,
        "workflow/studies/mine.yaml": yaml.safe_load(MINE),
        "workflow/studies/broken.yaml": "study: [broken\n",
        "workflow/studies/other.yaml": other,
        "workflow/studies/wrong.yaml": {**other, "study": "wrong", "tables": {"t": table}},
        "results/checksums.lock.json": "[1]",
        "keys": "no key\n",
        "models/bert-base-cased/config.json": json.dumps({"model_type": "bert"}),
        "models/bert-base-cased/model.safetensors": "cut",
    }.items():
        project.write(path, value)
    project.edit("workflow/corpora/ted_zh-en.yaml", "source_language", "chinese")
    project.edit("workflow/downloads/mbart25.yaml", "kind", "checkpiont")
    return project


def test_one_run_names_every_fault_with_its_place_and_what_to_do(faulty):
    done = docmt("preflight", "demo", "demoo", "mine", cwd=faulty.root)
    assert (done.returncode, done.stderr) == (2, "")
    # Each finding begins with four blanks, and goes on with six.
    parts = re.split(r"^    (?! )", done.stdout, flags=re.MULTILINE)
    findings = [text.replace("\n", " ") for text in parts]
    missing = [fault for fault in FAULTS if not any(all(part in text for part in fault) for text in findings)]
    assert not missing, done.stdout
    assert [path.name for path in (faulty.root / "results").iterdir()] == ["checksums.lock.json"], "nothing is made"


def test_a_right_project_ends_with_0_and_says_what_was_checked(tmp_path):
    project = small_demo(tmp_path / "project")
    before = {*project.root.iterdir()}
    done = docmt("preflight", cwd=project.root)
    assert (done.returncode, done.stderr) == (0, "") and "Wrong:" not in done.stdout
    for checked in ("config.yaml, 1 studies, 3 corpora", "demo: ", "generates its corpora", "an estimate of"):
        assert checked in done.stdout
    assert {*project.root.iterdir()} == before
