"""The picture of a page's first screen."""

import re

import pytest

from docmt.reporting.overview import overview

BOTH = {"LTCR": (60.0, 50.0, 65.0), "accuracy": (75.0, 70.0, 80.0)}


def drawn(world):
    results = world.load()
    return overview(results, results.look)


def test_a_point_is_a_mean_over_seeds_and_its_bars_are_the_intervals(world):
    world.score("sentence", scores={"s-BLEU": (20.0, 19.0, 22.0), "LTCR": (60.0, 50.0, 65.0)})
    world.score("concat_3", seed=1, bleu=30.0, scores=BOTH)
    world.score("concat_3", seed=2, bleu=32.0, scores={"LTCR": (70.0, 60.0, 75.0)})
    (plot,) = drawn(world)
    assert plot.steps == ("s-BLEU", "LTCR")
    assert plot.numbers == (
        ("LTCR against s-BLEU", "sentence", [20.0, 60.0]),
        ("LTCR against s-BLEU", "concat_3", [31.0, 65.0]),
    )
    (panel,) = plot.panels
    assert re.search('aria-label="LTCR against s-BLEU: sentence 60.00 at 20.00; concat_3 65.00 at 31.00"', panel.svg)
    # A marker, and a bar for each interval: one system has that of BLEU, both have that of LTCR.
    drawn_of = {name: panel.svg.count(f'<g data-system="{name}">') for name in plot.systems}
    assert drawn_of == {"sentence": 1 + 2, "concat_3": 1 + 1}


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"sentence": BOTH, "concat_3": BOTH}, ("s-BLEU", "LTCR")),
        ({"sentence": BOTH, "concat_3": {"accuracy": 50.0}}, ("s-BLEU", "accuracy")),
        ({"sentence": BOTH, "concat_3": {}}, None),
        ({"sentence": BOTH}, None),
    ],
)
def test_the_axes_are_metrics_that_two_systems_have(world, scores, expected):
    for system, numbers in scores.items():
        world.score(system, scores=numbers)
    assert [plot.steps for plot in drawn(world)] == ([expected] if expected else [])
