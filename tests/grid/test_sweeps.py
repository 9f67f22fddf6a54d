"""Sweeps: one line states several systems, and is nothing else than these, each with a line of its own."""

import dataclasses

import pytest
from helpers.small_grid import CONFIG, STUDY, SYSTEMS, small_project

from docmt.base.errors import UserError
from docmt.grid.grid import load_grid

CUT = {"train": {"max_tokens": "{}", "min_document_tokens": 8}, "test": {"max_tokens": "{}"}}
SWEEP = {"document.length{}": {"sweep": [32, 64], "extends": "document", "view": CUT}}
FIGURE = {"title": "F", "corpus": "toy", "metrics": ["d-BLEU"], "x": {"label": "length"}}


def study_of(systems: dict, points: object) -> dict:
    figure = {**FIGURE, "series": [{"label": "document", "points": points}]}
    return {"study": "one", "title": "One", "corpora": ["toy"], "systems": systems, "figures": {"by_length": figure}}


def grid_of(folder, study):
    project = small_project(folder)
    project.write(STUDY, study)
    return load_grid(project.root)


def test_a_sweep_is_its_systems(tmp_path):
    spelt = {
        f"document.length{n}": {
            "extends": "document",
            "view": {"train": {"max_tokens": n, "min_document_tokens": 8}, "test": {"max_tokens": n}},
        }
        for n in (32, 64)
    }
    points = {32: "document.length32", 64: "document.length64"}
    short = grid_of(tmp_path / "short", study_of({**SYSTEMS, **SWEEP}, "document.length{}"))
    long = grid_of(tmp_path / "long", study_of({**SYSTEMS, **spelt}, points))
    assert short.entries == long.entries
    stated = [dataclasses.replace(grid.studies["one"], systems={}) for grid in (short, long)]
    assert stated[0] == stated[1]


def test_a_value_stands_in_texts_and_names_too(tmp_path):
    texts = {**CONFIG["texts"], "joint32": CONFIG["texts"]["joint"], "joint0.5": CONFIG["texts"]["joint"]}
    project = small_project(tmp_path)
    project.write("config.yaml", {**CONFIG, "texts": texts})
    swept = {"other{}.system": {"sweep": [32, 0.5], "extends": "document", "text": "joint{}"}}
    project.write(STUDY, {"study": "one", "title": "One", "corpora": ["toy"], "systems": {**SYSTEMS, **swept}})
    named = {entry.system.name: entry.system.text for entry in load_grid(project.root).entries}
    assert (named["other32.system"], named["other0.5.system"]) == ("joint32", "joint0.5")


REFUSED = {
    "no values": ({"a{}": {"sweep": []}}, "not the values of a sweep"),
    "values of words": ({"a{}": {"sweep": ["x"]}}, "not the values of a sweep"),
    "a value given twice": ({"a{}": {"sweep": [1, 1]}}, "not the values of a sweep"),
    "one value without a list": ({"a{}": {"sweep": 3}}, "not the values of a sweep"),
    "a sweep without its place": ({"a": {"sweep": [1]}}, "not the name of a sweep"),
    "a place without a sweep": ({"a{}": {}}, "not the name of a sweep"),
    "two places": ({"a{}{}": {"sweep": [1]}}, "not the name of a sweep"),
    "a system of that name": ({"a1": {}, "a{}": {"sweep": [1]}}, "a name given twice"),
    "a wrong setting": ({"a{}": {"sweep": [1], "decode": {"beam": "{}", "beem": 1}}}, "unknown key"),
}


@pytest.mark.parametrize("mistake", REFUSED)
def test_a_wrong_sweep_is_refused_where_it_stands(tmp_path, mistake):
    systems, message = REFUSED[mistake]
    with pytest.raises(UserError, match=message) as raised:
        grid_of(tmp_path, study_of({**SYSTEMS, **systems}, {1: "sentence"}))
    assert f"{STUDY}:" in str(raised.value)


def test_points_name_a_sweep(tmp_path):
    with pytest.raises(UserError, match="unknown sweep") as raised:
        grid_of(tmp_path, study_of({**SYSTEMS, **SWEEP}, "document.lenght{}"))
    assert "did you mean 'document.length{}'" in str(raised.value)
    assert "series.0.points" in str(raised.value)
