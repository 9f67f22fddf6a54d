import csv
import io
import re
import statistics

import pytest
from helpers.score_files import write_scores
from helpers.single_item import CORPUS, only, page_of

from docmt.base.errors import UserError
from docmt.reporting.exports import to_csv, to_json
from docmt.reporting.pieces import Piece, pieces
from docmt.reporting.table import Table
from docmt.reporting.text_table import measured


def piece_of(world) -> Piece:
    (piece,) = pieces(world.load())
    return piece


def table_of(world) -> Table:
    """The only table of the study."""
    return piece_of(world).content


def cells(world) -> dict:
    """The cells by (row, metric)."""
    return {(row.label, cell.metric): cell for row in table_of(world).rows for cell in row.cells}


def test_published_measured_and_difference_stand_side_by_side(filled):
    cell = cells(filled)["Sentence", "s-BLEU"]
    assert (cell.published, cell.measured, cell.difference, cell.status) == (19.5, 20.0, 0.5, "measured")
    assert cell.signatures == ("s-BLEU|v:1",)


def test_a_corpus_that_was_left_out_says_what_is_missing(world):
    world.table("t", [{"system": "sentence"}, {"label": "Others (2020)"}], ["s-BLEU"])
    world.settings["not_run"] = {CORPUS: "toy_zh-en is missing: train.zh"}
    by_place = cells(world)
    assert by_place["sentence", "s-BLEU"].status == "not run: toy_zh-en is missing: train.zh"
    assert by_place["Others (2020)", "s-BLEU"].status == "published only"
    page = page_of(world)
    assert page.count("not run: toy_zh-en is missing: train.zh") == 1
    assert "not run, toy_zh-en is missing: train.zh" in page


def test_a_metric_whose_model_is_missing_says_so(filled):
    filled.settings["study"]["tables"]["table1"]["metrics"] = ["s-BLEU", "LTCR", "coherence"]
    filled.settings["not_scored"] = {CORPUS: {"aligner": "models/a is missing"}}
    filled.settings["ways"] = {"models/a is missing": "Fetch it."}
    by_place = cells(filled)
    assert by_place["Sentence", "s-BLEU"].status == "measured"
    assert by_place["Sentence", "LTCR"].status == "not scored: models/a is missing"
    assert by_place["Sentence", "coherence"].status == "not scored"
    assert by_place["never_run", "LTCR"].status == "not run"
    assert "models/a is missing. Fetch it." in page_of(filled)


def test_reasons_that_were_known_before_the_run_mark_cells_and_have_a_table_of_their_own(filled):
    filled.settings["not_comparable"] = {CORPUS: {"": ["the text is generated"], "d-BLEU": ["no matter"]}}
    filled.settings["random_starts"] = {f"{CORPUS}/sentence": "results/0_models/b@smoke"}
    filled.settings["stand_ins"] = {"results/0_models/b@smoke": "bert"}
    statement = {"paper": "section 4", "quotation": "by <multi-bleu>"}
    filled.settings["study"]["measured_as"] = {"s-BLEU": [statement], "LTCR": [statement]}
    cell = cells(filled)["Sentence", "s-BLEU"]
    reasons = ("the text is generated", "a small random model takes the place of bert")
    assert (cell.difference, cell.not_comparable) == (None, reasons)
    assert cells(filled)["concat_3", "s-BLEU"].not_comparable == (), "no published number beside it"
    table = table_of(filled)
    assert [(row, cell.status) for row, _, cell in table.beside_published] == [
        ("Sentence", "measured"),
        ("never_run", "not run"),
    ]
    page = page_of(filled)
    assert "<td>the text is generated; a small random model takes the place of bert</td>" in page
    assert "[a] not comparable because the text is generated<" in page and "[ab]</sup>" in page
    assert page.count("as the paper measures it: “by &lt;multi-bleu&gt;” (section 4)") == 1
    (line, *_) = csv.DictReader(io.StringIO(to_csv(piece_of(filled))))
    assert (line["difference"], line["not_comparable"]) == ("", "; ".join(reasons))


