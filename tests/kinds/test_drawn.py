"""Figures of points, of positions and of curves: what is drawn, what was published beside it, what is not there."""

import re

import pytest

from docmt.reporting.exports import to_csv
from docmt.reporting.figures import DOTTED, LEVEL_DASH
from docmt.reporting.pieces import pieces

CORPUS = "toy_zh-en"


def drawn(world, **figure):
    """The only item of the study, as its piece."""
    world.settings["study"]["figures"] = {"figure1": {"title": "F", "corpus": CORPUS, **figure}}
    (piece,) = pieces(world.load())
    return piece


def circles(svg: str, hollow: bool) -> int:
    """Markers of the first style, by whether their face is white."""
    uses = re.findall(r"<use [^>]*style=\"([^\"]*)\"", svg)
    return sum(("fill: var(--paper)" in style) == hollow for style in uses if "fill:" in style)


POINTS = {
    "kind": "points",
    "metrics": ["s-BLEU", "d-BLEU"],
    "x": {"label": "Input length", "unit": "tokens", "log": True},
    "series": [
        {
            "label": "Transformer",
            "points": {64: "sentence", 512: "never_run"},
            "published": {256: {"s-BLEU": "30.50"}, 512: {"s-BLEU": "not digitised"}},
        }
    ],
}


def test_points_are_means_over_seeds_with_the_range_and_published_ones_are_hollow(world):
    world.score("sentence", 1, bleu=20.0)
    world.score("sentence", 2, bleu=23.0)
    piece = drawn(world, **POINTS)
    by_point = {(record["metric"], record["x"]): record for record in piece.records}
    assert list(by_point) == [(metric, x) for metric in ("s-BLEU", "d-BLEU") for x in (64, 256, 512)]
    first = by_point["s-BLEU", 64]
    assert (first["measured"], first["values"], first["published"], first["status"]) == (
        21.5, [20.0, 23.0], None, "measured",
    )  # fmt: skip
    assert (by_point["s-BLEU", 256]["published"], by_point["s-BLEU", 256]["status"]) == ("30.50", "published only")
    assert (by_point["s-BLEU", 512]["published"], by_point["s-BLEU", 512]["status"]) == ("not digitised", "not run")
    bleu, documents = piece.content.panels
    assert [circles(panel.svg, hollow=True) for panel in (bleu, documents)] == [1, 0]
    assert ">Input length (tokens)<" in bleu.svg and ">BLEU<" in bleu.svg
    assert [f">{x}<" in bleu.svg for x in (64, 256)] == [True, True]
    assert piece.content.marks == ("Bars: from the smallest to the largest seed", "Hollow: published")
    assert piece.content.missing == ("not run: Transformer at 512",)


def test_points_beside_published_ones_say_why_they_are_not_comparable(world):
    world.score("sentence", 1)
    world.settings["not_comparable"] = {CORPUS: {"": ["the text is generated"]}}
    piece = drawn(world, **POINTS)
    reasons = {record["metric"]: record["not_comparable"] for record in piece.records if record["x"] == 64}
    assert reasons == {"s-BLEU": "the text is generated", "d-BLEU": ""}, "d-BLEU has no published point"
    note = "Not comparable with the published points because the text is generated"
    assert piece.content.marks == ("Hollow: published", note)


def test_positions_are_those_of_the_window_and_levels_are_lines_across(world):
    world.score("concat_3", scores={"s-BLEU@j1": 20.0, "s-BLEU@j2": 21.0})
    piece = drawn(
        world,
        kind="positions",
        series=[
            {"label": "k = 3", "system": "concat_3", "published": {1: 18.0}},
            {"label": "other", "published": {2: 17}},
        ],
        levels=[{"label": "Tu (2018)", "published": 16.5}, {"label": "Voita (2018)", "published": "not digitised"}],
    )
    points = [(r["label"], r.get("x"), r.get("measured"), r["published"]) for r in piece.records]
    assert points == [
        ("k = 3", 1, 20.0, 18.0),
        ("k = 3", 2, 21.0, None),
        ("k = 3", 3, None, None),
        ("other", 2, None, 17),
        ("Tu (2018)", None, None, 16.5),
        ("Voita (2018)", None, None, "not digitised"),
    ]
    (panel,) = piece.content.panels
    assert ">position j in the window<" in panel.svg and ">Tu (2018)<" in panel.svg
    assert piece.content.notes == (("Tu (2018): 16.5", LEVEL_DASH),)
    assert piece.content.marks == ("Hollow: published", "Voita (2018): not digitised")
    assert piece.content.missing == ("not scored: k = 3 at 3",)


SYSTEMS = [{"label": "A", "system": "sentence"}, {"label": "B", "system": "g_transformer"}]


