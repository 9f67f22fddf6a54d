"""Translations from a file go through the workflow beside a trained system: checked, scored, compared and shown."""

import csv
import json

import pyarrow.parquet as pq
import pytest
from helpers.places import target
from helpers.plans import to_make
from helpers.planted import at
from helpers.support import SMOKE, Project, small_demo

QUALITY, CASES = (f"results/8_report/tiny/mine/{name}.html" for name in ("quality", "cases"))
DECODED = "6_adopted/toy_zh-en/google/seed1"
METRICS = ["s-BLEU", "d-BLEU", "LTCR", "parameters", "fallbacks"]
PATH = "others/google.txt"


@pytest.fixture
def mine(tmp_path) -> Project:
    """A study of a system that is trained for some updates on a small corpus, and of one whose lines are in a file."""
    project = small_demo(tmp_path / "project")
    sizes = {"train_documents": 40, "dev_documents": 2, "test_documents": 6, "contrastive_items": 2}
    corpus = project.read("workflow/corpora/toy_zh-en.yaml")
    reader = {"kind": "toy", **sizes}
    project.write("workflow/corpora/toy_zh-en.yaml", {**corpus, "reader": reader, "expected": {}})
    smoke = project.read(SMOKE)
    project.write("workflow/scales/tiny.yaml", {"about": "a", **{k: smoke[k] for k in ("model", "train", "decode")}})
    sentence = project.read("workflow/studies/demo.yaml")["systems"]["sentence"]
    google = {"text": sentence["text"], "translations": {"path": PATH}}
    table = {"title": "T", "metrics": METRICS, "baseline": "sentence"}
    pair = {"corpus": "toy_zh-en", "baseline": "sentence", "system": "google"}
    study = {"study": "mine", "title": "Beside another", "corpora": ["toy_zh-en"]}
    study |= {"systems": {"sentence": sentence, "google": google}}
    study |= {"tables": {"quality": {**table, "rows": [{"system": "sentence"}, {"system": "google"}]}}}
    project.write("mine.yaml", {**study, "figures": {"cases": {"title": "C", "kind": "cases", **pair}}})
    project.edit("config.yaml", "studies", ["mine.yaml"])
    project.edit("config.yaml", "scale", "tiny")
    return project


def references(project: Project) -> list[str]:
    table = pq.read_table(project.root / at(project, "1_corpus/toy_zh-en") / "documents.parquet").to_pylist()
    return [row["target"] for row in table if row["split"] == "test"]


def write(project: Project, lines: list[str]) -> None:
    (project.root / PATH).parent.mkdir(exist_ok=True)
    (project.root / PATH).write_text("\r\n".join(lines), encoding="utf-8")


def test_a_file_stands_beside_a_trained_system(mine, programs):
    options = ("--quiet", "all", "--cores", "1")
    mine.snakemake(*options, target(mine, "1_corpus/toy_zh-en"), check=True, programs=programs)
    lines = [line.replace("the", "a") for line in references(mine)]

    write(mine, [*lines, "", ""])
    refused = mine.snakemake(*options, target(mine, DECODED), programs=programs)
    assert refused.returncode != 0
    assert f"{PATH}:{len(lines) + 1}: the file must have one line for each test sentence" in refused.stderr
    write(mine, [line.replace("t", "t@@ ") for line in lines])
    pieces = mine.snakemake(*options, target(mine, DECODED), programs=programs)
    assert pieces.returncode != 0
    assert f"{PATH}: the lines are not what the study states" in pieces.stderr
    assert not list((mine.root / "results" / DECODED).glob("*/test.txt"))

    write(mine, lines)
    mine.snakemake(*options, QUALITY, CASES, check=True, programs=programs)
    adopted = mine.root / at(mine, DECODED) / "test.txt"
    assert adopted.read_text(encoding="utf-8").splitlines() == lines
    with (mine.root / QUALITY).with_suffix(".csv").open(encoding="utf-8", newline="") as stream:
        cells = {(row["system"], row["metric"]): row for row in csv.DictReader(stream)}
    for metric in METRICS[:3]:
        cell = cells["google", metric]
        assert float(cell["measured"]) > float(cells["sentence", metric]["measured"]) and (
            cell["p"] or cell["untested"]
        )
    statuses = {cells["google", metric]["status"] for metric in METRICS[3:]}
    assert statuses == {"no model: translations from a file"}
    cases = json.loads((mine.root / CASES).with_suffix(".json").read_text(encoding="utf-8"))["records"]
    assert {record["side"] for record in cases} == {"reference", "sentence", "google"}
    assert to_make(mine.root, QUALITY, CASES) == set()

    write(mine, [*lines[:-1], "Something else."])
    assert to_make(mine.root, QUALITY, CASES) == {
        *("adopt google", "scores google", "compare quality", "page quality", "page cases")
    }
