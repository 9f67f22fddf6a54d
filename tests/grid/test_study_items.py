"""What tables, figures and passages of a study are made from, and which part of it each one's job gets to know."""

import dataclasses
import json

import pytest
from helpers.every_kind import FIGURES
from helpers.recipes import settings
from helpers.small_grid import CORPUS, STUDY

from docmt.base.errors import UserError
from docmt.grid.grid import Grid, load_grid
from docmt.grid.items import item_entries, item_files, study_files


def test_items_come_in_the_order_of_a_paper(full):
    """Tables with passages among them, numbers as numbers; then figures."""
    names = ["table1", "table2", "table3", "table10", "table11", "passage", *FIGURES]
    assert list(load_grid(full.root).studies["one"].items) == names


def test_the_grid_with_its_items_survives_freezing(full):
    """Numbers that are keys are texts in JSON."""
    grid = load_grid(full.root)
    assert Grid.from_json(json.loads(grid.to_json()), "grid.json") == grid
    (series,) = grid.studies["one"].figures["figure1"].series
    assert series.points == {8.0: "sentence", 64.0: "document"}


def test_columns_are_those_of_the_table_or_one_a_corpus(full):
    full.write("workflow/corpora/large.yaml", {**CORPUS, "corpus": "large"})
    full.edit(STUDY, "corpora", ["large", "toy"])
    full.edit(STUDY, "tables/table1/columns/other", {"corpus": "large"})
    tables = load_grid(full.root).studies["one"].tables
    assert [key for key, _ in tables["table1"].columns_of(("large", "toy"))] == ["other", "plain", "beams"]
    assert [key for key, _ in tables["table2"].columns_of(("large", "toy"))] == ["large", "toy"]


def test_a_suffix_names_the_system_and_its_baseline_of_a_column(full):
    table = load_grid(full.root).studies["one"].tables["table1"]
    assert list(table.cells(("toy",))) == [
        ("toy", "sentence", None),
        ("toy", "fine", "sentence"),
        ("toy", "fine.beam8", "sentence.beam8"),
    ]