def test_losses_share_a_panel_and_other_values_have_their_own(world):
    rows = [{"kind": kind, "update": n, "loss": 5.0 - n, "kl": 0.5} for n in (1, 2) for kind in ("train", "dev")]
    world.curve("sentence", rows)
    world.curve("sentence", rows, seed=2)
    piece = drawn(world, kind="curves", systems=SYSTEMS, values=["dev_loss", "kl", "train_loss"])
    assert [panel.title for panel in piece.content.panels] == [
        "loss, label-smoothed",
        "KL divergence of latent variables",
    ]
    assert [
        f">{unit}<" in p.svg for p, unit in zip(piece.content.panels, ("nats a token", "nats a chain"), strict=True)
    ]
    values = {(r["value"], r["seed"]): 0 for r in piece.records}
    assert set(values) == {(value, seed) for value in ("dev_loss", "train_loss", "kl") for seed in (1, 2)}
    assert [(r["x"], r["y"]) for r in piece.records if (r["value"], r["seed"]) == ("dev_loss", 1)] == [
        (1, 4.0),
        (2, 3.0),
    ]
    assert piece.content.notes == (("training, beside dev", DOTTED),)
    assert piece.content.missing == ("not run: dev loss of B, kl of B, train loss of B",)
    assert to_csv(piece).count("\n") == 1 + len(piece.records) == 1 + 3 * 2 * 2


def timed(losses: dict[int, float], hours: float) -> list[dict]:
    """The lines of a training that needs so many hours for an update, by its dev losses."""
    lines = [
        [
            {"kind": "train", "update": n, "loss": 5.0, "device_hours": n * hours},
            {"kind": "dev", "update": n, "loss": loss},
        ]
        for n, loss in losses.items()
    ]
    return [line for pair in lines for line in pair if line["update"] or line["kind"] == "dev"]


def test_the_horizontal_axis_may_be_hours(world):
    world.curve("sentence", timed({0: 6.0, 10: 5.0, 20: 4.0}, hours=0.1))
    piece = drawn(world, kind="curves", systems=SYSTEMS[:1], values=["dev_loss"], x="hours")
    assert [(record["x"], record["y"]) for record in piece.records] == [(0, 6.0), (1.0, 5.0), (2.0, 4.0)]
    assert ">device hours<" in piece.content.panels[0].svg


@pytest.mark.parametrize(
    ("losses", "said"),
    [
        (
            [{0: 6.0, 5: 4.5, 10: 3.9}],
            ["B reaches the lowest dev loss of A in 25 % of its updates and 50 % of its hours"],
        ),
        ([{0: 6.0, 40: 4.1}], ["B does not reach the lowest dev loss of A"]),
        (
            [{10: 3.0}, {10: 5.0}],
            ["B reaches the lowest dev loss of A in 25 % of its updates and 50 % of its hours (1 of 2 seeds reach it)"],
        ),
    ],
)
def test_the_time_to_the_lowest_loss_of_a_baseline_is_told(world, losses, said):
    for seed in (1, 2):
        world.curve("sentence", timed({0: 6.0, 20: 5.0, 40: 4.0, 60: 4.2}, hours=0.1), seed)
    for seed, of_seed in enumerate(losses, 1):
        world.curve("g_transformer", timed(of_seed, hours=0.2), seed)
    piece = drawn(world, kind="curves", systems=SYSTEMS, values=["dev_loss"], x="hours", baseline="sentence")
    assert list(piece.content.marks) == said


@pytest.mark.parametrize(
    "figure",
    [
        POINTS,
        {"kind": "positions", "series": [{"label": "k", "system": "concat_3"}]},
        {"kind": "curves", "systems": SYSTEMS, "values": ["dev_loss"]},
    ],
)
def test_a_figure_of_what_was_left_out_says_why(world, figure):
    world.settings["not_run"] = {CORPUS: "toy_zh-en is missing: train.zh"}
    piece = drawn(world, **figure)
    assert piece.content.missing
    assert all(line.startswith("not run: toy_zh-en is missing: train.zh: ") for line in piece.content.missing)


def test_lines_are_compared_with_the_baseline_of_the_figure(world):
    world.score("sentence", bleu=20.0)
    world.score("concat_3", bleu=23.5)
    series = [{"label": "A", "points": {1: "sentence"}}, {"label": "B", "points": {1: "concat_3", 2: "never_run"}}]
    figure = {"kind": "points", "metrics": ["s-BLEU"], "x": {"label": "Length"}, "series": series, "baseline": "A"}
    piece = drawn(world, **figure)
    gains = {(record["label"], record["x"]): record["baseline_difference"] for record in piece.records}
    assert gains == {("A", 1): None, ("B", 1): 3.5, ("B", 2): None}
    assert [panel.title for panel in piece.content.panels] == ["s-BLEU", "s-BLEU, minus A"]
    assert 'data-value="3.5"' in piece.content.panels[1].svg and 'data-value="20"' not in piece.content.panels[1].svg
