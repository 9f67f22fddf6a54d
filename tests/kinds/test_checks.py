"""What tables, figures and passages are refused for."""

import pytest
from helpers.every_kind import FIGURES, TABLES
from helpers.recipes import settings
from helpers.small_grid import CORPUS, STUDY

from docmt.base.errors import UserError
from docmt.grid.grid import load_grid
from docmt.grid.study import RESERVED

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
    ("tables/table3/confidence", 95, "tables.table3.confidence: value not allowed\n  found 95.0; expected above 0 and"),
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
        "tables/table11/system",
        "fine",
        "table11.system: value not allowed\n  found system; expected corpus, system and baseline, or none",
    ),
    ("tables/a.sheet", TABLES["table11"], "a.sheet: a name that the study's page needs\n  found a.sheet"),
    (
        "tables/table10/counts",
        ["sentenses"],
        "tables.table10.counts.0: unknown count\n  found sentenses\n  did",
    ),
    ("tables/table10/counts", [], "tables.table10.counts: value not allowed\n  found nothing"),
    (
        "tables/table10/counts",
        ["instances"],
        "no stage counts this\n  found instances of dev on toy; expected a system",
    ),
    ("tables/table11/rows", [{"label": "1", "annotator": 0}], "rows.0.annotator: value not allowed\n  found 0"),
    ("tables/table11/rows", [{"label": "1", "published": {"equl": 1}}], "published.equl: unknown published metric"),
    *(
        (
            f"tables/{name}",
            {"title": "T", "metrics": ["s-BLEU"], "rows": []},
            f"tables.{name}: a name that the study's page needs",
        )
        for name in RESERVED
    ),
    (
        "tables/a b",
        {"title": "T", "metrics": ["s-BLEU"], "rows": []},
        "tables.a b: not a name of a table\n  found 'a b'",
    ),
    ("figures/table1", FIGURES["figure4"], "figures.table1: a name given twice\n  found table1, as in tables"),
    ("figures/figure1/kind", "pionts", "figures.figure1.kind: unknown kind of figure\n  found pionts\n  did you mean"),
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
    (
        "figures/figure4/system",
        "fine",
        "not a system that reads lexical chains\n  found fine, model.kind g_",
    ),
    ("figures/figure6/system", "fine", "figures.figure6.system: not a system with latent variables\n  found fine"),
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
    with pytest.raises(
        UserError, match=r"the system is not run on this corpus\n  found document on large; expected on toy"
    ):
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
        slice_ = settings(load_grid(full.root), "8_report/paper/one/table10")
        assert slice_["corpora"]["toy"]["published"][0]["counts"]["dev"]["sentences"] == 887
    else:
        with pytest.raises(UserError) as refused:
            load_grid(full.root)
        assert message in str(refused.value)
