"""Tables of judgements: nobody's, those of a file, and a file that is none."""

import pytest
from helpers.single_item import CORPUS, only, rows_of

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError

HUMAN = {
    "kind": "human",
    "rows": [
        {"label": "1", "annotator": 1, "published": {"equal": 39, "better": 40, "worse": 21}},
        {"label": "2", "annotator": 2},
        {"label": "Average", "published": {"equal": 41}},
    ],
}


def test_judgements_that_nobody_made_are_not_run(world):
    piece, page = only(world, "tables", HUMAN)
    assert {row["status"] for row in rows_of(piece)} == {"not run"}
    assert "`docmt read-sheets --json` prints" in page and ">39<" in page.replace("</td>", "<")


def test_a_table_with_a_sheet_says_how_to_go_on(world):
    piece, page = only(world, "tables", {**HUMAN, "corpus": CORPUS, "system": "concat_3", "baseline": "sentence"})
    sheet = f"results/8_report/smoke/made/{piece.name}.sheet"
    assert f"`snakemake {sheet}.csv`" in page and f"--key {sheet}.key.json --json`" in page


def test_judgements_stand_beside_the_published_ones(world, tmp_path):
    shares = {"equal": 40.0, "better": 35.0, "worse": 25.0}
    judged = {"annotators": [{"annotator": "a", **shares}], "average": shares, "signature": "preference|v:1"}
    write_json(tmp_path / "judged.json", judged)
    world.human = tmp_path / "judged.json"
    piece, page = only(world, "tables", HUMAN)
    measured = {(record["row"], record["metric"]): record["measured"] for record in piece.records}
    assert measured["1", "equal"] == measured["Average", "equal"] == 40.0
    assert measured["2", "worse"] is None, "there is one annotator"
    assert "preference|v:1" in page and "+1.0" in page


@pytest.mark.parametrize("content", [{"average": {}}, []])
def test_a_file_that_is_no_judgements_is_refused(world, tmp_path, content):
    write_json(tmp_path / "judged.json", content)
    world.human = tmp_path / "judged.json"
    with pytest.raises(UserError, match=r"judged.json: not preferences of annotators\n  expected what `docmt read-s"):
        only(world, "tables", HUMAN)
