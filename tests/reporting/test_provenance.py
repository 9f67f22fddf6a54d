"""Translations of others on a page: what is stated of them, what was noted, and cells that only a model has."""

import dataclasses

import pytest
from helpers.single_item import page_of
from jinja2 import Environment, FileSystemLoader

from docmt.base.artifacts import write_json
from docmt.reporting.exports import text_table
from docmt.reporting.pieces import pieces
from docmt.reporting.provenance import adopted_runs
from docmt.reporting.rendering import TEMPLATES
from docmt.settings.external import FileTranslations
from docmt.settings.system import ExternalSystem

DECODING = {"lines": "sentences", "sentences": 4, "strategy": "translations", "tokenised": True, "case": "lower"}
DECODING |= {"normalised": False, "empty": 2, "stand_in": False, "digest": "abc", "notes": ["3 of 4 lines look <odd>"]}
METRICS = ["s-BLEU", "i-BLEU", "accuracy", "parameters", "s-BLEU@j2", "fallbacks"]


@pytest.fixture
def beside(world):
    """Two external systems that are scored, beside a trained one."""
    (first, *_) = world.settings["entries"]
    world.settings["entries"] = [first]
    for name, file in (("google", "google.txt"), ("deepl", "deepl")):
        system = ExternalSystem(name, "lower", FileTranslations(file, tokenised=True))
        entry = dataclasses.replace(first, folder=name, scored=name, trained=None, seeds=(1,), system=system)
        world.settings["entries"].append(entry)
        world.score(name, decoding=DECODING)
    world.score("sentence")
    world.train("sentence", parameters=1_000_000)
    rows = [{"system": "sentence"}, {"system": "google"}, {"system": "deepl"}]
    world.table("t", rows, METRICS, baseline="sentence")
    return world


def test_cells_that_need_a_model_say_that_there_is_none(beside):
    (table,) = [piece.content for piece in pieces(beside.load())]
    rows = {row.system: {cell.metric: cell for cell in row.cells} for row in table.rows}
    assert rows["google"]["s-BLEU"].measured == 20.0
    assert {rows["google"][metric].status for metric in METRICS[1:]} == {"no model: translations from a file"}
    assert rows["sentence"]["parameters"].measured == 1.0
    assert rows["sentence"]["accuracy"].status == "not scored"


def test_equal_translations_and_notes_are_on_the_page(beside):
    adopted = {external.run.entry.system.name: external for external in adopted_runs(beside.load())}
    assert adopted["google"].notes == ["the same translations as deepl", "3 of 4 lines look <odd>"]
    assert adopted["google"].origin == "google.txt"
    page = page_of(beside)
    assert "Translations of other systems" in page and "3 of 4 lines look &lt;odd&gt;" in page
    assert "No model of docmt: translations from a file" in page


def test_generated_lines_are_marked(beside):
    beside.score("google", decoding={**DECODING, "stand_in": True})
    (piece,) = pieces(beside.load())
    assert piece.content.generated == ["google.txt"]
    marked = {(row.system, cell.metric): cell.generated for row in piece.content.rows for cell in row.cells}
    assert {key: value for key, value in marked.items() if value} == {("google", "s-BLEU"): "google.txt"}
    assert "in place of a file of translations (google.txt)" in page_of(beside)


def test_numbers_of_text_that_is_not_what_the_metric_expects_are_marked(beside):
    warning = "translations: 3 of 4 lines end words in @@, first: 'I@@ s'."
    beside.score("google", warnings=[warning])
    (piece,) = pieces(beside.load())
    marked = {(row.system, cell.metric): cell.warnings for row in piece.content.rows for cell in row.cells}
    assert {key: texts for key, texts in marked.items() if texts} == {("google", "s-BLEU"): (warning,)}
    table = text_table(piece)
    assert [row[1].marks for row in table.rows if "!" in row[1].marks] == ["!"]
    assert [note for note in table.notes if warning in note]
    page = page_of(beside)
    assert page.count('expects">!</sup>') == 1 and "! of text that may not be what the metric expects" in page
    assert next(record["warnings"] for record in piece.records if record["system"] == "google") == [warning]


def test_a_warning_names_three_of_its_runs():
    template = Environment(loader=FileSystemLoader(TEMPLATES)).get_template("score_warnings.html")
    page = template.render(score_warnings={"few": [*"abc"], "many": [*"abcde"]})
    assert "few (a, b, c)<" in page and "many (a, b, c and 2 more)<" in page


def test_a_page_of_translations_alone_has_the_notes_too(beside):
    """A case study reads the translations, and no scores."""
    beside.only("t", "translations")
    write_json(beside.folder("6_translations", "google", 1) / "decoding.json", DECODING)
    (google,) = adopted_runs(beside.load())
    assert (google.run.entry.system.name, google.notes) == ("google", DECODING["notes"])
