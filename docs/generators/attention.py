"""The drawings of who attends to whom in each model of docmt, for `docs/explanation/one-attention.md`.

Their masks are those of `docs/generators/masks.py`, which measures them on the models.
"""

from itertools import pairwise

from docmt.nn.segments import Segments
from generators import masks
from generators.masks import Mask, Side
from generators.panels import CELL, FAR, FARTHER, ITSELF, LEFT, OWN, SPACE, Axis, Grid, Panel, framed, picture
from generators.panels import EMPTY as NOT_READ

READS = "rows read, columns are read"
NAMES = {
    "encoder_self": "encoder self-attention",
    "decoder_self": "decoder self-attention",
    "cross": "cross-attention",
}


def axis(side: Side) -> Axis:
    """Return the side of a panel that has the tokens of a stream."""
    return Axis(side.tokens, side.sentences)


def sentence_numbers(side: Axis) -> list[int]:
    """Return the number of the sentence of each token."""
    return [number for number, length in enumerate(side.sentences) for _ in range(length)]


def by_distance(mask: Mask, rows: Axis, columns: Axis) -> Grid:
    """Return the classes of squares: `own` inside a sentence, and `far` between two sentences."""
    numbers = sentence_numbers(rows), sentence_numbers(columns)
    return [
        [NOT_READ if not read else OWN if row == column else FAR for read, column in zip(line, numbers[1], strict=True)]
        for line, row in zip(mask, numbers[0], strict=True)
    ]


def panels(data: masks.Example, masks_by_name: dict[str, Mask], suffix: str = "", twice: bool = False) -> list[Panel]:
    """Return a panel for each attention; `twice` says that the rows and columns are those of two streams."""
    source, target = (
        Axis(side.tokens * (1 + twice), side.sentences * (1 + twice)) for side in (data.source, data.target)
    )
    sides = {"encoder_self": (source, source), "decoder_self": (target, target), "cross": (target, source)}
    return [
        Panel(f"{NAMES[name]}{suffix}", *sides[name], by_distance(mask, *sides[name]))
        for name, mask in masks_by_name.items()
    ]


def views() -> str:
    """Draw the Transformer on sentences, on windows of two and on the whole document."""
    cases = (("sentences", masks.SENTENCES, "wrapped"), ("windows of two", masks.WINDOWS, "joined"))
    cases += (("document", masks.DOCUMENT, "unmarked"),)
    rows = []
    for name, instances, frame in cases:
        data = masks.example(frame, instances)
        rows.append(panels(data, masks.attentions("transformer", data, 0, frame=frame), f", {name}"))
    legend = [(OWN, "a token of the same sentence"), (FAR, "a token of another sentence of the same instance")]
    return picture(f"The Transformer on three views; {READS}", rows, legend)


def g_transformer() -> str:
    """Draw the lower and the top layers of G-Transformer."""
    data = masks.example("wrapped")
    rows = [
        panels(data, masks.attentions("g_transformer", data, layer, combined_layers=1), f", {name}")
        for layer, name in ((0, "lower layers"), (1, "top layers"))
    ]
    legend = [(OWN, "group attention and, in the top layers, global attention"), (FAR, "global attention alone")]
    return picture(f"G-Transformer; {READS}", rows, legend)


def long_short() -> str:
    """Draw long-short term masking, with the long stream before the short stream."""
    data = masks.example("joined")
    self_panels, cross_panels = [], []
    for panel in panels(data, masks.two_stream_attentions(data), ", long then short stream", twice=True):
        (cross_panels if panel.title.startswith("cross") else self_panels).append(panel)
    legend = [(OWN, "a token of the same sentence"), (FAR, "a token of another sentence of the window")]
    return picture(f"Long-short term masking; {READS}", [self_panels, cross_panels], legend)


def marked(mask: Mask, side: Axis, only_links: bool = False) -> Grid:
    """Return the classes of squares by the number of sentences between row and column, and each row itself.

    With `only_links`, all squares but those of a row itself have the class `far`.
    """
    numbers, classes = sentence_numbers(side), {0: OWN, 1: FAR}
    return [
        [
            NOT_READ
            if not read
            else ITSELF
            if row == column
            else FAR
            if only_links
            else classes.get(numbers[row] - numbers[column], FARTHER)
            for column, read in enumerate(line)
        ]
        for row, line in enumerate(mask)
    ]


