"""What tables, figures and passages state, what they are refused for, and which files each is made from."""

import dataclasses
import json

import pytest
from helpers.small_grid import CORPUS, STUDY
from helpers.support import Project

from docmt.base.errors import UserError
from docmt.kinds.item import is_published, published_number
from docmt.plan.grid import Grid, load_grid
from docmt.plan.items import item_entries, item_files, study_files
from docmt.plan.slices import settings

COMMON = {"title": "T", "corpus": "toy"}
TABLES = {
    "table1": {
        "title": "T",
        "metrics": ["s-BLEU"],
        "baseline": "sentence",
        "drop": "above",
        "columns": {"plain": {"corpus": "toy"}, "beams": {"corpus": "toy", "label": "Beam 8", "suffix": ".beam8"}},
        "rows": [
            {"system": "sentence", "only": ["plain"], "published": {"plain": {"s-BLEU": "20.10"}}},
            {"group": "With context"},
            {"system": "fine", "published": {"beams": {"s-BLEU": 21.5}}, "drop": -0.14},
            {"label": "Others", "published": {"plain": {"s-BLEU": "not digitised"}}},
        ],
    },
    "table2": {"title": "T", "metrics": ["parameters", "speed"], "rows": [{"system": "sentence"}, {"system": "fine"}]},
    "table3": {
        **COMMON,
        "kind": "gaps",
        "metric": "dev NLL",
        "rows": [{"group": "By length"}, {"system": "document", "baseline": "fine.narrow"}],
    },
    "table10": {"title": "T", "kind": "counts", "counts": ["sentences", "words_per_chain"], "splits": ["dev", "test"]},
    "table11": {"title": "T", "kind": "human", "rows": [{"label": "1", "annotator": 1, "published": {"equal": 39}}]},
}
FIGURES = {
    "figure1": {
        **COMMON,
        "kind": "points",
        "metrics": ["d-BLEU"],
        "x": {"label": "Length", "log": True},
        "series": [{"label": "A", "points": {64: "document", 8: "sentence"}, "published": {256: {"d-BLEU": 30.5}}}],
    },
    "figure2": {
        **COMMON,
        "kind": "positions",
        "series": [{"label": "k = 3", "system": "windows", "published": {1: 18.0}}],
        "levels": [{"label": "Others", "published": "not digitised"}],
    },
    "figure3": {**COMMON, "kind": "curves", "systems": [{"system": "fine.beam8"}], "values": ["dev_loss", "kl"]},
    "figure4": {**COMMON, "kind": "attention", "system": "chains"},
    "figure6": {**COMMON, "kind": "latent", "system": "chains"},
    "figure8": {**COMMON, "kind": "cases", "baseline": "sentence", "system": "chains"},
}
PASSAGES = {
    "passage": {
        **COMMON,
        "systems": [{"label": "Sys0", "system": "sentence"}],
        "documents": [{"source": ["a"], "published": {"Sys0": ["b", "c"]}}],
    }
}
SYSTEMS = {
    "sentence.beam8": {"extends": "sentence", "decode": {"beam": 8}},
    "windows": {"extends": "sentence", "view": {"window": 3}, "model": {"frame": "joined"}},
    "chains": {"extends": "sentence", "seeds": [4, 5], "model": {"kind": "lexical_chain"}},
}


