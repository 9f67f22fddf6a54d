"""The list of test documents and their pages: what is on them, and how large they may be."""

import re

import pytest
from helpers.many_documents import DOCUMENTS, SYSTEMS, fill

from docmt.reporting.page import write_report

CORPUS = "toy_zh-en"
LARGEST = 3_000_000
"""The largest size of a list of documents, in bytes: a browser opens it in less than two seconds."""


def written(world):
    """The folder of the documents of a study, whose page is in its place."""
    world.load()
    world.output = world.results / "8_report" / "smoke" / "made" / "index.html"
    write_report(world.settings_file, world.folders, world.output)
    return world.output.parent / "documents"


@pytest.fixture
def compared(full):
    full.score("sentence", scores={"d-BLEU@document.a": 20.0, "d-BLEU@document.b": 30.0, "s-BLEU@document.a": 0.0})
    full.score("concat_3", scores={"d-BLEU@document.a": 25.5, "d-BLEU@document.b": 29.0})
    full.translate("concat_3", ["x"] * 4)
    full.settings["study"]["tables"]["table1"]["baseline"] = "sentence"
    return full


def cells(page: str, row: str) -> list[str]:
    line = next(part for part in re.findall(r"<tr.*?</tr>", page, re.DOTALL) if row in part)
    return re.findall(r'<td class="num"[^>]*>(.*?)</td>', line, re.DOTALL)


def test_the_list_has_each_document_with_its_size_scores_and_differences(compared):
    page = (written(compared) / "index.html").read_text()
    plain = [re.sub(r"<[^>]*>", "", cell) for cell in cells(page, f"{CORPUS}/1.html")]
    assert plain[0] == "2" and plain[2:4] == ["20.0", "25.5 (+5.5)"]
    assert "29.0 (−1.0)" in re.sub(r"<[^>]*>", "", " ".join(cells(page, f"{CORPUS}/2.html")))
    assert 'data-value="25.5"' in page and page.count(f'href="{CORPUS}/') == 3


def test_a_page_has_the_translations_of_its_document_and_leads_to_its_neighbours(compared):
    folder = written(compared) / CORPUS
    first, last = ((folder / f"{n}.html").read_text() for n in (1, 3))
    assert 'rel="next" href="2.html"' in first and 'rel="prev"' not in first
    assert 'rel="prev" href="2.html"' in last and 'rel="next"' not in last
    assert '<a href="../index.html">' in first and '<a href="../../index.html">' in first
    assert [page.count('<td class="number">') for page in (first, last)] == [2, 1]
    assert cells(first, '<tr data-system="concat_3"><th')[:2] == ["25.50", "+5.50"]


def test_the_page_of_the_study_leads_to_the_list_and_a_copy_elsewhere_writes_no_second_one(compared):
    folder = written(compared)
    assert 'href="documents/index.html">All 3 test documents</a>' in compared.output.read_text()
    copy = compared.results / "report.html"
    write_report(compared.settings_file, compared.folders, copy)
    assert 'href="8_report/smoke/made/documents/index.html"' in copy.read_text()
    assert not (compared.results / "documents").exists() and folder.exists()


def test_pages_of_documents_that_are_no_more_are_removed(compared):
    folder = written(compared)
    (folder / CORPUS / "4.html").write_text("of an earlier test set")
    written(compared)
    assert sorted(path.name for path in (folder / CORPUS).iterdir()) == ["1.html", "2.html", "3.html"]


@pytest.mark.slow
def test_two_hundred_documents_of_twelve_systems_are_a_small_list_and_pages_of_their_own(world, entry_of):
    fill(world, entry_of)
    folder = written(world)
    assert (folder / "index.html").stat().st_size < LARGEST
    pages = list((folder / CORPUS).iterdir())
    assert len(pages) == DOCUMENTS and max(page.stat().st_size for page in pages) < LARGEST
    assert world.output.stat().st_size < LARGEST
    assert cells((folder / "index.html").read_text(), f"{CORPUS}/8.html")[-1].startswith("32.0")
    assert len(SYSTEMS) == 12
