"""Masks drawn as SVG: a square for each pair of a row, which reads, and a column, which is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate

from generators.markdown import generated_by

CELL, GAP, LETTER = 14, 5, 6
"""The side of a square, the space between two sentences, and the width of a letter of a title, in pixels."""
LEFT, TOP, TITLE, SPACE = 76, 74, 22, 26
"""The room of row labels, of column labels and of a title, and the space between panels, in pixels."""
EMPTY, OWN, FAR, FARTHER, ITSELF = "empty", "own", "far", "farther", "itself"
"""The classes of squares; the text of a page says what they mean."""

COLOURS = {
    "paper": ("#ffffff", "#1b1e24"),
    "ink": ("#24292f", "#e6e8eb"),
    EMPTY: ("#eef0f3", "#2a2f38"),
    OWN: ("#0072b2", "#56b4e9"),
    FAR: ("#e69f00", "#e69f00"),
    FARTHER: ("#009e73", "#2fbf94"),
}
"""The colour of each class on a light and on a dark screen (Okabe and Ito's, for colour-blind readers)."""

Grid = list[list[str]]
"""The class of the square of each row and column."""


@dataclass(frozen=True)
class Axis:
    """The tokens of one side of a panel, with the number of tokens of each sentence, between which there is a space."""

    tokens: Sequence[str]
    sentences: Sequence[int]

    @property
    def places(self) -> list[int]:
        """The place of each token, in pixels."""
        sentence = [number for number, length in enumerate(self.sentences) for _ in range(length)]
        return [CELL * token + GAP * number for token, number in enumerate(sentence)]

    @property
    def size(self) -> int:
        """The length of the side, in pixels."""
        return CELL * len(self.tokens) + GAP * (len(self.sentences) - 1)


@dataclass(frozen=True)
class Panel:
    """A mask with a title; `rows` are the tokens that read, `columns` those that are read."""

    title: str
    rows: Axis
    columns: Axis
    grid: Grid

    @property
    def width(self) -> int:
        """The width of the panel, in pixels; a title of a few columns may be wider than these."""
        return LEFT + max(self.columns.size, LETTER * len(self.title))

    @property
    def height(self) -> int:
        """The height of the panel, in pixels."""
        return TITLE + TOP + self.rows.size

    def draw(self) -> str:
        """Return the elements of the panel, whose top left corner is at 0, 0."""
        top = TITLE + TOP
        labels = [f'<text class="title" x="{LEFT}" y="14">{escape(self.title)}</text>']
        labels += [
            f'<text class="row" x="{LEFT - 5}" y="{top + place + CELL - 3}">{escape(token)}</text>'
            for token, place in zip(self.rows.tokens, self.rows.places, strict=True)
        ]
        labels += [
            f'<text transform="translate({LEFT + place + CELL - 3} {top - 5}) rotate(-90)">{escape(token)}</text>'
            for token, place in zip(self.columns.tokens, self.columns.places, strict=True)
        ]
        return "\n".join([*labels, *self._squares(top)])

    def _squares(self, top: int) -> list[str]:
        """Return a path for each class, which has all of its squares."""
        paths: dict[str, list[str]] = {}
        for y, row in zip(self.rows.places, self.grid, strict=True):
            for x, kind in zip(self.columns.places, row, strict=True):
                paths.setdefault(kind, []).append(square(LEFT + x, top + y, kind))
        return [f'<path class="{kind}" d="{"".join(parts)}"/>' for kind, parts in sorted(paths.items())]


def square(x: int, y: int, kind: str) -> str:
    """Return the path of a square; that of a row itself is smaller, since only its line is drawn."""
    inset, side = (3, CELL - 7) if kind == ITSELF else (0, CELL - 1)
    return f"M{x + inset} {y + inset}h{side}v{side}h-{side}z"


def picture(title: str, rows: Sequence[Sequence[Panel]], legend: Sequence[tuple[str, str]]) -> str:
    """Return an SVG with rows of panels and, below them, a line for each class of squares.

    `title` is the text that is read aloud in the place of the picture.
    """
    heights = [max(panel.height for panel in panels) + SPACE for panels in rows]
    places = [list(accumulate((panel.width + SPACE for panel in panels), initial=SPACE)) for panels in rows]
    drawn = [
        f'<g transform="translate({x} {y})">\n{panel.draw()}\n</g>'
        for panels, row_places, y in zip(rows, places, accumulate(heights, initial=12), strict=False)
        for panel, x in zip(panels, row_places, strict=False)
    ]
    below = 12 + sum(heights)
    drawn += [legend_line(kind, text, below + 20 * number) for number, (kind, text) in enumerate(legend)]
    return framed(title, max(line[-1] for line in places), below + 20 * len(legend) + 4, drawn)


def legend_line(kind: str, text: str, y: int) -> str:
    """Return a square of a class and the text that says what it means."""
    path = f'<path class="{kind}" d="{square(LEFT + SPACE, y, kind)}"/>'
    return f'{path}\n<text class="legend" x="{LEFT + SPACE + CELL + 6}" y="{y + CELL - 3}">{escape(text)}</text>'


def framed(title: str, width: int, height: int, elements: Sequence[str]) -> str:
    """Return the elements as an SVG file with a ground and colours for light and for dark screens."""
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}">',
            generated_by("docmt/nn and docmt/models").rstrip(),
            f"<title>{escape(title)}</title>",
            f"<style>\n{styles()}\n</style>",
            f'<rect class="paper" width="{width}" height="{height}" rx="6"/>',
            *elements,
            "</svg>\n",
        ]
    )


def styles() -> str:
    """Return the styles of all drawings."""
    light, dark = (
        "\n".join(rule for name, pair in COLOURS.items() for rule in rules(name, pair[number])) for number in (0, 1)
    )
    fonts = "text{font:11px ui-sans-serif,system-ui,sans-serif}.row{text-anchor:end}.title{font-weight:600}"
    return f"{fonts}.legend{{font-size:12px}}\n{light}\n@media (prefers-color-scheme:dark){{\n{dark}\n}}"


def rules(name: str, colour: str) -> list[str]:
    """Return the rules for a colour; that of text is also that of the line around a row itself."""
    if name == "ink":
        return [f"text{{fill:{colour}}}", f".{ITSELF}{{fill:none;stroke:{colour}}}", f".line{{stroke:{colour}}}"]
    return [f".{name}{{fill:{colour}}}"]