def test_a_system_that_translates_documents_has_no_sentences_to_score(world):
    write_scores(world.folder("7_scores", "sentence", 1), {"d-BLEU": 20.0}, decoding={"lines": "documents"})
    world.table("t", [{"system": "sentence"}], ["s-BLEU", "d-BLEU"])
    by_place = cells(world)
    assert (by_place["sentence", "s-BLEU"].status, by_place["sentence", "s-BLEU"].measured) == ("documents only", None)
    assert by_place["sentence", "d-BLEU"].measured == 20.0
    page = page_of(world)
    assert "documents only" not in page and '<span class="absent">–</span>' in page


def test_several_seeds_give_mean_and_standard_deviation(world):
    world.score("sentence", 1, bleu=20.0)
    world.score("sentence", 2, bleu=23.0)
    world.table("t", [{"system": "sentence"}], ["s-BLEU"])
    cell = cells(world)["sentence", "s-BLEU"]
    assert (cell.measured, cell.deviation) == (21.5, statistics.stdev([20, 23]))


def test_signatures_are_named_once_with_their_corpora(filled):
    table = table_of(filled)
    assert [(signature.metric, signature.text, signature.corpora) for signature in table.signatures] == [
        ("s-BLEU", "s-BLEU|v:1", (CORPUS,)),
        ("d-BLEU", "d-BLEU|v:1", (CORPUS,)),
        ("accuracy:pronoun", "accuracy|v:1", (CORPUS,)),
    ]


def test_an_unknown_metric_names_the_study(world):
    world.table("t", [{"system": "sentence"}], ["s-BLUE"])
    with pytest.raises(UserError, match=r"study made: unknown metric\n  found s-BLUE\n  did you mean 's-BLEU'"):
        table_of(world)


def test_csv_has_a_line_a_cell(filled):
    rows = list(csv.DictReader(io.StringIO(to_csv(piece_of(filled)))))
    assert len(rows) == 4 * 3
    first = rows[0]
    assert (first["row"], first["metric"], first["published"], first["measured"]) == (
        "Sentence",
        "s-BLEU",
        "19.5",
        "20.0",
    )
    assert [row["status"] for row in rows[::3]] == ["measured", "measured", "not run", "published only"]


SYSTEMS = ("sentence", "concat_3", "g_transformer")


@pytest.fixture
def compared(world):
    """Two systems beside their baseline in a table of two metrics, of which one was tested."""
    for number, system in enumerate(SYSTEMS):
        world.score(system, bleu=20.0 + number)
    world.compare("concat_3", 0.02)
    world.compare("g_transformer", 0.009)
    rows = [{"system": system, "label": f"The {system}"} for system in SYSTEMS]
    world.table("t", rows, ["s-BLEU", "d-BLEU"], baseline="sentence")
    return world


def test_marks_are_those_of_the_tests_of_stage_7(compared):
    by_place = cells(compared)
    assert [by_place[f"The {system}", "s-BLEU"].mark for system in SYSTEMS] == ["", "†", "‡"]
    assert [by_place[f"The {system}", "s-BLEU"].p for system in SYSTEMS] == [None, 0.02, 0.009]
    assert by_place["The concat_3", "d-BLEU"].p is None
    table = table_of(compared)
    assert table.marks == (
        "† p < 0.05, ‡ p < 0.01: better or worse than The sentence,"
        " by paired bootstrap resampling (Koehn 2004), two-sided."
    )
    assert [(signature.metric, signature.text) for signature in table.tests] == [
        ("s-BLEU", "bootstrap|unit:sentences|units:4|s-BLEU")
    ]
    content = to_json(piece_of(compared), compared.load())
    assert content["marks"] == table.marks
    by_row = {(cell["row"], cell["metric"]): cell for cell in content["records"]}
    marked = by_row["The g_transformer", "s-BLEU"]
    assert (marked["p"], marked["baseline"]) == (0.009, "sentence")
    assert marked["test"] == "bootstrap|unit:sentences|units:4|s-BLEU"
    assert by_row["The sentence", "s-BLEU"]["p"] is None


