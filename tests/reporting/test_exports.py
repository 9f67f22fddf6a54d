"""SVG and PDF of a figure of lines: one file with all panels and the legend, the same bytes each time."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from docmt.reporting.drawn import DrawnFigure
from docmt.reporting.exports import write_figure
from docmt.reporting.figures import Curve, curves
from docmt.reporting.look import styles

LABELS = ("Sentence & <b>", "a_b $x$ 100 %")


@pytest.fixture
def figure() -> DrawnFigure:
    look = styles({label: label for label in LABELS})
    drawn = [Curve(label, [1, 2, 3], [n, 2, 3], "on dev" if n else "") for n, label in enumerate(LABELS)]
    titles = ("the_loss", "perplexity", "entropy")
    panels = tuple(curves(f"figure-{title}", title, drawn, look, unit="bits", level=2.0) for title in titles)
    return DrawnFigure(panels, look, (), (), ())


def written(figure: DrawnFigure, folder) -> tuple[bytes, bytes]:
    folder.mkdir()
    write_figure(figure, folder / "losses.html")
    assert {path.name for path in folder.iterdir()} == {"losses.svg", "losses.pdf"}
    return (folder / "losses.svg").read_bytes(), (folder / "losses.pdf").read_bytes()


def test_the_svg_is_xml_with_its_letters_as_text(figure, tmp_path):
    svg, _ = written(figure, tmp_path / "a")
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    texts = {element.text for element in root.iter() if element.tag.endswith("}text")}
    assert {*LABELS, "the loss", "perplexity", "entropy", "unigram model", "on dev", "bits"} <= texts


def test_the_pdf_is_whole_and_has_truetype_letters(figure, tmp_path):
    _, pdf = written(figure, tmp_path / "a")
    assert pdf.startswith(b"%PDF-1.") and pdf.rstrip().endswith(b"%%EOF")
    start = int(re.search(rb"startxref\s+(\d+)", pdf)[1])
    assert pdf[start : start + 4] == b"xref"
    assert b"/CIDFontType2" in pdf and b"/Type3" not in pdf


def test_the_same_figure_has_the_same_bytes_and_no_date(figure, tmp_path):
    first, second = written(figure, tmp_path / "a"), written(figure, tmp_path / "b")
    assert first == second
    assert b"dc:date" not in first[0] and b"CreationDate" not in first[1]
