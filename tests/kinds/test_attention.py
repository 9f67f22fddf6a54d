"""Maps of attention and of latent variables, and curves of what happens inside over training."""

import json
import re

import pyarrow as pa
import pytest

from docmt.base.columns import INSIDE
from docmt.base.tables import write_arrow
from docmt.kinds.attention import MOST_CHAINS, MOST_OCCURRENCES, Shade, inside_maps
from docmt.reporting.figures import DOTTED
from docmt.reporting.page import write_report
from docmt.reporting.plots import TO_CURRENT_SENTENCE, inside_curves

CORPUS = "toy_zh-en"


def member(chain: int, sentence: int, piece: str, similarity: list[float] | None, place: int = 0) -> dict:
    return {
        "document": "talk", "chain": chain, "piece": piece, "sentence": sentence, "place": place,
        "outputs": ["a", "</s>"], "attention": [0.5, 0.25],
        "alignment": similarity and [0.75, 0.25], "similarity": similarity,
    }  # fmt: skip


def write_inside(world, rows: list[dict], system: str = "g_transformer", seed: int = 1) -> None:
    file = world.folder("6_inside", system, seed) / "inside.arrow"
    write_arrow(file, pa.Table.from_pylist(rows, INSIDE))
    common = {"title": "Inside", "corpus": CORPUS, "system": system}
    world.settings["study"]["figures"] = {kind: {"kind": kind, **common} for kind in ("attention", "latent")}


ROWS = [
    member(0, 0, "猫", [0.5, 0.25], place=3),
    member(0, 1, "猫", [0.5, 0.5]),
    member(1, 0, "狗", [0.25, 0.75], place=1),
    member(1, 2, "狗", [1.0, 0.0]),
    member(1, 3, "狗", [1.0, 0.0]),
]


def test_the_longest_chain_and_the_sentence_with_most_latent_variables_are_shown(world):
    write_inside(world, ROWS)
    inside = inside_maps(world.load(), CORPUS, "g_transformer")
    assert (inside.system, inside.document, inside.seed) == ("g_transformer", "talk", 1)
    for strips in (inside.alignment, inside.attention):
        assert [(strip.piece, strip.sentence) for strip in strips] == [("狗", 1), ("狗", 3), ("狗", 4)]
        assert strips[0].outputs == ("a", "</s>")
    assert inside.alignment[0].shades == (Shade(0.75, 0.75), Shade(0.25, 0.25))
    assert inside.attention[0].shades == (Shade(0.5, 0.5), Shade(0.25, 0.25))
    # By their places; from the smallest number of the map, white, to the largest.
    assert [(strip.piece, strip.sentence) for strip in inside.similarity] == [("狗", 1), ("猫", 1)]
    assert [shade.dark for strip in inside.similarity for shade in strip.shades] == [0, 1, 0.5, 0]
    assert (inside.similarity[0].lowest, inside.similarity[0].highest) == (0.25, 0.75)


def test_without_latent_variables_there_is_cross_attention_alone(world):
    write_inside(world, [member(0, 0, "猫", None), member(0, 1, "猫", None)])
    inside = inside_maps(world.load(), CORPUS, "g_transformer")
    assert inside.alignment == inside.similarity == ()
    assert inside.attention[0].shades == (Shade(0.5, 0.5), Shade(0.25, 0.25))


def test_long_chains_and_many_chains_are_cut_short(world):
    count = MOST_CHAINS + MOST_OCCURRENCES
    long = [member(0, number, "x", [0.5, 0.5]) for number in range(count)]
    many = [member(number, 0, "y", [0.5, 0.5], place=number) for number in range(1, count)]
    write_inside(world, long + many)
    inside = inside_maps(world.load(), CORPUS, "g_transformer")
    assert (len(inside.attention), len(inside.similarity)) == (MOST_OCCURRENCES, MOST_CHAINS)