def test_a_number_stands_beside_its_difference_to_the_baseline(world):
    for system, bleu in zip(SYSTEMS, (20.0, 19.25, 22.5), strict=True):
        world.score(system, bleu=bleu)
    world.compare("g_transformer", 0.009)
    rows = [{"system": system} for system in (*SYSTEMS, "never_run")]
    world.table("t", rows, ["s-BLEU"], baseline="sentence")
    by_row = {record["row"]: record for record in piece_of(world).records}
    differences = {row: (record["baseline"], record["baseline_difference"]) for row, record in by_row.items()}
    assert differences == {
        "sentence": (None, None),
        "concat_3": ("sentence", -0.75),
        "g_transformer": ("sentence", 2.5),
        "never_run": ("sentence", None),
    }
    names = list(by_row["sentence"])
    assert names[names.index("baseline") + 1] == "baseline_difference"
    page = page_of(world)
    assert 'title="p: 0.0090, difference to sentence">(+2.50)<sup' in page
    assert 'title="difference to sentence">(−0.75)</span>' in page


def test_an_interval_stands_in_the_cell_of_its_number(world):
    for seed, ltcr in enumerate([(56.0, 50.0, 60.0), (57.0, 52.0, 64.0)], 1):
        world.score("sentence", seed, scores={"LTCR": ltcr})
    world.table("t", [{"system": "sentence"}, {"system": "never_run"}], ["LTCR", "s-BLEU"])
    ltcr, bleu, *_ = piece_of(world).records
    assert (ltcr["measured"], ltcr["low"], ltcr["high"]) == (56.5, 51.0, 62.0)
    assert (bleu["low"], bleu["high"]) == (None, None)
    page = page_of(world)
    assert page.count("[51.00, 62.00]</span>") == 1 and page.count('class="interval"') == 1
    assert "In square brackets: the 95 % interval, the mean of its ends over seeds." in page
    assert "<b>interval of LTCR</b> <code>bootstrap|LTCR</code>" in page


def best(world) -> dict[str, list[str]]:
    """The systems with the best number of each metric."""
    table = table_of(world)
    metrics = [column.metric for column in table.columns]
    return {name: [cell.system for cell in table.cells if cell.metric == name and cell.is_best] for name in metrics}


def test_the_best_number_of_a_column_is_marked_and_ties_are_all_marked(world):
    for system, bleu, ter in zip(SYSTEMS, (20.001, 19.0, 20.004), (60.0, 55.0, 62.0), strict=True):
        world.score(system, bleu=bleu, scores={"s-TER": ter})
    rows = [{"group": "All"}, *({"system": system} for system in (*SYSTEMS, "never_run"))]
    rows.append({"label": "Others", "published": {CORPUS: {"s-BLEU": 99.0}}})
    world.table("t", rows, ["s-BLEU", "s-TER", "sentences", "HHI"])
    assert best(world) == {
        "s-BLEU": ["sentence", "g_transformer"],
        "s-TER": ["concat_3"],
        "sentences": [],
        "HHI": [],
    }
    page = page_of(world)
    assert page.count('<span class="visually-hidden"> (best)</span>') == page.count('<b class="best">') == 3


def test_a_reason_is_a_footnote_of_all_its_cells(world):
    why = "toy_zh-en is missing: train.zh"
    world.settings["not_run"] = {CORPUS: why}
    rows = [{"system": system, "note": "a slip"} for system in SYSTEMS]
    world.table("t", rows, ["s-BLEU", "d-BLEU"])
    assert table_of(world).footnotes == ["a slip", f"not run: {why}"]
    assert {record["status"] for record in piece_of(world).records} == {f"not run: {why}"}
    page = page_of(world)
    assert page.count(f"not run: {why}") == 1
    assert page.count('<span class="absent">not run<sup class="mark">2</sup></span>') == 6


