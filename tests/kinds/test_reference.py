"""The row of the reference: its scores by metrics that need no other text, beside those of systems."""

import re

from docmt.reporting.page import write_report
from docmt.reporting.pieces import pieces

ROWS = [{"system": "sentence"}, {"system": "concat_3"}, {"label": "Reference", "reference": True}]


def table_of(world):
    world.table("t", ROWS, ["LTCR", "s-BLEU"], baseline="sentence")
    return next(piece for piece in pieces(world.load()) if piece.name == "t").content


def test_the_reference_has_its_scores_and_is_neither_the_best_nor_compared(world):
    for system, ltcr in (("sentence", 80.0), ("concat_3", 85.0)):
        world.score(system, scores={"LTCR": ltcr}, reference={"LTCR": 99.0})
    table = table_of(world)
    cell, bleu = table.rows[2].cells
    assert (cell.measured, cell.signatures, cell.is_best) == (99.0, ("LTCR|v:1",), False)
    assert cell.baseline_difference is None and cell.comparison is None
    assert bleu.measured is None and not bleu.footnote
    assert [row.cells[0].is_best for row in table.rows] == [False, True, False]


def test_the_page_calls_the_row_neither_published_nor_a_system(world):
    world.score("sentence", 1, scores={"LTCR": 80.0}, reference={"LTCR": 99.0})
    table_of(world)
    write_report(world.settings_file, world.folders, world.output)
    row = re.search(r"<tr>\s*<th class=\"label\" scope=\"row\">Reference.*?</tr>", world.output.read_text(), re.DOTALL)[
        0
    ]
    assert "99.00" in row and "published only" not in row and "data-system" not in row
