import re
from xml.etree import ElementTree

import pytest

from docmt.reporting.figures import CURVE_POINTS, LEVEL_DASH, draw, thin
from docmt.reporting.look import COLOURS, styles
from docmt.reporting.plots import (
    accuracy_by_distance,
    bleu_by_bucket,
    bleu_by_position,
    learning_curves,
    with_differences,
)


def test_learning_curves_of_the_systems_that_train(full):
    full.train("never_run")
    (plot,) = learning_curves(full.load(), full.load().look)
    assert [panel.title for panel in plot.panels] == ["training loss, label-smoothed", "dev perplexity"]
    assert plot.systems == ("sentence", "concat_3", "g_transformer")
    assert plot.notes == (("unigram model", LEVEL_DASH),)


def test_accuracy_by_distance_with_chance(full):
    (plot,) = accuracy_by_distance(full.load(), full.load().look)
    assert [panel.title for panel in plot.panels] == ["pronoun"]
    assert plot.steps == ("not stated", "1", "3")
    assert plot.numbers == (
        ("pronoun", "sentence", [25.0, 50.0, 50.0]),
        ("pronoun", "concat_3", [25.0, 75.0, 50.0]),
        ("pronoun", "g_transformer", [25.0, 100.0, 50.0]),
        ("pronoun", "chance", [50.0, 50.0, 50.0]),
    )


def test_every_axis_says_what_it_counts_and_in_what(full):
    results = full.load()
    look = results.look
    for plots, labels in (
        (learning_curves(results, look), [("updates", "nats a token"), ("updates", "perplexity")]),
        (accuracy_by_distance(results, look), [("distance in sentences", "accuracy, %")]),
        (bleu_by_position(results, look), [("position j in the window", "s-BLEU")]),
    ):
        for panel, panel_labels in zip(plots[0].panels, labels, strict=True):
            assert all(f">{label}<" in panel.svg for label in panel_labels)


def test_bleu_by_position_only_where_there_are_windows(full):
    (plot,) = bleu_by_position(full.load(), full.load().look)
    assert plot.numbers == (("s-BLEU", "concat_3", [20.0, 21.0, 22.0]),)
    full.score("concat_3")
    assert bleu_by_position(full.load(), full.load().look) == []


@pytest.mark.parametrize("count", [0, 1, CURVE_POINTS, CURVE_POINTS + 1, 10 * CURVE_POINTS + 7])
def test_long_curves_are_thinned_by_averaging(count):
    values = [float(n) for n in range(count)]
    thinned = thin(values)
    assert len(thinned) <= CURVE_POINTS
    assert thinned == sorted(thinned)
    assert count > CURVE_POINTS or thinned == values


def test_every_system_looks_different():
    look = styles({name: name for name in (f"system{n}" for n in range(3 * len(COLOURS)))})
    assert len({(style.colour, style.dash) for style in look.values()}) == 3 * len(COLOURS)


def test_a_figure_is_a_part_of_a_page(full):
    svg = draw("here", 'a "label" of <ours>', lambda axes: axes.plot([1, 2], [1, 2], marker="o"))
    assert svg.startswith('<svg role="img" aria-label="a &#34;label&#34; of &lt;ours&gt;" viewBox=')
    assert "http" not in svg and "<?xml" not in svg and "<metadata" not in svg
    ElementTree.fromstring(svg.replace("xlink:href", "href"))
    identifiers = set(re.findall(r'\bid="([^"]*)"', svg))
    assert identifiers and all(name.startswith("here-") for name in identifiers)
    used = set(re.findall(r'(?:url\(|href=")#([^")]*)', svg))
    assert used and used <= identifiers


def test_bleu_by_bucket_is_compared_with_the_baseline(world):
    names = [f"s-BLEU@length.{bucket}" for bucket in ("1-10", "41+", "11-20")]
    for system, numbers in (("sentence", (20.0, 9.0, 30.0)), ("concat_3", (21.5, 9.0, 29.0))):
        world.score(system, scores=dict(zip(names, numbers, strict=True)))
    results = world.load()
    (plot,) = bleu_by_bucket(results, results.look, "length")
    assert plot.steps == ("1-10", "11-20", "41+")
    assert plot.numbers[-1] == ("sentences", "", [4, 4, 4])
    assert bleu_by_bucket(results, results.look, "position") == []
    compared = with_differences(plot, results.look, "sentence", "length", "s-BLEU")
    assert ("s-BLEU by length, minus sentence", "concat_3", [1.5, -1.0, 0.0]) in compared.numbers
    assert len(compared.more) == 1 and compared.panels == plot.panels
