"""The figures of a report's page as SVG files that stand alone, with titles of panels and legend, for these documents.

    python docs/figures.py results/8_report/paper/failure/by_length.html docs/failure-study

writes docs/failure-study/by_length.svg.
"""

import re
import sys
from html import unescape
from pathlib import Path
from xml.sax.saxutils import escape

NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
TEXT = 'font-family="sans-serif" fill="#333b44"'
TITLE, LINE = 22, 18
"""Heights of what stands above a panel, and of a line of the legend."""

PANEL = re.compile(r'<div class="panel"><h4>(.*?)</h4>(<svg.*?</svg>)\s*</div>', re.DOTALL)
ENTRY = re.compile(r'<li>(<svg class="swatch".*?</svg>)(.*?)</li>', re.DOTALL)
BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


def placed(svg: str, x: float, y: float, width: float, height: float) -> str:
    """A drawing within a drawing."""
    return svg.replace("<svg", f'<svg x="{x}" y="{y}" width="{width}" height="{height}"', 1)


def figure(page: str) -> str:
    """All panels of the page side by side, the legend below them."""
    panels, entries = PANEL.findall(page), ENTRY.findall(page)
    parts, x, bottom = [], 0.0, 0.0
    for title, svg in panels:
        width, height = map(float, BOX.search(svg).groups())
        parts.append(f'<text x="{x + 4}" y="15" font-size="12" font-weight="600" {TEXT}>{label(title)}</text>')
        parts.append(placed(svg, x, TITLE, width, height))
        x, bottom = x + width, max(bottom, TITLE + height)
    for number, (swatch, name) in enumerate(entries):
        top = bottom + 4 + LINE * number
        parts.append(placed(swatch, 8, top, 29, 12))
        parts.append(f'<text x="44" y="{top + 10}" font-size="11" {TEXT}>{label(name)}</text>')
    height = bottom + 8 + LINE * len(entries)
    background = '<rect width="100%" height="100%" fill="white"/>'
    return f'<svg {NAMESPACES} viewBox="0 0 {x:g} {height:g}" width="{x:g}">{background}{"".join(parts)}</svg>\n'


def label(html: str) -> str:
    return escape(unescape(html.strip()))


def main(page: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    drawing = figure(page.read_text(encoding="utf-8"))
    (folder / page.with_suffix(".svg").name).write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
