"""The look of systems: a colour, dashes and a marker, which a system has on all pages of its study."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from urllib.parse import quote, unquote

# The colours of lines; those of systems repeat after the last. None of them is the grey of axes and levels.
COLOURS = ("#0072b2", "#d55e00", "#00875f", "#b5548f", "#a87500", "#2a8bc2", "#111418")

# The colours of axes, labels, numbers at ticks, grids and edges of markers.
AXIS, INK, SOFT, GRID, PAPER = "#7d858e", "#1d242c", "#565f69", "#e4e7ea", "#ffffff"

# The variables of `templates/styles/colours.css` that stand for colours on pages; dark screens have other values.
ON_PAGE = {
    **{colour: f"var(--hue{n})" for n, colour in enumerate(COLOURS)},
    AXIS: "var(--axis)",
    INK: "var(--ink)",
    SOFT: "var(--soft)",
    GRID: "var(--grid)",
    PAPER: "var(--paper)",
}

DASHES = ("", "6 2", "2 2", "8 2 2 2")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
# The two kinds of parts of a drawing that belong to systems: a line, whose points have values, and a sign without.
LINE, SIGN = "line", "sign"


@dataclass(frozen=True)
class Tag:
    """The label and the systems of a part of a drawing: a matplotlib artist carries them as its `gid`."""

    kind: str  # LINE or SIGN.
    label: str
    systems: tuple[str, ...]  # The names of the systems; a line through points of several systems has them all.

    def __str__(self) -> str:
        """Return the tag as a text without characters that are special in XML."""
        return "|".join(
            (self.kind, quote(self.label, safe=""), "+".join(quote(name, safe="") for name in self.systems))
        )

    @classmethod
    def of(cls, text: str | None) -> "Tag | None":
        """Return the tag in a `gid`; None where there is no tag."""
        kind, *parts = (text or "").split("|")
        if kind not in (LINE, SIGN) or len(parts) != 2:
            return None
        return cls(kind, unquote(parts[0]), tuple(unquote(name) for name in parts[1].split("+") if name))


@dataclass(frozen=True)
class Style:
    """The style of a line: colour, dashes and marker; the colour-blind can distinguish the colours."""

    colour: str
    dash: str
    marker: str
    label: str = ""
    systems: tuple[str, ...] = ()  # The systems on the line; empty where it has only published numbers.

    @property
    def on_page(self) -> str:
        """The colour on a page: a variable of its styles, since light and dark screens need different values."""
        return ON_PAGE[self.colour]

    def tag(self, kind: str, further: str = "") -> str:
        """Return the `gid` of a part of a drawing of this line; `further` is added to the label."""
        return str(Tag(kind, ", ".join(filter(None, (self.label, further))), self.systems))

    @property
    def line(self) -> dict:
        """The keyword arguments of matplotlib for a line without markers."""
        return {"color": self.colour, "linestyle": line_style(self.dash), "gid": self.tag(LINE)}

    @property
    def marked(self) -> dict:
        """The keyword arguments of matplotlib for a line with a marker at each point."""
        return {"marker": self.marker, "markeredgecolor": PAPER, **self.line}


def line_style(dash: str) -> str | tuple[int, tuple[float, ...]]:
    """Return matplotlib's line style for the dashes of an SVG, at half their lengths."""
    return (0, tuple(float(part) / 2 for part in dash.split())) if dash else "solid"


def styles(labels: Mapping[str, str]) -> dict[str, Style]:
    """Return a style for each system; `labels` has the label of each system, in the order of the study."""
    # The first 28 styles differ in their colours or in their dashes, and the first 196 at least in their markers.
    return {name: _style(n, label, (name,)) for n, (name, label) in enumerate(labels.items())}


def styles_of_lines(lines: Mapping[str, Iterable[str]], look: Mapping[str, Style]) -> dict[str, Style]:
    """Return a style for each line of a figure, by its label; `lines` has the systems of each line.

    `look`: the styles of the study's systems.
    """
    places = {name: place for place, name in enumerate(look)}
    free = count(len(look))
    drawn: dict[str, Style] = {}
    for label, systems in lines.items():
        ordered = tuple(sorted(dict.fromkeys(systems), key=lambda name: places.get(name, len(places))))
        # A line has the style of its first system that no other line has; without one, a style that no system has.
        style = next(_unused(ordered, look, drawn.values()), None) or _style(next(free), label, ordered)
        drawn[label] = Style(style.colour, style.dash, style.marker, label, ordered)
    return drawn


def _unused(systems: Sequence[str], look: Mapping[str, Style], drawn: Iterable[Style]) -> Iterator[Style]:
    looks = {(style.colour, style.dash, style.marker) for style in drawn}
    styles_of = (look[name] for name in systems if name in look)
    return (style for style in styles_of if (style.colour, style.dash, style.marker) not in looks)


def _style(n: int, label: str, systems: tuple[str, ...]) -> Style:
    colours, markers = len(COLOURS), len(MARKERS)
    dash = DASHES[n // colours % len(DASHES)]
    return Style(COLOURS[n % colours], dash, MARKERS[(n + n // (colours * len(DASHES))) % markers], label, systems)
