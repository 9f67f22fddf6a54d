"""Scores in a file: read as they were written, those of documents apart, and none without its number."""

from dataclasses import replace

import pytest

from docmt.base.errors import UserError
from docmt.base.scores import Score, read_scores, table_of
from docmt.base.tables import write_parquet

SCORES = [
    Score("s-BLEU", "", 20.0, "s|v:1", 18.0, 22.0, "bootstrap|v:2", 4, {"brevity_penalty": 1.0}),
    Score("LTCR", ":overlap", 90.0, "LTCR|v:1", text="reference"),
    Score("d-BLEU", "@document.a", 30.0, "d|v:1", n=2),
]


def test_scores_are_read_as_they_were_written_and_those_of_documents_apart(tmp_path):
    path = tmp_path / "scores.parquet"
    write_parquet(path, table_of(SCORES, corpus="toy", system="sentence", seed=1))
    assert read_scores(path) == SCORES[:2]
    assert read_scores(path, of_documents=True) == SCORES[2:]
    assert [score.name for score in SCORES] == ["s-BLEU", "LTCR:overlap", "d-BLEU@document.a"]


@pytest.mark.parametrize("part", ["metric", "value", "signature"])
def test_a_score_that_lacks_a_part_is_refused(tmp_path, part):
    path = tmp_path / "scores.parquet"
    write_parquet(path, table_of([replace(SCORES[0], **{part: None})]))
    with pytest.raises(UserError, match=r"scores.parquet: not the scores of a system"):
        read_scores(path)
