"""Scores by other settings in a finished demo, and the same scores from plain files."""

import json
import sys
from pathlib import Path

import pyarrow.compute as pc
import pytest
from helpers.support import run

from docmt.base.artifacts import read_json
from docmt.base.columns import TOKENS
from docmt.base.tables import read_arrow

DOCMT = Path(sys.executable).parent / "docmt"
SYSTEM = "smoke/toy_zh-en/g_transformer/seed1"


def test_word_vectors_of_the_training_split_give_coherence(demo):
    pytest.importorskip("gensim", reason="needs gensim, to train word vectors")
    before = read_json(demo.root / "results/7_scores" / SYSTEM / "scores.json")
    demo.edit("config.yaml", "scoring/coherence/vectors", {"en": "trained"})
    demo.edit("config.yaml", "scoring/coherence/dimensions", 6)
    demo.snakemake("--cores", "1", f"results/7_scores/{SYSTEM}/scores.json", check=True)
    scores = read_json(demo.root / "results/7_scores" / SYSTEM / "scores.json")
    assert -1 <= scores["coherence"]["score"] <= 1
    assert scores["consistency"] == before["consistency"]
    (vectors,) = (demo.root / "results/7_vectors/toy_zh-en@smoke").glob("*/vectors.txt")
    assert vectors.read_text(encoding="utf-8").split("\n")[0].endswith(" 6")


def test_plain_files_have_the_consistency_of_the_workflow(finished_demo, tmp_path):
    results = finished_demo.root / "results"
    (tokens,) = results.glob("2_tokens/toy_zh-en@smoke/*/tokens.arrow")
    rows = read_arrow(tokens, TOKENS)
    for name in ("train.source_tokens", "train.target_tokens", "test.source_tokens", "test.document"):
        split, column = name.split(".")
        lines = rows.filter(pc.equal(rows["split"], split))[column].to_pylist()
        (tmp_path / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    scores = read_json(results / "7_scores" / SYSTEM / "scores.json")
    chosen = scores["settings"]["consistency"]
    command = [
        DOCMT,
        "score-consistency",
        "--hypotheses",
        results / "6_translations" / SYSTEM / "test.tok.txt",
        "--json",
    ]
    command += ["--source", "test.source_tokens", "--documents", "test.document"]
    command += ["--train-source", "train.source_tokens", "--train-target", "train.target_tokens"]
    for name in ("source_stop_words", "target_stop_words"):
        command += ["--rule", f"{name}={chosen[name]}"]
    (score,) = json.loads(run(command, cwd=tmp_path, check=True).stdout)
    ltcr, hhi = (scores["consistency"][measure] for measure in ("LTCR", "HHI"))
    assert (score["ltcr"], score["hhi"]) == (ltcr["score"], hhi["score"])
    assert score["signatures"] == [ltcr["signature"], hhi["signature"]]
    assert (score["ltcr_low"], score["ltcr_high"]) == (ltcr["interval"]["low"], ltcr["interval"]["high"])
    for count in ("chains", "pairs", "occurrences", "unaligned"):
        assert score[count] == ltcr[count]