SCORES = "results/7_scores/paper/toy/{}/seed{}/scores.json"
CURVES = [f"results/5_training/paper/toy/chains/seed{seed}/metrics.jsonl" for seed in (4, 5)]
RECORDS = "results/5_training/paper/toy/{}/seed{}/record.json"
EXPECTED = {
    "table1": {
        "scores": [SCORES.format(name, 1) for name in ("sentence", "fine", "fine.beam8")],
        "records": [RECORDS.format(name, 1) for name in ("sentence", "fine")],
        "comparisons": ["results/7_comparisons/paper/one/table1/comparisons.json"],
    },
    "table2": {"records": [RECORDS.format(name, 1) for name in ("sentence", "fine")]},
    "table3": {"records": [RECORDS.format(name, 1) for name in ("document", "fine.narrow")]},
    "table10": {"cards": ["results/1_corpus/toy/card.json", "results/4_chains/toy/joint/words/card.json"]},
    "table11": {},
    "figure1": {
        "scores": [SCORES.format(name, 1) for name in ("sentence", "document")],
        "records": [RECORDS.format(name, 1) for name in ("sentence", "document")],
    },
    "figure2": {"scores": [SCORES.format("windows", 1)], "records": [RECORDS.format("windows", 1)]},
    "figure3": {
        "records": [RECORDS.format("fine", 1)],
        "curves": ["results/5_training/paper/toy/fine/seed1/metrics.jsonl"],
    },
    "figure4": {"curves": CURVES, "inside": ["results/6_translations/paper/toy/chains/seed4/inside.arrow"]},
    "figure6": {"curves": CURVES, "inside": ["results/6_translations/paper/toy/chains/seed4/inside.arrow"]},
    "figure8": {
        "occurrences": [
            "results/7_scores/paper/toy/sentence/seed1/occurrences.arrow",
            "results/7_scores/paper/toy/chains/seed4/occurrences.arrow",
        ],
        "translations": [
            "results/6_translations/paper/toy/sentence/seed1/test.tok.txt",
            "results/6_translations/paper/toy/chains/seed4/test.tok.txt",
        ],
        "tokens": ["results/2_tokens/toy/joint/tokens.arrow"],
    },
    "passage": {"passages": ["results/6_passages/paper/toy/sentence/seed1/one/passage/passages.json"]},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_an_item_is_made_from_what_it_shows_and_from_nothing_else(full, name):
    assert item_files(load_grid(full.root), "one", name) == EXPECTED[name]


def test_a_table_of_human_judgements_reads_the_file_that_the_project_names(full):
    full.edit("config.yaml", "human", {"one": "judged.json"})
    grid = load_grid(full.root)
    assert item_files(grid, "one", "table11") == {"human": ["judged.json"]}
    assert settings(grid, "8_report/paper/one/table11")["human"] == "given"
    assert settings(grid, "8_report/paper/one/table1")["human"] is None


def test_the_page_of_a_study_is_made_from_all_of_it(full):
    inputs = study_files(load_grid(full.root), "one")
    for name, files in EXPECTED.items():
        assert f"results/8_report/paper/one/{name}.html" in inputs["pages"]
        assert all(set(paths) <= set(inputs[what]) for what, paths in files.items())
    assert SCORES.format("chains", 5) in inputs["scores"]


def test_a_study_translates_nothing_of_what_its_items_show_by_trainings_alone(full):
    """`fine.narrow` stands in a table of losses; `document` there too, and in a figure of BLEU."""
    inputs = study_files(load_grid(full.root), "one")
    assert SCORES.format("fine.narrow", 1) not in inputs["scores"]
    assert SCORES.format("document", 1) in inputs["scores"]
    assert RECORDS.format("fine.narrow", 1) in inputs["records"]
    full.edit(STUDY, "tables/table3/metric", "s-BLEU")
    assert SCORES.format("fine.narrow", 1) in study_files(load_grid(full.root), "one")["scores"]
    full.edit(STUDY, "tables/table3/rows", [])
    assert SCORES.format("fine.narrow", 1) in study_files(load_grid(full.root), "one")["scores"], "shown by no item"


def test_what_is_left_out_is_not_asked_for(full):
    grid = dataclasses.replace(load_grid(full.root), not_run={"toy": "toy is missing"})
    assert {name: item_files(grid, "one", name) for name in EXPECTED} == {name: {} for name in EXPECTED}
    assert settings(grid, "8_report/paper/one/figure2")["not_run"] == {
        "toy": "toy is missing",
        "toy/windows": "toy is missing",
    }
    assert study_files(grid, "one")["scores"] == []


def test_the_slice_of_an_item_holds_what_it_shows_and_nothing_else(full):
    before = load_grid(full.root)
    full.edit(STUDY, "tables/table2/caption", "other words")
    full.edit(STUDY, "systems/document/train", {"lr": 0.25})
    after = load_grid(full.root)
    paths = {name: f"8_report/paper/one/{name}" for name in EXPECTED}
    changed = [name for name, path in paths.items() if settings(before, path) != settings(after, path)]
    # table1 and table2 show `fine`, figure3 its beam, figure1 and table3 `document`, which they extend.
    assert sorted(changed) == ["figure1", "figure3", "table1", "table2", "table3"]
    slice_ = settings(after, paths["table2"])
    assert (list(slice_["study"]["tables"]), slice_["study"]["figures"]) == (["table2"], {})
    assert [entry["system"]["name"] for entry in slice_["entries"]] == ["sentence", "fine"]
    assert slice_["reads"] == ["records"]
    assert {page["name"] for page in slice_["pages"]} == set(EXPECTED)


def test_the_entries_of_an_item_come_in_its_order(full):
    grid = load_grid(full.root)
    assert [entry.system.name for entry in item_entries(grid, "one", "figure1")] == ["sentence", "document"]


def test_human_judgements_of_an_unknown_study_are_refused(full):
    full.edit("config.yaml", "human", {"oen": "x.json"})
    with pytest.raises(UserError, match=r"human.oen: unknown study\n  found oen\n  did you mean 'one'"):
        load_grid(full.root)


def test_a_metric_on_request_is_computed_for_the_systems_of_the_items_that_show_it(full):
    full.edit(
        STUDY, "tables/more", {"title": "T", "metrics": ["s-BLEU", "s-TER", "d-chrF"], "rows": [{"system": "fine"}]}
    )
    grid = load_grid(full.root)
    requested = {
        system: settings(grid, f"7_scores/paper/toy/{system}/seed1")["requested"] for system in ("fine", "fine.beam8")
    }
    assert requested == {"fine": ["d-chrF", "s-TER"], "fine.beam8": []}