@pytest.fixture
def full(small) -> Project:
    """The study has every kind of item."""
    for name, system in SYSTEMS.items():
        small.edit(STUDY, f"systems/{name}", system)
    for section, items in (("tables", TABLES), ("figures", FIGURES), ("passages", PASSAGES)):
        small.edit(STUDY, section, items)
    return small


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
RECORDS = "results/5_training/paper/toy/{}/seed{}/record.json"
EXPECTED = {
    "table1": {
        "scores": [SCORES.format(name, 1) for name in ("sentence", "fine", "fine.beam8")],
        "records": [RECORDS.format(name, 1) for name in ("sentence", "fine")],
        "comparisons": ["results/7_comparisons/one/table1/comparisons.json"],
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
    "figure4": {"inside": ["results/6_translations/paper/toy/chains/seed4/inside.arrow"]},
    "figure6": {"inside": ["results/6_translations/paper/toy/chains/seed4/inside.arrow"]},
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
    assert settings(grid, "8_report/one/table11")["human"] == "judged.json"
    assert settings(grid, "8_report/one/table1")["human"] is None


def test_the_page_of_a_study_is_made_from_all_of_it(full):
    found = study_files(load_grid(full.root), "one")
    for name, files in EXPECTED.items():
        assert f"results/8_report/one/{name}.html" in found["pages"]
        assert all(set(paths) <= set(found[what]) for what, paths in files.items())
    assert SCORES.format("chains", 5) in found["scores"]


def test_a_study_translates_nothing_of_what_its_items_show_by_trainings_alone(full):
    """`fine.narrow` stands in a table of losses; `document` there too, and in a figure of BLEU."""
    found = study_files(load_grid(full.root), "one")
    assert SCORES.format("fine.narrow", 1) not in found["scores"]
    assert SCORES.format("document", 1) in found["scores"]
    assert RECORDS.format("fine.narrow", 1) in found["records"]
    full.edit(STUDY, "tables/table3/metric", "s-BLEU")
    assert SCORES.format("fine.narrow", 1) in study_files(load_grid(full.root), "one")["scores"]
    full.edit(STUDY, "tables/table3/rows", [])
    assert SCORES.format("fine.narrow", 1) in study_files(load_grid(full.root), "one")["scores"], "shown by no item"


def test_what_is_left_out_is_not_asked_for(full):
    grid = dataclasses.replace(load_grid(full.root), not_run={"toy": "toy is missing"})
    assert {name: item_files(grid, "one", name) for name in EXPECTED} == {name: {} for name in EXPECTED}
    assert settings(grid, "8_report/one/figure2")["not_run"] == {
        "toy": "toy is missing",
        "toy/windows": "toy is missing",
    }
    assert study_files(grid, "one")["scores"] == []


def test_the_slice_of_an_item_holds_what_it_shows_and_nothing_else(full):
    before = load_grid(full.root)
    full.edit(STUDY, "tables/table2/caption", "other words")
    full.edit(STUDY, "systems/document/train", {"lr": 0.25})
    after = load_grid(full.root)
    paths = {name: f"8_report/one/{name}" for name in EXPECTED}
    changed = [name for name, path in paths.items() if settings(before, path) != settings(after, path)]
    # table1 and table2 show `fine`, figure3 its beam, figure1 and table3 `document`, which they extend.
    assert sorted(changed) == ["figure1", "figure3", "table1", "table2", "table3"]
    slice_ = settings(after, paths["table2"])
    assert (list(slice_["study"]["tables"]), slice_["study"]["figures"]) == (["table2"], {})
    assert [one["system"]["name"] for one in slice_["entries"]] == ["sentence", "fine"]
    assert slice_["reads"] == ["records"]
    assert {page["name"] for page in slice_["pages"]} == set(EXPECTED)


def test_the_entries_of_an_item_come_in_its_order(full):
    grid = load_grid(full.root)
    assert [entry.system.name for entry in item_entries(grid, "one", "figure1")] == ["sentence", "document"]


@pytest.mark.parametrize(
    ("value", "number"),
    [(23.1, 23.1), ("23.10", 23.1), (41, 41.0), ("-0.14", -0.14), ("not digitised", None), (None, None)],
)
def test_what_was_published_is_a_number_or_not_digitised(value, number):
    assert published_number(value) == number
    assert is_published(value) == (value is not None)


@pytest.mark.parametrize("value", ["23,1", "about 23", "", True, [23.1], {}])
def test_what_is_not_published_so(value):
    assert not is_published(value)


def figure(**more: object) -> dict:
    return {**COMMON, **more}


REFUSED = [
    ("tables/table1/columns/plain/corpus", "tay", "tables.table1.columns.plain.corpus: unknown corpus of the study"),
    ("tables/table1/columns/beams/suffix", ".beam9", "unknown system\n  found sentence.beam9\n  did you mean"),
    ("tables/table1/rows", [{"system": "fin"}], "tables.table1.rows.0.system: unknown system\n  found fin\n  did you"),
    ("tables/table1/rows", [{"system": "document"}], "rows.0.system: unknown system\n  found document.beam8"),
    ("tables/table1/rows", [{"only": ["plian"]}], "tables.table1.rows.0.only.0: unknown column\n  found plian\n  did"),
    (
        "tables/table1/rows",
        [{"group": "G", "label": "x"}],
        "rows.0.group: value not allowed\n  found G; expected no",
    ),
    ("tables/table1/rows", [{"drop": "far"}], "rows.0.drop: value not allowed\n  found far; expected a number, or not"),
    (
        "tables/table1/rows",
        [{"published": {"plain": {"s-BLEU": "23,1"}}}],
        "rows.0.published.plain.s-BLEU: not a published value\n  found '23,1'; expected a number, such as 23.10",
    ),
    ("tables/table1/metrics", ["s-BLEU", "d-BLEU"], "table1.drop: value not allowed\n  found above; expected a single"),
    ("tables/table1/drop", None, "tables.table1.rows: value not allowed\n  found drop of ['fine']"),
    ("tables/table1/drop", "below", "tables.table1.drop: unknown name\n  found below"),
    ("tables/table1/kind", "sistems", "tables.table1.kind: unknown kind of table\n  found sistems\n  did you mean"),
    ("tables/table3/corpus", "tay", "tables.table3.corpus: unknown corpus of the study\n  found tay\n  did you mean"),
    (
        "tables/table3/metric",
        "dev NL",
        "tables.table3.metric: unknown metric\n  found dev NL\n  did you mean 'dev NLL'",
    ),
    ("tables/table3/confidence", 95, "tables.table3.confidence: value not allowed\n  found 95.0; expected above 0 and"),
    (
        "tables/table3/rows",
        [{"system": "fin", "baseline": "document"}],
        "table3.rows.0.system: unknown system\n  found fin\n",
    ),
    (
        "tables/table3/rows",
        [{"system": "fine", "baseline": "documnt"}],
        "table3.rows.0.baseline: unknown system\n  found documnt",
    ),
    (
        "tables/table3/rows",
        [{"system": "fine"}],
        "table3.rows.0.baseline: value not allowed\n  expected the name of a system",
    ),
    (
        "tables/table3/rows",
        [{"group": "G", "system": "fine"}],
        "table3.rows.0.group: value not allowed\n  found G; expected no system beside it",
    ),
    (
        "tables/table10/counts",
        ["sentenses"],
        "tables.table10.counts.0: unknown count\n  found sentenses\n  did",
    ),
    ("tables/table10/counts", [], "tables.table10.counts: value not allowed\n  found nothing"),
    ("tables/table10/counts", ["instances"], "nothing counts this\n  found instances of dev on toy; expected a system"),
    ("tables/table10/splits", ["tets"], "tables.table10.splits.0: unknown split\n  found tets\n  did you mean 'test'"),
    ("tables/table10/corpora", ["tay"], "tables.table10.corpora.0: unknown corpus of the study"),
    ("tables/table11/rows", [{"label": "1", "annotator": 0}], "rows.0.annotator: value not allowed\n  found 0"),
    ("tables/table11/rows", [{"label": "1", "published": {"equl": 1}}], "published.equl: unknown published metric"),
    (
        "tables/index",
        {"title": "T", "metrics": ["s-BLEU"], "rows": []},
        "tables.index: a name that the study's page",
    ),
    (
        "tables/a b",
        {"title": "T", "metrics": ["s-BLEU"], "rows": []},
        "tables.a b: not a name of a table\n  found 'a b'",
    ),
    ("figures/table1", FIGURES["figure4"], "figures.table1: a name given twice\n  found table1, as in tables"),
    (
        "figures/figure1/corpus",
        "tay",
        "figures.figure1.corpus: unknown corpus of the study\n  found tay\n  did",
    ),
    ("figures/figure1/kind", "pionts", "figures.figure1.kind: unknown kind of figure\n  found pionts\n  did you mean"),
    ("figures/figure1/series", [{"label": "A", "points": {64: "docment"}}], "series.0.points.64: unknown system"),
    (
        "figures/figure1/series",
        [{"label": "A", "points": {"x": "document"}}],
        "points.x: wrong type\n  found 'x'",
    ),
    ("figures/figure1/series", [{"label": "A", "points": {0: "document"}}], "figure1.x.log: value not allowed"),
    ("figures/figure1/series", [{"label": "A"}], "series.0.points: value not allowed\n  found nothing"),
    (
        "figures/figure1/series",
        [{"label": "A", "published": {64: {"s-BLEU": 1}}}],
        "figures.figure1.series.0.published.64.s-BLEU: unknown published metric",
    ),
    ("figures/figure1/series", [FIGURES["figure1"]["series"][0]] * 2, "figures.figure1.series: a label given twice"),
    ("figures/figure1/metrics", ["s-BLUE"], "figures.figure1.metrics.0: unknown metric"),
    ("figures/figure2/metric", "d-BLEU", "figures.figure2.metric: unknown detail of a metric"),
    (
        "figures/figure2/series",
        [{"label": "A", "system": "sentence"}],
        "not a system that translates windows\n  found sentence, test view window1",
    ),
    (
        "figures/figure2/series",
        [{"label": "A"}],
        "series.0.system: value not allowed\n  expected a system, or published values",
    ),
    ("figures/figure2/levels", [{"label": "B", "published": "?"}], "levels.0.published: not a published value"),
    ("figures/figure3/values", ["dev_los"], "figures.figure3.values.0: unknown name\n  found dev_los\n  did you mean"),
    ("figures/figure3/x", "hours", "figures.figure3.x: unknown name\n  found hours"),
    (
        "figures/figure4/system",
        "fine",
        "not a system that reads lexical chains\n  found fine, model.kind g_",
    ),
    ("figures/figure6/system", "fine", "figures.figure6.system: not a system with latent variables\n  found fine"),
    (
        "figures/figure8/baseline",
        "sentense",
        "figures.figure8.baseline: unknown system\n  found sentense\n  did",
    ),
    ("figures/figure8/show", "all", "figures.figure8.show: unknown name\n  found all\n  valid: different"),
    ("passages/passage/systems", [{"system": "sentens"}], "passages.passage.systems.0.system: unknown system"),
    (
        "passages/passage/documents",
        [{"source": ["a"], "published": {"Sys1": ["b"]}}],
        "passages.passage.documents.0.published.Sys1: unknown label\n  found Sys1\n  did you mean 'Sys0'?",
    ),
    ("passages/passage/documents", [{"source": [" "]}], "documents.0.source: value not allowed"),
]


@pytest.mark.parametrize(("path", "value", "message"), REFUSED)
def test_refused_before_any_job(full, path, value, message):
    full.edit(STUDY, path, value)
    with pytest.raises(UserError) as refused:
        load_grid(full.root)
    assert message in str(refused.value)
    assert "one.yaml:" in str(refused.value), "the line"


def test_a_row_of_a_system_that_is_not_on_the_corpus_of_a_column_says_where_it_stands(full):
    full.write("workflow/corpora/large.yaml", {**CORPUS, "corpus": "large"})
    full.edit(STUDY, "corpora", ["toy", "large"])
    full.edit(STUDY, "systems/document/corpora", ["toy"])
    table = {"title": "T", "metrics": ["s-BLEU"], "rows": [{"system": "document"}]}
    full.edit(STUDY, "tables/table2", table)
    with pytest.raises(UserError, match=r"not a system of this corpus\n  found document on large; expected on toy"):
        load_grid(full.root)
    table["rows"][0]["only"] = ["toy"]
    full.edit(STUDY, "tables/table2", table)
    load_grid(full.root)


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        (
            {"published": "The paprs", "paper": "Table 5"},
            "table10.published: unknown paper\n  found The paprs\n  did",
        ),
        ({"published": "The papers", "paper": "Table 6"}, "table10.paper: unknown place of the paper\n  found Table 6"),
        ({"published": "The papers", "paper": "Table 5"}, None),
    ],
)
def test_published_counts_are_those_of_a_paper_that_the_catalogue_has(full, stated, message):
    counts = {"paper": "The papers", "place": "Table 5", "counts": {"dev": {"sentences": 887}}}
    full.write("workflow/corpora/toy.yaml", {**CORPUS, "corpus": "toy", "published": [counts]})
    full.edit(STUDY, "tables/table10", TABLES["table10"] | stated)
    if message is None:
        slice_ = settings(load_grid(full.root), "8_report/one/table10")
        assert slice_["corpora"]["toy"]["published"][0]["counts"]["dev"]["sentences"] == 887
    else:
        with pytest.raises(UserError) as refused:
            load_grid(full.root)
        assert message in str(refused.value)


def test_human_judgements_of_an_unknown_study_are_refused(full):
    full.edit("config.yaml", "human", {"oen": "x.json"})
    with pytest.raises(UserError, match=r"human.oen: unknown study\n  found oen\n  did you mean 'one'"):
        load_grid(full.root)
