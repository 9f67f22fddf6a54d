"""The group and the labels of a study's items in the report of Snakemake."""

import pytest
from helpers.small_grid import STUDY, small_project

from docmt.base.errors import UserError
from docmt.grid.grid import Grid, load_grid
from docmt.plan.report_labels import group_of, item_labels, study_labels


@pytest.fixture
def grid(tmp_path) -> Grid:
    project = small_project(tmp_path / "project")
    table = {"title": "Quality", "paper": "Table 2", "metrics": ["s-BLEU"], "rows": [{"system": "sentence"}]}
    figure = {"title": "Learning", "kind": "curves", "corpus": "toy", "systems": [{"system": "sentence"}]}
    documents = [{"source": ["他来了。"], "reference": ["He came ."]}]
    passage = {"title": "Words", "corpus": "toy", "systems": [{"system": "sentence"}], "documents": documents}
    project.edit(STUDY, "tables", {"t": table})
    project.edit(STUDY, "figures", {"f": {**figure, "values": ["train_loss"]}})
    project.edit(STUDY, "passages", {"p": passage})
    return load_grid(project.root)


def test_items_have_the_group_of_their_kind(grid):
    assert [group_of(grid, "one", name) for name in ("t", "f", "p")] == ["Tables", "Figures", "Passages"]


def test_a_label_says_which_table_of_the_paper_it_is(grid):
    assert item_labels(grid, "one", "t", "page") == {"name": "t", "title": "Table 2: Quality", "file": "page"}
    assert item_labels(grid, "one", "f", "page")["title"] == "Learning"
    assert study_labels(grid, "one") == {"name": "one", "title": "One"}


def test_an_unknown_item_is_refused(grid):
    with pytest.raises(UserError, match="table9"):
        group_of(grid, "one", "table9")
