"""The gallery shows the pictures that its script writes, small ones, of places that the report of the demo has."""

import re

import pictures
import pytest
from helpers.support import ROOT, need

from docmt.reporting.item import FIGURES, TABLES

FOLDER = ROOT / "docs/images"
GALLERY = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
LARGEST, LARGEST_IN_ALL = 150_000, 1_000_000
"""Sizes of a picture and of all pictures of the documentation, in bytes."""


def test_the_gallery_shows_every_picture_of_the_script_once():
    pictures_of_page = re.findall(r"\]\(images/([\w/.]+)\)", GALLERY)
    written = {f"{name}.png" for name in pictures.SCREENS} | {f"{name}.svg" for name in pictures.FIGURES}
    assert sorted(pictures_of_page) == sorted(written)


def test_pictures_are_there_and_small():
    sizes = {path: path.stat().st_size for path in FOLDER.rglob("*.*")}
    assert max(sizes.values()) < LARGEST and sum(sizes.values()) < LARGEST_IN_ALL
    assert len(sizes) > len(pictures.SCREENS) + len(pictures.FIGURES)


def test_the_report_of_the_demo_has_what_is_drawn(finished_demo):
    report = finished_demo.root / "results/8_report/smoke/demo"
    for screen in pictures.SCREENS.values():
        text = (report / screen.page).read_text(encoding="utf-8")
        assert screen.element is None or f'id="{screen.element.split()[0].removeprefix("#")}"' in text
    assert all((report / figure).is_file() for figure in pictures.FIGURES.values())


def test_the_kinds_that_the_gallery_names_are_kinds():
    named = set(re.findall(r"`kind: (\w+)`", GALLERY))
    assert len(named) > 5 and named <= {*FIGURES, *TABLES}


@pytest.mark.slow
def test_the_script_writes_every_picture(finished_demo, tmp_path):
    need("chromium")
    written = pictures.draw(finished_demo.root / "results/8_report/smoke/demo", tmp_path)
    assert len(written) == len(pictures.SCREENS) + len(pictures.FIGURES)
    assert all(0 < path.stat().st_size < LARGEST for path in written)
