"""Scores by other settings in a finished demo, and the same scores from plain files."""

import csv
import sys
from pathlib import Path

import pyarrow.compute as pc
import pytest
from helpers.comet_files import write_comet
from helpers.places import target
from helpers.plans import to_make
from helpers.planted import at
from helpers.score_files import printed_scores, scores_in
from helpers.support import ROOT, Project, docmt

from docmt.base.artifacts import read_json
from docmt.base.columns import CONTEXT_SCORES, TOKENS
from docmt.base.tables import read_arrow
from docmt.scoring.tallies import read_tallies

SYSTEM = "7_scores/toy_zh-en/g_transformer/seed1"


def scored(project: Project, programs: Path) -> Path:
    """The folder of the scores of the system by the present settings, which are computed now."""
    manifest = target(project, SYSTEM)
    project.snakemake("--cores", "1", manifest, check=True, programs=programs)
    return (project.root / manifest).parent


def test_word_vectors_of_the_training_split_give_coherence(demo, programs):
    pytest.importorskip("gensim", reason="needs gensim, to train word vectors")
    before = scores_in(demo.root / at(demo, SYSTEM))
    demo.edit("config.yaml", "scoring/coherence/vectors", {"en": "trained"})
    demo.edit("config.yaml", "scoring/coherence/dimensions", 6)
    scores = scores_in(scored(demo, programs))
    assert -1 <= scores.pop("coherence").value <= 1
    assert scores == before
    (vectors,) = (demo.root / "results/7_vectors/toy_zh-en@smoke").glob("*/*/vectors.txt")
    assert vectors.read_text(encoding="utf-8").split("\n")[0].endswith(" 6")


def test_comet_is_scored_by_the_python_of_another_environment(demo, programs):
    """A stand-in for this Python; the real package is in tests/scoring/programs."""
    write_comet(demo.root / "wmt22")
    command = [sys.executable, str(ROOT / "tests/helpers/other_python.py")]
    demo.edit("config.yaml", "scoring/comet", {"command": command, "model": "wmt22"})
    folder = scored(demo, programs)
    scores, settings = scores_in(folder), read_json(folder / "scoring.json")["settings"]
    assert 0 <= scores["COMET"].value <= 1 < scores["doc-COMET"].value
    assert settings["comet"] == {"model": "given", "encoder": None, "context": 2, "batch": 16}
    assert {"COMET", "doc-COMET"} <= {tally.name for tally in read_tallies(folder / "details.arrow")}
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
    folder = finished_demo.root / at(finished_demo, SYSTEM)
    chosen = read_json(folder / "scoring.json")["settings"]["consistency"]
    command = [
        "score-consistency",
        "--hypotheses",
        finished_demo.root / at(finished_demo, SYSTEM.replace("7_scores", "6_translations")) / "test.tok.txt",
        "--json",
    ]
    command += ["--source", "test.source_tokens", "--documents", "test.document"]
    command += ["--train-source", "train.source_tokens", "--train-target", "train.target_tokens"]
    for name in ("source_stop_words", "target_stop_words"):
        command += ["--rule", f"{name}={chosen[name]}"]
    printed, scores = printed_scores(docmt(*command, cwd=tmp_path, check=True).stdout), scores_in(folder)
    assert printed == [scores[name] for name in ("LTCR", "HHI")]


WITH_CONTEXT = {
    "concat_3": "context:2|seen:openings",
    "long_short": "context:2|seen:openings",
    **dict.fromkeys(("g_transformer", "lexical_chain", "w_link", "han"), "context:3|seen:instances"),
}
"""The systems of the demo whose training segments have several sentences, and what the signatures of CXMI say."""


def mean_gain(folder: Path) -> float:
    """CXMI by a loop over the scores of the sentences of test."""
    scores: dict[tuple[str, int], list[float]] = {}
    for row in read_arrow(folder / "context.arrow", CONTEXT_SCORES).to_pylist():
        scores.setdefault((row["document"], row["sentence"]), []).append(row["score"])
    return sum(values[-1] - values[0] for values in scores.values()) / len(scores)


@pytest.mark.slow
def test_every_model_that_reads_context_has_cxmi(demo, programs):
    """The sentence model has none, and its scores are not computed again."""
    study = "workflow/studies/demo.yaml"
    demo.edit(study, "scoring", {"cxmi": {"context": 3}})
    demo.edit(study, "tables/quality/metrics", [*demo.read(study)["tables"]["quality"]["metrics"], "CXMI", "CXMI@1"])
    scored_again = {job for job in to_make(demo.root) if job.startswith("scores")}
    assert scored_again == {f"scores {name}" for name in WITH_CONTEXT}
    demo.snakemake("--cores", "1", "results/8_report/smoke/demo/quality.html", check=True, programs=programs)
    with (demo.root / "results/8_report/smoke/demo/quality.csv").open(encoding="utf-8") as stream:
        cells = {(row["system"], row["metric"]): row for row in csv.DictReader(stream)}
    for name, stated in WITH_CONTEXT.items():
        folder = demo.root / at(demo, f"6_context/toy_zh-en/{name}/seed1/context{stated[len('context:')]}")
        cell = cells[name, "CXMI"]
        assert float(cell["measured"]) == pytest.approx(mean_gain(folder), abs=1e-9)
        assert float(cell["low"]) <= float(cell["measured"]) <= float(cell["high"])
        assert cell["signature"] == f"CXMI|unit:sentences|{stated}|v:1"
        assert cells[name, "CXMI@1"]["status"] == "measured"
    assert cells["sentence", "CXMI"]["status"] == "not scored"