def test_rows_cells_and_headings_have_what_scripts_read(filled):
    page = page_of(filled)
    table = page[page.index('<table class="scores') :]
    rows = re.findall(r"<tr[^>]*>", table[table.index("<tbody>") : table.index("</tbody>")])
    assert rows == [f'<tr data-system="{name}">' for name in ("sentence", "concat_3", "never_run")] + ["<tr>"]
    assert re.findall(r'data-metric="([^"]*)"', page) == ["s-BLEU", "d-BLEU", "accuracy:pronoun"]
    row = re.search(r'<tr data-system="sentence">.*?</tr>', table, re.DOTALL)[0]
    assert re.findall(r'data-value="([^"]*)"', row)[:3] == ["19.5", "20.0", "0.5"]


def test_signatures_fold_away(filled):
    page = page_of(filled)
    start = page.index("<summary>How these numbers are computed</summary>")
    assert start < page.index("s-BLEU|v:1") < page.index("</details>", start)


def test_the_page_says_that_a_lower_ter_is_better(world):
    for system, ter in zip(SYSTEMS, (60.0, 55.0, 62.0), strict=True):
        world.score(system, scores={"s-TER": ter})
        world.compare(system, 0.02, "s-TER")
    rows = [{"system": system} for system in SYSTEMS]
    world.table("t", rows, ["s-TER"], baseline="sentence", drop="first")
    table, page = table_of(world), page_of(world)
    assert table.marks.endswith(", two-sided. A lower s-TER is better.")
    assert table.drop == "from the first row, above 0 is worse"
    assert [row.drop.measured for row in table.rows] == [None, -5.0, 2.0]
    assert ">s-TER ↓</th>" in page


def test_the_page_shows_marks_and_says_what_they_mean(compared):
    page = page_of(compared)
    assert page.count(">‡</sup>") == 1 and page.count(">†</sup>") == 1
    assert 'title="p: 0.0090 against sentence"' in page
    assert "better or worse than The sentence, by paired bootstrap" in page
    assert "<b>p of s-BLEU</b> <code>bootstrap|unit:sentences|units:4|s-BLEU</code>" in page


def test_a_difference_without_a_test_says_why(world):
    for number, system in enumerate(SYSTEMS):
        world.score(system, bleu=20.0 + number)
    reason = "too few sentences to test: 4 of 30"
    world.compare("g_transformer", None, untested=reason)
    world.table("t", [{"system": system} for system in SYSTEMS], ["s-BLEU"], baseline="sentence")
    table = table_of(world)
    assert (table.footnotes, table.tests) == ([reason], ())
    assert measured(table.rows[2].cells[0], table).plain.endswith("(+2.00) (1 of 2 seeds)(1)")
    page = page_of(world)
    assert f'title="{reason} against sentence">1</sup>' in page and f"<li>{reason}</li>" in page
    by_row = {cell["row"]: cell for cell in to_json(piece_of(world), world.load())["records"]}
    assert (by_row["g_transformer"]["p"], by_row["g_transformer"]["untested"]) == (None, reason)


def test_a_row_may_have_a_baseline_of_its_own_and_a_table_another_test(world):
    for number, system in enumerate(SYSTEMS):
        world.score(system, bleu=20.0 + number)
    world.compare("concat_3", 0.5, test="sign", p_seeds=0.5)
    world.compare("g_transformer", 0.001, baseline="concat_3", test="sign", p_seeds=0.0)
    world.compare("g_transformer", 0.5, test="sign", p_seeds=0.5)
    rows = [{"system": "sentence"}, {"system": "concat_3"}, {"system": "g_transformer", "baseline": "concat_3"}]
    world.table("t", rows, ["s-BLEU"], baseline="sentence", significance="sign")
    by_place = cells(world)
    assert (by_place["concat_3", "s-BLEU"].mark, by_place["g_transformer", "s-BLEU"].mark) == ("", "‡")
    assert table_of(world).marks.endswith(
        "better or worse than sentence or concat_3, each row's own baseline,"
        " by the sign test of Collins et al. (2005) and by the paired t-test over seeds, two-sided."
    )


