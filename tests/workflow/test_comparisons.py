"""Scores and p-values of the finished demo, from the files that stage 7 leaves to the report, and from plain files."""

import sys
from pathlib import Path

import pyarrow.compute as pc
import pytest
from helpers.planted import at
from helpers.score_files import printed_scores, scores_in
from helpers.support import run

from docmt.base.artifacts import read_json
from docmt.base.columns import DOCUMENTS
from docmt.base.tables import read_parquet

DOCMT = Path(sys.executable).parent / "docmt"


@pytest.mark.parametrize(("table", "test"), [("quality", "bootstrap"), ("what_context_decides", "sign")])
def test_a_table_has_the_p_values_of_stage_7(finished_demo, table, test):
    results = finished_demo.root / "results"
    compared = read_json(finished_demo.root / at(finished_demo, f"7_comparisons/demo/{table}") / "comparisons.json")[
        "comparisons"
    ]
    assert {(comparison["baseline"], comparison["test"]) for comparison in compared} == {("sentence", test)}
    by_name = {(comparison["system"], comparison["metric"]): comparison for comparison in compared}
    page = read_json(results / f"8_report/smoke/demo/{table}.json")
    compared = [cell for cell in page["records"] if cell.get("test") is not None]
    assert {"g_transformer", "concat_3"} <= {cell["system"] for cell in compared}
    for cell in compared:
        comparison = by_name[cell["system"], cell["metric"]]
        for name in ("p", "untested"):
            assert cell[name] == comparison[name]
        assert (cell["p"] is None) == bool(cell["untested"]) and cell["test"] == comparison["signature"]
        assert cell["measured"] == pytest.approx(comparison["system_score"])
    assert "Sentence Transformer" in page["marks"]


def test_plain_files_have_the_scores_of_the_workflow(finished_demo, tmp_path):
    def output_of(stage: str, names: str) -> Path:
        return finished_demo.root / at(finished_demo, f"{stage}/{names}")

    rows = read_parquet(output_of("1_corpus", "toy_zh-en@smoke") / "documents.parquet", DOCUMENTS)
    test = rows.filter(pc.equal(rows["split"], "test"))
    for name, column in (("reference", "target"), ("documents", "document")):
        lines = test[column].to_pylist()
        (tmp_path / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    system = "toy_zh-en/g_transformer/seed1"
    files = ("--reference", tmp_path / "reference", "--documents", tmp_path / "documents")
    hypotheses = output_of("6_translations", system) / "test.txt"
    families = ("--family", "13a", "--family", "13a_lower", "--metric", "BLEU", "--metric", "TER")
    command = [DOCMT, "score", "--hypotheses", hypotheses, *files, *families, "--json"]
    printed = run(command, cwd=tmp_path, check=True).stdout
    scores = scores_in(output_of("7_scores", system))
    names = ("s-BLEU", "d-BLEU", "mteval s-BLEU", "mteval d-BLEU", "s-TER")
    assert printed_scores(printed) == [scores[name] for name in names]
