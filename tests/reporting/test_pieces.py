"""Drops and headings of tables of systems, tables of counts and of judgements, passages, cases."""

import csv
import io
import re

import pytest
from helpers.made_chains import CHAINS, TEXT, write_chains, write_tokens

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError
from docmt.reporting.page import render
from docmt.reporting.pieces import pieces, to_csv

CORPUS = "toy_zh-en"


def only(world, section: str, item: dict):
    """The study has this item alone: its piece, and the page's text."""
    world.settings["study"][section] = {"item1": {"title": "The item", **item}}
    results = world.load()
    (piece,) = pieces(results)
    return piece, render(results, [piece], world.output)


def rows_of(piece) -> list[dict]:
    return list(csv.DictReader(io.StringIO(to_csv(piece))))


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
    assert re.findall(r'<td class="first published">([^<\n]*)', page) == ["23.100", "24", "23.10"]
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
    first, others = re.findall(r'<tr>\s*<th class="label" scope="row">.*?</tr>', page, re.DOTALL)
    words = re.sub(r"<[^>]*>|\s+", " ", first).split()
    assert words[: words.index("+0.50")] == ["sentence", "1", "19.50", "20.00", "1", "of", "2", "seeds"]
    assert re.sub(r"<[^>]*>|\s+", " ", others).split() == ["Others", "1", "published", "only", "18.00"]
    assert page.count("<li>a slip</li>") == 1


def test_parameters_and_speed_are_those_of_the_record(world):
    world.train("sentence", parameters=69_714_000, source_tokens_per_s=11_310.4, ranks=8)
    rows = [{"system": "sentence"}, {"system": "concat_3"}]
    piece, _ = only(world, "tables", {"metrics": ["parameters", "speed"], "rows": rows})
    assert [(record["measured"], record["status"]) for record in piece.records] == [
        (69.714, "measured"),
        (11.3104, "measured"),
        (None, "not run"),
        (None, "not run"),
    ]
    assert "ranks:8|machine:a CPU" in piece.records[1]["signature"]


COUNTS = {
    "kind": "counts",
    "paper": "Table 1",
    "published": "A paper",
    "counts": ["sentences", "words_per_chain", "tokens_per_instance"],
    "splits": ["train", "test"],
}
STATED = {"train": {"sentences": "71K", "words_per_chain": 3.04}, "test": {"sentences": 5, "tokens_per_instance": 320}}


def with_counts(world) -> None:
    world.corpus()
    card = "4_chains/toy_zh-en/lower/words/card.json"
    write_json(world.results / card, {"splits": {"train": {"avg_k": 3.5}, "test": {"avg_k": 2.5}}})
    world.settings["cards"] = {f"{CORPUS}/words_per_chain/{split}": card for split in ("train", "test")}
    other = {"paper": "Another", "place": "Table 1", "counts": {"train": {"sentences": 1}}}
    stated = {"paper": "A paper", "place": "Table 1", "counts": STATED, "why": {"words_per_chain": "the stop list"}}
    world.settings["corpora"][CORPUS]["published"] = [other, stated]


def test_counts_of_corpora_stand_beside_what_the_paper_states(world):
    with_counts(world)
    piece, page = only(world, "tables", COUNTS)
    found = {(r["row"], r["metric"]): (r["published"], r["measured"], r["agrees"], r["status"]) for r in piece.records}
    assert found == {
        ("train", "sentences"): ("71K", 71234, True, "measured"),
        ("train", "words_per_chain"): ("3.04", 3.5, False, "measured"),
        ("train", "tokens_per_instance"): (None, None, None, "not counted"),
        ("test", "sentences"): ("5", 4, False, "measured"),
        ("test", "words_per_chain"): (None, 2.5, None, "measured"),
        ("test", "tokens_per_instance"): ("320", None, None, "not counted"),
    }
    assert ">≠ 1</sup>" in page and "<li>the stop list</li>" in page and ">≠</sup>" in page
    assert "<li>the paper does not say of which side, and whether &lt;s&gt; and &lt;/s&gt; count</li>" in page
    assert "71\u202f234" in page


def test_generated_text_is_said_to_be_generated(world):
    assert "generated text" not in only(world, "tables", COUNTS)[1]
    world.settings["data"] = {CORPUS: f"{CORPUS}@smoke"}
    assert "The scale smoke runs on generated text" in only(world, "tables", COUNTS)[1]


def test_counts_of_a_corpus_that_is_not_there(world):
    piece, _ = only(world, "tables", {**COUNTS, "counts": ["sentences"]})
    assert [row["status"] for row in rows_of(piece)] == ["not run", "not run"]
    world.settings["not_run"] = {CORPUS: "toy_zh-en is missing: train.zh"}
    piece, _ = only(world, "tables", {**COUNTS, "counts": ["sentences"]})
    assert {row["status"] for row in rows_of(piece)} == {"not run: toy_zh-en is missing: train.zh"}


