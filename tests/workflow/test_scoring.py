"""Scores by other settings in a finished demo, and the same scores from plain files."""

import json
import sys
from pathlib import Path

import pyarrow.compute as pc
import pytest
from helpers.comet_files import write_comet
from helpers.places import target
from helpers.plans import to_make
from helpers.planted import at
from helpers.support import ROOT, Project, run

from docmt.base.artifacts import read_json
from docmt.base.columns import TOKENS
from docmt.base.tables import read_arrow
from docmt.scoring.tallies import read_tallies

DOCMT = Path(sys.executable).parent / "docmt"
SYSTEM = "7_scores/toy_zh-en/g_transformer/seed1"


def scored(project: Project) -> Path:
    """The file of the scores of the system by the present settings, which are computed now."""
    manifest = target(project, SYSTEM)
    project.snakemake("--cores", "1", manifest, check=True)
    return (project.root / manifest).with_name("scores.json")


def test_word_vectors_of_the_training_split_give_coherence(demo):
    pytest.importorskip("gensim", reason="needs gensim, to train word vectors")
    before = read_json(demo.root / at(demo, SYSTEM) / "scores.json")
    demo.edit("config.yaml", "scoring/coherence/vectors", {"en": "trained"})
    demo.edit("config.yaml", "scoring/coherence/dimensions", 6)
    scores = read_json(scored(demo))
    assert -1 <= scores["coherence"]["score"] <= 1
    assert scores["consistency"] == before["consistency"]
    (vectors,) = (demo.root / "results/7_vectors/toy_zh-en@smoke").glob("*/*/vectors.txt")
    assert vectors.read_text(encoding="utf-8").split("\n")[0].endswith(" 6")


def test_comet_is_scored_by_the_python_of_another_environment(demo):
    """A stand-in for this Python; the real package is in tests/scoring/programs."""
    write_comet(demo.root / "wmt22")
    command = [sys.executable, str(ROOT / "tests/helpers/other_python.py")]
    demo.edit("config.yaml", "scoring/comet", {"command": command, "model": "wmt22"})
    path = scored(demo)
    scores = read_json(path)
    assert 0 <= scores["COMET"]["score"] <= 1 < scores["doc-COMET"]["score"]
    assert scores["settings"]["comet"] == {"model": "given", "encoder": None, "context": 2, "batch": 16}
    assert {"COMET", "doc-COMET"} <= {t.measure for t in read_tallies(path.with_name("details.arrow"))}
    (demo.root / "wmt22/hparams.yaml").write_text("other", encoding="utf-8")
    assert "scores g_transformer" in to_make(demo.root), "the scores of another checkpoint are others"


def test_plain_files_have_the_consistency_of_the_workflow(finished_demo, tmp_path):
    results = finished_demo.root / "results"
    (tokens,) = results.glob("2_tokens/toy_zh-en@smoke/*/*/tokens.arrow")
    rows = read_arrow(tokens, TOKENS)
    for name in ("train.source_tokens", "train.target_tokens", "test.source_tokens", "test.document"):
        split, column = name.split(".")
        lines = rows.filter(pc.equal(rows["split"], split))[column].to_pylist()
        (tmp_path / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    scores = read_json(finished_demo.root / at(finished_demo, SYSTEM) / "scores.json")
    chosen = scores["settings"]["consistency"]
    command = [
        DOCMT,
        "score-consistency",
        "--hypotheses",
        finished_demo.root / at(finished_demo, SYSTEM.replace("7_scores", "6_translations")) / "test.tok.txt",
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
