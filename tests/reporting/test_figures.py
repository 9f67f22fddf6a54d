"""The values that a script reads out of a drawing: those that are drawn, where they are drawn."""

import re

import pytest

from docmt.reporting.figures import MOST_POINTS, Curve, curves
from docmt.reporting.look import styles

LOOK = styles({"a": "System A", "b": "System B"})
CIRCLE = re.compile(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="5" data-label="([^"]*)" data-value="([^"]*)"/>')


def drawing(*drawn: Curve) -> str:
    return curves("figure", "loss", drawn, LOOK, unit="nats").svg


def test_each_point_is_read_where_it_is_drawn():
    svg = drawing(Curve("a", [1, 2, 3], [30.0, 20.0, 25.5]))
    points = CIRCLE.findall(svg)
    assert [(label, value) for _, _, label, value in points] == [
        ("updates: 1", "30"), ("updates: 2", "20"), ("updates: 3", "25.5"),
    ]  # fmt: skip
    # The first path of the system is its line: its corners are the centres of the circles.
    path = re.search(r'<g data-system="a">\s*<path d="([^"]*)"', svg)[1]
    corners = [tuple(map(float, pair)) for pair in re.findall(r"[ML] ([\d.]+) ([\d.]+)", path)]
    assert [(float(x), float(y)) for x, y, *_ in points] == [pytest.approx(corner, abs=0.06) for corner in corners]


def test_a_long_curve_has_few_points_and_always_its_last():
    points = CIRCLE.findall(drawing(Curve("a", range(1000), range(1000))))
    assert len(points) <= MOST_POINTS and len(drawing(Curve("a", range(1000), range(1000)))) < 60_000
    assert float(points[-1][3]) > 990


def test_parts_of_a_drawing_name_their_systems_and_leave_no_tag():
    svg = drawing(Curve("a", [1, 2], [3, 4]), Curve("b", [1, 2], [4, 5], dotted="its other half"))
    assert svg.count('<g data-system="b" data-label="System B, its other half">') == 1
    assert "|" not in svg and "%20" not in svg
    ids = re.findall(r' id="([^"]*)"', svg)
    assert len(ids) == len(set(ids)) and all(name.startswith("figure-") for name in ids)
