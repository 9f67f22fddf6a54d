import dataclasses
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from helpers.command_line import succeed
from helpers.recipes import write_recipe

from docmt.base.errors import UserError
from docmt.reporting.page import write_report

ENDINGS = ("html", "csv", "json", "parquet", "tex", "md")
"""The files of a table: its page, and those beside it."""
VOID = {"meta", "link", "br", "img", "hr", "input"}


class Page(HTMLParser):
    """Checks nesting, and collects text by tag, ids, and every address that a browser would load."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        values = dict(attributes)
        self.ids += [values["id"]] if "id" in values else []
        self.addresses += [v for k, v in attributes if k in ("src", "href", "xlink:href", "action", "data", "srcset")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text += data


def write(world) -> tuple[str, Page]:
    world.load()
    write_report(world.settings_file, world.folders, world.output)
    text = world.output.read_text(encoding="utf-8")
    return text, Page(text)


def test_a_study_of_which_nothing_was_run_has_a_page(world):
    world.table("t", [{"system": "sentence"}, {"system": "never_run"}], ["s-BLEU", "accuracy"])
    _, page = write(world)
    assert "0 of 8 runs" in page.text
    assert "Nothing of this study has been scored yet" in page.text
    assert page.text.count("not run") >= 4
    assert "svg" in page.tags


def test_a_study_without_tables_has_a_page(world):
    _, page = write(world)
    assert "This study declares no tables and no figures." in page.text


def test_the_page_shows_every_part(full):
    _, page = write(full)
    for part in (
        "A made-up study",
        "3 of 8 runs",
        "+0.50",
        "not digitised",
        "not run",
        "published only",
        "a slip of the paper",
        "What a caption says.",
        "s-BLEU|v:1",
        "他来了。",
        "12\u202f345",
        "71\u202f234",
        "1 min 15 s",
        "3\u202f100",
        "abc123",
        "a CPU",
        "2.13.0",
        "view.train",
        "tokens512",
        "Trains nothing: uses the model of sentence",
        "50.00",
        "25.0 %",
    ):
        assert part in page.text, part


def test_text_of_corpora_is_escaped(full):
    text, page = write(full)
    assert text.count("<script>") == 1 and "<script>alert" not in text
    assert "<script>alert(1)</script>" in page.text
    assert "<b>bold</b> claim & more" in page.text
    assert "<i>" not in text


def test_names_and_labels_are_escaped(world):
    world.settings["study"] |= {"title": "<i>x</i>", "about": "a & <i>b</i>"}
    world.table("t", [{"label": "<i>y</i>", "system": "sentence"}], ["s-BLEU"], caption="<i>z</i></style>")
    text, page = write(world)
    assert "i" not in page.tags and text.count("</style>") == 1
    assert {"<i>x</i>", "<i>y</i>", "<i>z</i>"} <= set(re.findall(r"<i>\w</i>", page.text))


def test_the_page_loads_nothing_and_leads_to_those_of_its_items(full):
    text, page = write(full)
    folder = "../results/8_report/smoke/made"
    assert {address for address in page.addresses if not address.startswith("#")} == {
        f"{folder}/documents/index.html",
        *(f"{folder}/table1.{suffix}{'?study' if suffix == 'html' else ''}" for suffix in ENDINGS),
    }
    assert not page.tags & {"link", "img", "iframe", "object", "base"}
    assert not re.search(r"url\((?!#)|@import|https?://|<script [^>]*src", text)


def test_ids_are_unique(full):
    _, page = write(full)
    assert len(page.ids) == len(set(page.ids))
    assert {address[1:] for address in page.addresses if address.startswith("#")} <= set(page.ids)


def test_the_page_of_an_item_has_its_numbers_beside_it_and_links_to_its_siblings(full):
    full.only("table1", "scores", "records")
    full.settings["pages"] = [{"name": name, "title": f"The {name}"} for name in ("table1", "figure2")]
    full.output = full.results / "8_report" / "smoke" / "made" / "table1.html"
    _, page = write(full)
    folder = full.output.parent
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"table1.{ending}" for ending in ENDINGS)
    assert {address for address in page.addresses if not address.startswith("#")} == {
        *("index.html", "figure2.html?study", "table1.html?study"),
        *(f"table1.{ending}" for ending in ENDINGS),
    }
    content = json.loads((folder / "table1.json").read_text())
    assert (content["study"], content["name"], content["kind"]) == ("made", "table1", "systems")
    assert (folder / "table1.csv").read_text().startswith("row,system,column,corpus,metric,published,measured")
    for part in ("Table 1", "+0.50", "not digitised", "12\u202f345"):
        assert part in page.text, part
    for part in ("他来了。", "Learning curves", "view.train"):
        assert part not in page.text, part


def test_the_page_of_an_item_looks_at_nothing_that_it_is_not_made_from(full):
    full.table("table1", [{"system": "sentence"}], ["parameters", "s-BLEU"])
    full.train("sentence", parameters=69_710_000)
    full.only("table1", "records")
    write(full)
    content = json.loads(full.output.with_suffix(".json").read_text())
    statuses = {record["metric"]: (record["measured"], record["status"]) for record in content["records"]}
    assert statuses == {"parameters": (69.71, "measured"), "s-BLEU": (None, "not run")}


def test_the_same_results_give_the_same_page(full):
    assert write(full)[0] == write(full)[0]


def test_a_damaged_curve_is_named_by_line_and_leaves_no_page(full):
    curve = full.folder("5_training", "sentence", 1) / "metrics.jsonl"
    curve.write_text('{"kind": "dev", "update": 1, "perplexity": 2}\n{"kind"')
    with pytest.raises(UserError, match=r"metrics.jsonl:2: not a JSON line"):
        write(full)
    assert not full.output.parent.exists()


def test_the_command_writes_the_page(full, monkeypatch):
    monkeypatch.chdir(full.results.parent)
    entries = [dataclasses.asdict(entry) for entry in full.settings["entries"]]
    hints = {"item": "index", "opened": "results/8_report/smoke/made/index.html"}
    words = write_recipe(
        Path("results/8_report/smoke/made/index"), "page", {**full.settings, "entries": entries}, **hints
    )
    succeed(*words)
    page = (Path(words[-1]) / "index.html").read_text()
    assert "A made-up study" in page and 'href="documents/index.html"' in page
    assert (Path(words[-1]) / "documents/index.html").exists()


def test_a_page_says_whose_text_looks_tokenised(world):
    """Once, with all runs of which it is told."""
    warning = "reference: 200 of 250 lines end in a full stop after a space."
    for system in ("sentence", "concat_3"):
        world.score(system, warnings=[warning])
    text, _ = write(world)
    assert text.count(warning) == 1
    runs = re.search(re.escape(warning) + r" \((.*?)\)", text)[1].split(", ")
    assert [run.split("/")[1:] for run in runs] == [["sentence", "seed1"], ["concat_3", "seed1"]]
