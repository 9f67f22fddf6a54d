"""A text of SentencePiece from raw sentences to a page, and the translations of its model and of an export."""

import csv
import subprocess
import sys

import pytest
from helpers.command_line import output
from helpers.places import target
from helpers.support import small_demo

from docmt.base.artifacts import read_json

PAGE = "results/8_report/smoke/raw/quality"


@pytest.mark.slow
def test_a_study_on_raw_text(tmp_path):
    project = small_demo(tmp_path / "project")
    project.edit("config.yaml", "texts/raw", {"sentencepiece": 1000})
    system = {"text": "raw", "view": {"window": 1}, "decode": {"beam": 2}}
    table = {"title": "t", "metrics": ["s-BLEU"], "rows": [{"system": "sentence"}]}
    study = {"study": "raw", "title": "t", "about": "a", "corpora": ["toy_zh-en"]}
    project.write("workflow/studies/raw.yaml", {**study, "systems": {"sentence": system}, "tables": {"quality": table}})
    project.snakemake("--cores", "2", f"{PAGE}.html", "--config", "studies=[raw]", check=True)
    with (project.root / f"{PAGE}.csv").open(encoding="utf-8", newline="") as stream:
        assert [row["status"] for row in csv.DictReader(stream)] == ["measured"]
    tokens = project.root / target(project, "2_tokens/toy_zh-en@smoke/raw")
    trips = read_json(tokens.parent / "card.json")["round_trip"]
    assert [(trip["bleu"], trip["differ"]) for trip in trips.values()] == [(100.0, 0)] * 2
    (manifest,) = project.root.glob("results/5_training/*/*/seed1/*/manifest.json")
    model = manifest.parent
    text = "小明有一只猫。\n他在New York\xa0😀。\n"
    printed = output("translate", "--model", model, "--beam", 5, text=text)
    export = tmp_path / "export"
    output("export-model", "--model", model, "--to", "ctranslate2", "--output", export)
    done = subprocess.run([sys.executable, export / "translate.py"], input=text.encode(), capture_output=True)
    assert (done.returncode, done.stdout.decode()) == (0, printed), done.stderr
