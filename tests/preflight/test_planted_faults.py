"""One run of the real command names every fault of a project, with its place and what to do."""

import json
import re

import pytest
from helpers.support import Project, docmt, small_demo

MINE = {
    "study": "mine",
    "title": "Mine",
    "corpora": ["toy_zh-en", "news_zh-en"],
    "systems": {
        "huge": {
            "corpora": ["toy_zh-en"],
            "text": "truecase_separate4k",
            "view": {"window": 1},
            "model": {
                "kind": "transformer",
                "embeddings": "target",
                "width": 65536,
                "inner": 1_000_000,
                "encoder_layers": 40,
            },
            "train": {"max_updates": 10_000_000},
        },
        "service": {
            "corpora": ["toy_zh-en"],
            "text": "truecase_separate4k",
            "command": {"run": "no-such-translator --fast"},
        },
        "licensed": {
            "corpora": ["news_zh-en"],
            "text": "bert_truecase30k",
            "view": {"window": 1},
            "model": {"kind": "transformer", "embeddings": "target"},
            "pretrained": "models/bert-base-cased",
        },
    },
    "tables": {
        "own": {
            "title": "T",
            "metrics": ["s-BLEU"],
            "columns": {"toy": {"corpus": "toy_zh-en"}},
            "rows": [{"system": "huge"}, {"system": "service"}],
        },
        "licensed": {
            "title": "T",
            "metrics": ["s-BLEU"],
            "columns": {"news": {"corpus": "news_zh-en"}},
            "rows": [{"system": "licensed"}],
        },
    },
}
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
    ("unknown target", "found demoo; expected all, a study", "did you mean 'demo'?"),
    # Files from outside.
    ("config.yaml mirror: the mirror is not there", "found /no/mirror", "correct the path, mount the disk"),
    ("config.yaml local.news_zh-en: no such folder", "found /no/ldc", "correct the path, mount the disk"),
    ("config.yaml human.demo: file not found", "found judged.json", "docmt read-sheets --json"),
    ("workflow/corpora/news_zh-en.yaml: files are missing that need a licence (LDC)", "13 more", "Linguistic Data"),
    ("models/bert-base-cased/model.safetensors: the weights are damaged", "download the file again"),
    ("vectors.txt: word vectors is missing: a run is refused without it", "Put word vectors into vectors.txt"),
    # The environment, the disk, the store and the devices.
    ("this Python's environment: packages are missing", "found no eflomal", "pip install -c pins.txt -e '.[eflomal]'"),
    ("service: command.run: no program that can be run", "found 'no-such-translator'", "name a program by its path"),
    ("the disk has not enough room", "expected an estimate of ", "link results/ to a larger disk"),
    ("results: the folder of the results is a link to nowhere", "found -> /no/disk", "mkdir -p"),
    ("/no/store: the folder of the store is not there", "mkdir"),
    ("keys:1: not an allowed key", "correct or remove the line"),
    ("config.yaml device: there is no GPU on this machine", "found no card of NVIDIA", "set device: auto"),
)
"""Of each fault, what the one run must say of it: the place and what is wrong, what was found, and what to do."""


@pytest.fixture
def faulty(tmp_path) -> Project:
    """A project with all the faults at the same time."""
    project = small_demo(tmp_path / "project")
    _plant_in_settings(project)
    _plant_in_files(project)
    return project


def _plant_in_settings(project: Project) -> None:
    config = project.read("config.yaml")
    config |= {"studdies": 1, "shards": 0, "seeds": [], "scale": "paper", "device": "cuda", "missing": "stop"}
    config |= {"mirror": "/no/mirror", "local": {"news_zh-en": "/no/ldc"}, "human": {"demo": "judged.json"}}
    config |= {"store": "/no/store", "store_keys": "keys"}
    config["texts"]["lower_separate8k"]["bpe"] = "joinnt"
    config["scoring"]["aligner"]["kind"] = "eflomal"
    config["scoring"]["coherence"]["vectors"] = {"en": "vectors.txt"}
    project.write("config.yaml", config)
    project.write("workflow/studies/mine.yaml", MINE)
    project.write("workflow/studies/broken.yaml", "study: [broken\n")
    other = {"study": "other", "title": "O", "corpora": ["toy_zh-en"], "systems": {"b": {"extends": "nobody"}}}
    project.write("workflow/studies/other.yaml", other)
    table = {"title": "T", "metric": "s-BLEU", "metrics": ["s-BLEU"], "rows": [{"sistem": "b"}]}
    project.write("workflow/studies/wrong.yaml", {**other, "study": "wrong", "tables": {"t": table}})
    project.edit("workflow/corpora/ted_zh-en.yaml", "source_language", "chinese")
    project.edit("workflow/downloads/mbart25.yaml", "kind", "checkpiont")


def _plant_in_files(project: Project) -> None:
    project.write("keys", "no key\n")
    project.write("models/bert-base-cased/config.json", json.dumps({"model_type": "bert"}))
    project.write("models/bert-base-cased/model.safetensors", "cut")
    (project.root / "results").symlink_to("/no/disk")


def findings_of(printed: str) -> list[str]:
    """The findings of what the command printed, each of which begins with four blanks, and goes on with six."""
    return [text.replace("\n", " ") for text in re.split(r"^    (?! )", printed, flags=re.MULTILINE)]


def test_one_run_names_every_fault_with_its_place_and_what_to_do(faulty):
    done = docmt("preflight", "demo", "demoo", "mine", cwd=faulty.root)
    assert (done.returncode, done.stderr) == (2, "")
    findings = findings_of(done.stdout)
    missing = [fault for fault in FAULTS if not any(all(part in text for part in fault) for text in findings)]
    assert not missing, done.stdout
    assert len(FAULTS) >= 20
    assert not (faulty.root / "results").exists(), "nothing is made"


def test_a_right_project_ends_with_0_and_says_what_was_checked(tmp_path):
    project = small_demo(tmp_path / "project")
    done = docmt("preflight", cwd=project.root)
    assert done.returncode == 0, done.stdout
    assert "Wrong:" not in done.stdout and done.stderr == ""
    for checked in (
        "config.yaml, 1 studies, 3 corpora",
        "demo: ",
        "scale smoke generates its corpora",
        "an estimate of",
    ):
        assert checked in done.stdout
    assert {path.name for path in project.root.iterdir()} == {
        "config.yaml", "Snakefile", "workflow", "profiles", "slurm", "envs",
    }  # fmt: skip
