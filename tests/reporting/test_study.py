"""What findings of a study are refused for."""

import pytest
from helpers.recipes import settings
from helpers.small_grid import CORPUS, STUDY, small_project

from docmt.base.errors import UserError
from docmt.grid.grid import load_grid

TABLE = {
    "title": "T",
    "metrics": ["s-BLEU"],
    "baseline": "sentence",
    "rows": [{"system": "sentence"}, {"system": "fine"}],
}
CELLS = {
    "a": {"table": "t", "system": "fine", "metric": "s-BLEU"},
    "b": {"table": "t", "system": "sentence", "metric": "s-BLEU"},
}
GOOD = {"says": "It is {a}, {a-b} more.", "cells": CELLS, "when": [{"cell": "a", "above": "b", "p": 0.05}]}

REFUSED = [
    ({"says": "{c}"}, "findings.0.says: unknown cell of the finding\n  found c"),
    ({"says": "{a"}, "findings.0.says: a brace that is not closed, or not opened"),
    ({"when": []}, "findings.0.when: value not allowed"),
    ({"cells": {**CELLS, "a": {**CELLS["a"], "table": "tt"}}}, "cells.a.table: unknown table or figure\n  found tt"),
    ({"cells": {**CELLS, "a": {**CELLS["a"], "system": "fin"}}}, "cells.a.system: unknown system of the table"),
    ({"cells": {**CELLS, "a": {**CELLS["a"], "metric": "d-BLEU"}}}, "cells.a.metric: unknown metric of the table"),
    ({"when": [{"cell": "c", "above": "b"}]}, "findings.0.when.0.cell: unknown cell of the finding"),
    ({"when": [{"cell": "a"}]}, "findings.0.when.0.cell: value not allowed\n  found no direction"),
    ({"when": [{"cell": "a", "above": 1, "below": 2}]}, "found above, below; expected one of"),
    ({"when": [{"cell": "a", "near": "b", "p": 0.05}]}, "findings.0.when.0.p: value not allowed"),
    ({"when": [{"cell": "b", "above": "a", "p": 0.05}]}, "findings.0.when.0.p: no comparison in the table"),
    ({"when": [{"cell": "a", "above": "b", "p": 5}]}, "findings.0.when.0.p: value not allowed\n  found 5.0"),
]


def with_findings(root, **changes):
    project = small_project(root)
    project.edit(STUDY, "tables", {"t": TABLE, "u": TABLE})
    project.edit(STUDY, "findings", [GOOD | changes])
    return project.root


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_a_mistake_in_a_finding_is_refused_with_its_place(tmp_path, changes, message):
    with pytest.raises(UserError) as refused:
        load_grid(with_findings(tmp_path, **changes))
    assert message in str(refused.value)
    assert "one.yaml:" in str(refused.value), "the line"


def test_a_number_on_several_corpora_needs_its_corpus(tmp_path):
    root = with_findings(tmp_path)
    project = small_project(root)
    project.write("workflow/corpora/large.yaml", {**CORPUS, "corpus": "large"})
    project.edit(STUDY, "corpora", ["toy", "large"])
    project.edit(STUDY, "tables", {"t": TABLE})
    project.edit(STUDY, "findings", [GOOD])
    with pytest.raises(UserError, match=r"cells.a: not a single corpus\n  found toy, large; expected one of them"):
        load_grid(root)


def test_the_page_of_an_item_has_the_findings_of_its_numbers_alone(tmp_path):
    grid = load_grid(with_findings(tmp_path))
    counts = {name: len(settings(grid, f"8_report/paper/one/{name}")["study"]["findings"]) for name in ("t", "u")}
    assert counts == {"t": 1, "u": 0}
    assert len(settings(grid, "8_report/paper/one/index")["study"]["findings"]) == 1