def test_divergence_and_entropy_over_training_by_kind(world):
    for system, values in (
        ("sentence", {"entropy.cross": 3.0, "entropy.encoder.lexical.attention": 1.0}),
        ("g_transformer", {"entropy.cross.group": 2.0, "entropy.decoder_self": 1.0, "kl": 0.5}),
    ):
        world.train(system)
        rows = [{"kind": "dev", "update": update, "epoch": 1, **values} for update in (1, 2)]
        text = "".join(json.dumps(row) + "\n" for row in [*rows, {"kind": "train", "update": 1, "kl": 9.0}])
        (world.folder("5_training", system, 1) / "metrics.jsonl").write_text(text)
    results = world.load()
    (plot,) = inside_curves(results, results.look)
    assert [(panel.title, panel.systems) for panel in plot.panels] == [
        ("KL divergence of latent variables", ("g_transformer",)),
        ("entropy of cross-attention", ("sentence", "g_transformer")),
        ("entropy of decoder self-attention", ("g_transformer",)),
    ]
    assert [">nats a chain<" in panel.svg for panel in plot.panels] == [True, False, False]
    assert [">bits<" in panel.svg for panel in plot.panels] == [False, True, True]
    assert [(panel.title, panel.systems) for panel in plot.more] == [
        ("entropy of encoder lexical attention", ("sentence",))
    ]
    assert (plot.systems, plot.notes) == (("g_transformer", "sentence"), ((TO_CURRENT_SENTENCE, DOTTED),))


def test_attention_to_the_document_and_to_the_own_sentence_are_two_lines_of_a_panel(world):
    world.train("g_transformer")
    values = {"entropy.cross.group": 2.0, "entropy.cross.global": 6.0}
    rows = [{"kind": "dev", "update": update, "epoch": 1, **values} for update in (1, 2)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (world.folder("5_training", "g_transformer", 1) / "metrics.jsonl").write_text(text)
    results = world.load()
    look = results.look
    ((panel,),) = [plot.panels for plot in inside_curves(results, look)]
    lines = re.findall(
        rf'<path d="([^"]*)" [^>]*style="fill: none; ([^"]*{re.escape(look["g_transformer"].on_page)}[^"]*)"', panel.svg
    )
    assert len(lines) == 2 and ["dasharray" in style for _, style in lines] == [False, True]
    # Two bits are lower on the page than six.
    heights = [float(re.match(r"M [\d.]+ ([\d.]+)", path)[1]) for path, _ in lines]
    assert heights[0] < heights[1]


@pytest.mark.parametrize("rows", [ROWS, [member(0, 0, "<b>", None)]])
def test_the_page_shows_the_maps(filled, rows):
    write_inside(filled, rows)
    filled.load()
    write_report(filled.settings_file, filled.folders, filled.output)
    page = filled.output.read_text(encoding="utf-8")
    articles = {name: page.split(f'id="item-{name}"')[1].split("</article>")[0] for name in ("attention", "latent")}
    assert "dev document talk" in articles["attention"] and "Cross-attention of the top layer" in articles["attention"]
    assert "<b>" not in articles["attention"]
    for figure, words in (
        ("attention", "Soft alignment (eq. 8)"),
        ("attention", 'style="--dark: 0.750" title="0.750"'),
        ("latent", "Similarity (eq. 17"),
    ):
        assert (words in articles[figure]) == (rows is ROWS)
    assert ("not run" in articles["latent"]) == (rows is not ROWS)


@pytest.mark.parametrize(("figure", "kinds"), [("attention", ["alignment", "attention"]), ("latent", ["similarity"])])
def test_the_page_of_a_map_has_every_number_beside_it(world, figure, kinds):
    write_inside(world, ROWS)
    world.only(figure, "inside")
    world.load()
    write_report(world.settings_file, world.folders, world.output)
    records = json.loads(world.output.with_suffix(".json").read_text())["records"]
    first = {kind: [r["value"] for r in records if (r["kind"], r["row"]) == (kind, 0)] for kind in kinds}
    assert (
        first
        == {
            "attention": {"alignment": [0.75, 0.25], "attention": [0.5, 0.25]},
            "latent": {"similarity": [0.25, 0.75]},
        }[figure]
    )
    assert {record["kind"] for record in records} == set(kinds)


@pytest.mark.parametrize(("alignment", "drawn"), [([0.9, 0.1], True), ([0.0, 1.0], False)])
def test_an_alignment_with_punctuation_is_said_and_not_drawn(world, alignment, drawn):
    rows = [{**member(0, line, "猫", [0.5, 0.5]), "outputs": ["cat", "."], "alignment": alignment} for line in (0, 1)]
    write_inside(world, rows)
    world.load()
    write_report(world.settings_file, world.folders, world.output)
    page = world.output.read_text(encoding="utf-8")
    assert ("Where a repeated source word finds its translation" in page) == drawn
    assert ("its map shows nothing and is not drawn" in page) != drawn
