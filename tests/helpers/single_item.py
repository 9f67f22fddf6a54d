"""A study of one item, as its page shows it."""

import csv
import io

from docmt.reporting.exports import to_csv
from docmt.reporting.page import render
from docmt.reporting.pieces import pieces
from docmt.reporting.rendering import Renderer

CORPUS = "toy_zh-en"


def only(world, section: str, item: dict):
    """The study has this item alone: its piece, and the page's text."""
    world.settings["study"][section] = {"item1": {"title": "The item", **item}}
    results = world.load()
    (piece,) = pieces(results)
    return piece, page_of(world)


def page_of(world) -> str:
    """The text of the page of all items of the study."""
    results, folder = world.load(), world.output.parent
    return render(Renderer(results, (folder, folder)), pieces(results), world.output)


def rows_of(piece) -> list[dict]:
    return list(csv.DictReader(io.StringIO(to_csv(piece))))
