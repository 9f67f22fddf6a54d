"""Numbers behind which a small random model stands for a pretrained one are marked, and no others."""

import pytest
from helpers.single_item import page_of

from docmt.reporting.pieces import pieces

CORPUS = "toy_zh-en"
STAND_INS = {f"results/0_models/{name}@smoke": f"models/{name}" for name in ("bert", "mbart", "awesome")}


@pytest.fixture
def marked(world):
    """One system starts from a random checkpoint; cohesion is by one too."""
    world.settings |= {"stand_ins": STAND_INS, "random_starts": {f"{CORPUS}/concat_3": "results/0_models/mbart@smoke"}}
    for system in ("sentence", "concat_3"):
        judges = {"cohesion": {"model": "results/0_models/bert@smoke"}, "aligner": {"model": None}}
        world.score(system, scores={"cohesion": 0.5}, settings=judges)
    rows = [{"system": system} for system in ("sentence", "concat_3", "never_run")]
    world.table("t", rows, ["s-BLEU", "cohesion", "LTCR"])
    return world


def test_cells_name_what_was_replaced(marked):
    (piece,) = pieces(marked.load())
    models = {(record["system"], record["metric"]): record["random"] for record in piece.records}
    assert models == {
        ("sentence", "s-BLEU"): [],
        ("sentence", "cohesion"): ["models/bert"],
        ("sentence", "LTCR"): [],
        ("concat_3", "s-BLEU"): ["models/mbart"],
        ("concat_3", "cohesion"): ["models/mbart", "models/bert"],
        ("concat_3", "LTCR"): [],
        ("never_run", "s-BLEU"): [],
        ("never_run", "cohesion"): [],
        ("never_run", "LTCR"): [],
    }


def test_the_page_marks_them_and_says_what_the_mark_means(marked):
    page = page_of(marked)
    assert page.count(">°</sup>") == 3
    assert "by a small random model in place of a pretrained one (models/bert, models/mbart)" in page


def test_what_a_random_aligner_linked_is_marked(world):
    world.settings |= {"stand_ins": STAND_INS}
    judges = {"cohesion": None, "aligner": {"model": "results/0_models/awesome@smoke"}}
    world.score("sentence", scores={"LTCR": 60.0, "HHI": 50.0}, settings=judges)
    world.table("t", [{"system": "sentence"}], ["s-BLEU", "LTCR", "HHI"])
    (piece,) = pieces(world.load())
    assert [record["random"] for record in piece.records] == [[], ["models/awesome"], ["models/awesome"]]