def ladder(world, *values: float, **table) -> list[dict]:
    """A table of systems with these scores, one below the other; its drops."""
    names = ("sentence", "concat_3", "g_transformer")
    for name, value in zip(names, values, strict=False):
        world.score(name, bleu=value)
    rows = [{"system": names[0]}, {"group": "Removals"}, {"system": names[1], "drop": -0.5}, {"system": names[2]}]
    piece, page = only(world, "tables", {"metrics": ["s-BLEU"], "rows": rows, **table})
    assert ">Removals</th>" in page
    return [record for record in piece.records if record["metric"] == "drop"]


@pytest.mark.parametrize(("drop", "measured"), [("above", [-1.0, -2.0]), ("first", [-1.0, -3.0])])
def test_a_drop_is_from_the_row_above_or_from_the_first_and_headings_do_not_count(world, drop, measured):
    drops = ladder(world, 20.0, 19.0, 17.0, drop=drop)
    assert [record["measured"] for record in drops] == measured
    assert [(record["published"], record["difference"]) for record in drops] == [(-0.5, -0.5), (None, None)]


def test_a_drop_is_the_mean_over_columns_and_none_where_one_is_not_run(world):
    columns = {"plain": {"corpus": CORPUS}, "again": {"corpus": CORPUS, "label": "Once more"}}
    drops = ladder(world, 20.0, 19.0, drop="above", columns=columns)
    assert [(record["system"], record["measured"]) for record in drops] == [("concat_3", -1.0)]


def test_a_published_number_is_shown_as_it_was_printed(world):
    world.score("sentence", bleu=20.0)
    row = {"system": "sentence", "published": {CORPUS: {"s-BLEU": "23.100", "d-BLEU": 24, "HHI": 23.1}}}
    metrics = ["s-BLEU", "d-BLEU", "HHI"]
    piece, page = only(world, "tables", {"metrics": metrics, "rows": [row]})
    assert re.findall(r'<td class="first published" data-value="[0-9.]+">([^<\n]*)', page) == ["23.100", "24", "23.10"]
    assert [(record["published"], record["difference"]) for record in piece.records] == [
        ("23.100", pytest.approx(-3.1)),
        (24, -4.0),
        (23.1, None),
    ]


def test_cells_of_a_wide_table_have_all_three_numbers_one_below_the_other(world):
    world.score("sentence", bleu=20.0)
    metrics = ["s-BLEU", "d-BLEU", "LTCR", "HHI", "accuracy"]
    rows = [
        {"system": "sentence", "published": {CORPUS: {"s-BLEU": 19.5}}, "note": "a slip"},
        {"label": "Others", "published": {CORPUS: {"s-BLEU": 18.0}}, "note": "a slip"},
    ]
    _, page = only(world, "tables", {"metrics": metrics, "rows": rows})
    first, others = re.findall(
        r'<tr(?: data-system="[^"]*")?>\s*<th class="label" scope="row">.*?</tr>', page, re.DOTALL
    )
    words = re.sub(r"<[^>]*>|\s+", " ", first).split()
    assert words[: words.index("+0.50")] == ["sentence", "1", "19.50", "20.00", "1", "of", "2", "seeds"]
    assert re.sub(r"<[^>]*>|\s+", " ", others).split() == ["Others", "1", "published", "only", "18.00"]
    assert page.count("<li>a slip</li>") == 1


def test_parameters_and_speed_are_those_of_the_record(world):
    world.train("sentence", parameters=69_714_000, source_words_per_s=11_310.4, ranks=8)
    rows = [{"system": "sentence"}, {"system": "concat_3"}]
    piece, _ = only(world, "tables", {"metrics": ["parameters", "speed"], "rows": rows})
    assert [(record["measured"], record["status"]) for record in piece.records] == [
        (69.714, "measured"),
        (11.3104, "measured"),
        (None, "not run"),
        (None, "not run"),
    ]
    assert "ranks:8|machine:a CPU" in piece.records[1]["signature"]