def lexical_chain() -> str:
    """Draw the three attentions of an encoder layer of lexical chains."""
    data = masks.example("summarised")
    side, masks_by_name = axis(data.source), masks.chain_attentions(data)
    row = [
        Panel("self-attention", side, side, by_distance(masks_by_name["encoder_self"], side, side)),
        Panel("general context (GC-Attn)", side, side, marked(masks_by_name["general"], side, only_links=True)),
        Panel("lexical consistency (LC-Attn)", side, side, marked(masks_by_name["lexical"], side, only_links=True)),
    ]
    legend = [
        (OWN, "a token of the same sentence"),
        (FAR, "the first symbols of all sentences (GC-Attn); the words of the chain “vote” (LC-Attn)"),
        (ITSELF, "the row itself, by the residual connection"),
    ]
    return picture(f"Lexical chains, encoder; {READS}", [row], legend)


def han() -> str:
    """Draw the self-attention of HAN's encoder, and the attention to previous sentences above it."""
    data = masks.example("wrapped")
    side = axis(data.source)
    self_attention = masks.attentions("han", data, 0)["encoder_self"]
    context = masks.hierarchical_attention(data, 3)
    row = [
        Panel("self-attention, all layers", side, side, by_distance(self_attention, side, side)),
        Panel("context, above the encoder", side, side, marked(context, side)),
    ]
    legend = [
        (OWN, "a token of the same sentence"),
        (FAR, "a word of the sentence before"),
        (FARTHER, "a word of the sentence two before"),
        (ITSELF, "the row itself, by the gate"),
    ]
    return picture(f"HAN, encoder; {READS}", [row], legend)


def stream() -> str:
    """Draw the packed source stream of the document and the runs that its attentions use."""
    data = masks.example("summarised")
    source, chains = data.batch.source, data.batch.source.chains
    first = source.sentences.offsets[:-1].tolist()
    lines = [
        ("sentences", tokens_of_runs(source.sentences)),
        ("instance", tokens_of_runs(source.instances)),
        ("first symbols", [first]),
        ("lexical chain", [chains.tokens.tolist()]),
    ]
    width = 68
    elements = [
        f'<text x="{LEFT + SPACE + width * token}" y="30">{text.replace("<", "&lt;").replace(">", "&gt;")}</text>'
        for token, text in enumerate(data.source.tokens)
    ]
    for number, (name, runs) in enumerate(lines):
        y = 48 + 34 * number
        elements.append(f'<text class="row" x="{LEFT + SPACE - 8}" y="{y + CELL - 2}">{name}</text>')
        elements += [run_boxes(run, y, width, (OWN, FAR, FARTHER)[place % 3]) for place, run in enumerate(runs)]
    size = LEFT + 2 * SPACE + width * len(data.source.tokens), 48 + 34 * len(lines)
    return framed("A packed source stream and four sets of runs over its rows", *size, elements)


def run_boxes(run: list[int], y: int, width: int, kind: str) -> str:
    """Return a box for each token of a run; a line joins boxes that are not neighbours."""
    places = [LEFT + SPACE + width * token for token in run]
    boxes = "".join(f"M{x} {y}h{width - 6}v{CELL}h-{width - 6}z" for x in places)
    line = f'<path class="line" d="M{places[0]} {y + CELL + 5}H{places[-1] + width - 6}"/>'
    return f'<path class="{kind}" d="{boxes}"/>\n{line}'


def tokens_of_runs(runs: Segments) -> list[list[int]]:
    """Return the numbers of the tokens of each run."""
    return [list(range(*ends)) for ends in pairwise(runs.offsets.tolist())]


DRAWINGS = {
    "stream": stream,
    "views": views,
    "g_transformer": g_transformer,
    "long_short": long_short,
    "lexical_chain": lexical_chain,
    "han": han,
}
"""The function of each drawing, by the name of its file in `docs/images/attention`."""
