"""What tables, figures and passages of a study are made from, and which part of it each one's job gets to know."""

import dataclasses

import pytest
from helpers.every_kind import FIGURES
from helpers.plans import plan_of
from helpers.recipes import settings
from helpers.small_grid import CORPUS, STUDY
from helpers.support import Project

from docmt.base.errors import UserError
from docmt.grid.grid import load_grid
from docmt.grid.items import Jobs, item_entries, item_jobs, study_jobs, study_pages
from docmt.plan.plan import Job


def test_items_come_in_the_order_of_a_paper(full):
    """Tables with passages among them, numbers as numbers; then figures."""
    names = ["table1", "table2", "table3", "table10", "table11", "passage", *FIGURES]
    assert list(load_grid(full.root).studies["one"].items) == names


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


SCORES = "7_scores/toy/{}/seed{}"
CURVES = [f"5_training/toy/chains/seed{seed}" for seed in (4, 5)]
TRAINED = "5_training/toy/{}/seed{}"
EXPECTED = {
    "table1": {
        "scores": [SCORES.format(name, 1) for name in ("sentence", "fine", "fine.beam8")],
        # The model of `fine.beam8` is that of `fine`.
        "records": [TRAINED.format(name, 1) for name in ("sentence", "fine", "fine")],
        "comparisons": ["7_comparisons/one/table1"],
    },
    "table2": {"records": [TRAINED.format(name, 1) for name in ("sentence", "fine")]},
    "table3": {"records": [TRAINED.format(name, 1) for name in ("document", "fine.narrow")]},
    "table10": {"cards": [*["1_corpus/toy"] * 4, *["4_chain_words/toy/joint"] * 2]},
    "table11": {},
    "figure1": {
        "scores": [SCORES.format(name, 1) for name in ("sentence", "document")],
        "records": [TRAINED.format(name, 1) for name in ("sentence", "document")],
    },
    "figure2": {"scores": [SCORES.format("windows", 1)], "records": [TRAINED.format("windows", 1)]},
    "figure3": {"records": [TRAINED.format("fine", 1)], "curves": [TRAINED.format("fine", 1)]},
    "figure4": {"curves": CURVES, "inside": ["6_inside/toy/chains/seed4"]},
    "figure6": {"curves": CURVES, "inside": ["6_inside/toy/chains/seed4"]},
    "figure8": {
        "occurrences": ["7_scores/toy/sentence/seed1", "7_scores/toy/chains/seed4"],
        "translations": ["6_translations/toy/sentence/seed1", "6_translations/toy/chains/seed4"],
        "tokens": ["2_tokens/toy/joint"] * 2,
    },
    "passage": {"passages": ["6_passages/toy/sentence/seed1/one/passage"]},
}


def places(jobs: Jobs) -> dict[str, list[str]]:
    """Where the jobs of each input have their outputs, below `results/`."""
    return {what: [Job.of(step, **names).role for step, names in listed] for what, listed in jobs.items()}


def of_study(project: Project) -> dict[str, list[str]]:
    return places(study_jobs(load_grid(project.root), "one"))


@pytest.mark.parametrize("name", EXPECTED)
def test_an_item_is_made_from_what_it_shows_and_from_nothing_else(full, name):
    assert places(item_jobs(load_grid(full.root), "one", name)) == EXPECTED[name]


def test_a_table_of_human_judgements_reads_the_file_that_the_project_names(full):
    full.edit("config.yaml", "human", {"one": "judged.json"})
    full.write("judged.json", "{}")
    plan = plan_of(full.root)
    recipes = {
        name: plan.recipe(Job.of("page", scale="paper", study="one", item=name)) for name in ("table11", "table1")
    }
    assert recipes["table11"].files["human"].path == "judged.json"
    assert {name: recipe.settings["human"] for name, recipe in recipes.items()} == {"table11": "given", "table1": None}


def test_the_page_of_a_study_is_made_from_all_of_it(full):
    inputs, pages = of_study(full), study_pages(load_grid(full.root), "one")
    assert {names["item"] for _, names in pages} == {"index", *EXPECTED}
    for read in EXPECTED.values():
        assert all(set(listed) <= set(inputs[what]) for what, listed in read.items())
    assert SCORES.format("chains", 5) in inputs["scores"]


def test_a_study_translates_nothing_of_what_its_items_show_by_trainings_alone(full):
    """`fine.narrow` stands in a table of losses; `document` there too, and in a figure of BLEU."""
    inputs = of_study(full)
    assert SCORES.format("fine.narrow", 1) not in inputs["scores"]
    assert SCORES.format("document", 1) in inputs["scores"]
    assert TRAINED.format("fine.narrow", 1) in inputs["records"]
    full.edit(STUDY, "tables/table3/metric", "s-BLEU")
    assert SCORES.format("fine.narrow", 1) in of_study(full)["scores"]
    full.edit(STUDY, "tables/table3/rows", [])
    assert SCORES.format("fine.narrow", 1) in of_study(full)["scores"], "shown by no item"


def test_what_is_left_out_is_not_asked_for(full):
    grid = dataclasses.replace(load_grid(full.root), not_run={"toy": "toy is missing"})
    assert not any(item_jobs(grid, "one", name) for name in EXPECTED)
    assert settings(grid, "8_report/paper/one/figure2")["not_run"] == {
        "toy": "toy is missing",
        "toy/windows": "toy is missing",
    }
    assert study_jobs(grid, "one")["scores"] == []


def test_the_settings_of_an_item_hold_what_it_shows_and_nothing_else(full):
    before = load_grid(full.root)
    full.edit(STUDY, "tables/table2/caption", "other words")
    full.edit(STUDY, "systems/document/train", {"lr": 0.25})
    after = load_grid(full.root)
    paths = {name: f"8_report/paper/one/{name}" for name in EXPECTED}
    changed = [name for name, path in paths.items() if settings(before, path) != settings(after, path)]
    # table1 and table2 show `fine`, figure3 its beam, figure1 and table3 `document`, which they extend.
    assert sorted(changed) == ["figure1", "figure3", "table1", "table2", "table3"]
    page = settings(after, paths["table2"])
    assert (list(page["study"]["tables"]), page["study"]["figures"]) == (["table2"], {})
    assert [entry["system"]["name"] for entry in page["entries"]] == ["sentence", "fine"]
    assert page["reads"] == ["records"]
    assert {page["name"] for page in page["pages"]} == set(EXPECTED)


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
        system: settings(grid, f"7_scores/toy/{system}/seed1")["requested"] for system in ("fine", "fine.beam8")
    }
    assert requested == {"fine": ["d-chrF", "s-TER"], "fine.beam8": []}