HUMAN = {
    "kind": "human",
    "rows": [
        {"label": "1", "annotator": 1, "published": {"equal": 39, "better": 40, "worse": 21}},
        {"label": "2", "annotator": 2},
        {"label": "Average", "published": {"equal": 41}},
    ],
}


def test_judgements_that_nobody_made_are_not_run(world):
    piece, page = only(world, "tables", HUMAN)
    assert {row["status"] for row in rows_of(piece)} == {"not run"}
    assert "`docmt human read --json` prints" in page and ">39<" in page.replace("</td>", "<")


def test_judgements_stand_beside_the_published_ones(world, tmp_path):
    shares = {"equal": 40.0, "better": 35.0, "worse": 25.0}
    judged = {"annotators": [{"annotator": "a", **shares}], "average": shares, "signature": "preference|v:1"}
    write_json(tmp_path / "judged.json", judged)
    world.settings["human"] = str(tmp_path / "judged.json")
    piece, page = only(world, "tables", HUMAN)
    found = {(record["row"], record["metric"]): record["measured"] for record in piece.records}
    assert found["1", "equal"] == found["Average", "equal"] == 40.0
    assert found["2", "worse"] is None, "there is one annotator"
    assert "preference|v:1" in page and "+1.0" in page


@pytest.mark.parametrize("content", [{"average": {}}, []])
def test_a_file_that_is_no_judgements_is_refused(world, tmp_path, content):
    write_json(tmp_path / "judged.json", content)
    world.settings["human"] = str(tmp_path / "judged.json")
    with pytest.raises(UserError, match=r"judged.json: not preferences of annotators\n  expected what `docmt human"):
        only(world, "tables", HUMAN)


PASSAGE = {
    "corpus": CORPUS,
    "systems": [{"label": "Sys0", "system": "sentence"}, {"label": "Sys1", "system": "never_run"}],
    "documents": [
        {"source": ["他来了。", "<b>"], "reference": ["He came ."], "published": {"Sys0": ["It came .", "It sat ."]}}
    ],
}


def test_passages_stand_beside_the_published_translations(world):
    folder = world.folder("6_passages", "sentence", 1) / "made" / "item1"
    write_json(folder / "passages.json", {"documents": [["He is here .", "<i>x</i>"]]})
    piece, page = only(world, "passages", PASSAGE)
    found = [(r["kind"], r["label"], r["text"], r["status"]) for r in piece.records]
    assert found == [
        ("source", "source", "他来了。", "there"),
        ("source", "source", "<b>", "there"),
        ("reference", "reference", "He came .", "there"),
        ("measured", "Sys0", "He is here .", "there"),
        ("measured", "Sys0", "<i>x</i>", "there"),
        ("published", "Sys0", "It came .", "there"),
        ("published", "Sys0", "It sat .", "there"),
        ("measured", "Sys1", "", "not run"),
    ]
    assert "&lt;b&gt;" in page and "<i>x</i>" not in page


def test_translations_of_other_passages_are_refused(world):
    folder = world.folder("6_passages", "sentence", 1) / "made" / "item1"
    write_json(folder / "passages.json", {"documents": [["a"], ["b"]]})
    with pytest.raises(UserError, match=r"passages.json: not translations of these passages\n  found 2; expected 1"):
        only(world, "passages", PASSAGE)


CASES = {"kind": "cases", "corpus": CORPUS, "baseline": "sentence", "system": "concat_3"}


def test_cases_are_of_two_systems_alone(world):
    assert only(world, "figures", CASES)[0].empty == "not run"
    write_tokens(world, TEXT)
    texts = {key: (*one[:2], one[2] | {"g_transformer": "x"}) for key, one in TEXT.items()}
    write_chains(world, {**CHAINS, "g_transformer": CHAINS["sentence"]}, texts)
    piece, page = only(world, "figures", CASES)
    found = {(record["word"], record["side"]): record["translations"] for record in piece.records}
    assert found == {
        ("猫", "reference"): "cat x 2",
        ("猫", "sentence"): "cat x 1, kitty x 1",
        ("猫", "concat_3"): "cat x 2",
    }
    assert "g_transformer" not in page.split('id="item1"')[1].split("</article>")[0]


def test_over_corrected_cases_are_those_of_the_system(world):
    write_tokens(world, TEXT)
    write_chains(world, CHAINS, TEXT)
    piece, _ = only(world, "figures", {**CASES, "show": "overcorrected"})
    assert {record["word"] for record in piece.records} == {"狗"}
    assert ("狗", "dog x 1, hound x 1") in {(r["word"], r["translations"]) for r in piece.records}
