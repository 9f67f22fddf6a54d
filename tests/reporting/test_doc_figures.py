"""Figures of a report's page as files of the documents: they stand alone, with titles and legend."""

import importlib.util
from xml.etree import ElementTree

from helpers.support import ROOT

from docmt.reporting.kinds import pieces
from docmt.reporting.page import render

CORPUS = "toy_zh-en"
SVG = "{http://www.w3.org/2000/svg}"


def load_script():
    spec = importlib.util.spec_from_file_location("figures", ROOT / "docs/figures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_figure_becomes_a_file_with_all_panels_titles_and_the_legend(world, tmp_path):
    world.train("sentence")
    world.train("concat_3")
    systems = [{"label": "A & B", "system": "sentence"}, {"label": "Windows", "system": "concat_3"}]
    values = ["dev_loss", "dev_perplexity"]
    figure = {"title": "F", "corpus": CORPUS, "kind": "curves", "systems": systems, "values": values}
    world.settings["study"]["figures"] = {"f": figure}
    world.only("f", "records", "curves")
    results = world.load()
    page = tmp_path / "f.html"
    page.write_text(render(results, pieces(results), page), encoding="utf-8")
    load_script().main(page, tmp_path / "docs")
    root = ElementTree.parse(tmp_path / "docs/f.svg").getroot()
    texts = [element.text for element in root.findall(f"{SVG}text")]
    assert texts == ["loss, label-smoothed", "dev perplexity", "A & B", "Windows"]
    inner = root.findall(f"{SVG}svg")
    assert [drawing.get("role") for drawing in inner] == ["img", "img", None, None]
    width, height = map(float, root.get("viewBox").split()[2:])
    for drawing in inner:
        assert float(drawing.get("x")) + float(drawing.get("width")) <= width
        assert float(drawing.get("y")) + float(drawing.get("height")) <= height
