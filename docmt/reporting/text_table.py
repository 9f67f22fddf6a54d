"""A table as texts, its headings, its rows, and the notes below it; and these in LaTeX and in Markdown.

A document includes the LaTeX with `\\input`; it needs the packages booktabs and graphicx. The Markdown has pipes, as
GitHub and most wikis show them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from docmt.reporting.formats import NONE, number, printed, signed
from docmt.reporting.table import Cell, Column, Drop, Row, Table

LETTERS = "abcdefghijklmnopqrstuvwxyz"  # The letters of the reasons why numbers are not comparable, as on the page.
THREE = ("published", "measured", "difference")  # The columns of a metric with published numbers.

# What LaTeX writes for a sign. A bracket at the start of a row would be an option of the line break before it.
ESCAPES = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    '"': "''",
    "[": "{[}",
    "]": "{]}",
    "–": "--",
    "—": "---",
    "−": "$-$",
    "±": r"$\pm$",
    "°": r"$^\circ$",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "↓": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "→": r"$\rightarrow$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    "…": r"\dots{}",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "\u202f": r"\,",
    "\u00a0": "~",
    "\n": " ",
}
# The beginning of a box that makes a table as narrow as the text, where it would be wider.
SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
LATIN = 0x250  # The first code of a letter that the fonts of pdfLaTeX may lack.
PACKAGES = r"% Needs \usepackage{booktabs, graphicx}."
OTHER_SCRIPTS = "% It has letters that are not Latin: use XeLaTeX or LuaLaTeX, and a font that has them."
# The signs that Markdown would read as marks of its own.
SIGNS = r"\`*_{}[]<>#|~!&$"


@dataclass(frozen=True)
class Text:
    """A text of a cell, and the marks behind it. `best`: the best number of a column, which begins the cell in bold."""

    text: str
    marks: str = ""
    best: str = ""

    @property
    def plain(self) -> str:
        """All of the cell, without bold and raised letters."""
        return self.best + self.text + self.marks


@dataclass(frozen=True)
class TextTable:
    """A table as texts."""

    # Lines of headings, each of (text, number of columns); every line is as wide as the table.
    headings: tuple[tuple[tuple[str, int], ...], ...]
    rows: tuple[tuple[Text, ...], ...]  # A cell for each column; a row of one cell is a heading over the whole table.
    notes: tuple[str, ...] = ()  # Sentences below the table.
    left: int = 1  # The number of columns with text, which come first and are aligned on the left.

    @property
    def width(self) -> int:
        """The number of columns."""
        return sum(span for _, span in self.headings[0])

    @property
    def names(self) -> list[str]:
        """One name for each column: its headings in all lines, joined."""
        lines = [[text for text, span in line for _ in range(span)] for line in self.headings]
        return [", ".join(dict.fromkeys(filter(None, column))) for column in zip(*lines, strict=True)]


def of_systems(table: Table) -> TextTable:
    """Return a table of systems as the page shows it: published, measured, difference, and the marks of each cell."""
    spans = [3 if column.has_published else 1 for column in table.columns]
    groups = [(label, sum(3 if column.has_published else 1 for column in columns)) for label, columns in table.groups]
    metrics = [(_metric(column), span) for column, span in zip(table.columns, spans, strict=True)]
    kinds = [(name, 1) for span in spans for name in (THREE if span == 3 else ("measured",))]
    if table.drop:
        groups, metrics = [*groups, ("Drop", 3)], [*metrics, (table.drop, 3)]
        kinds = [*kinds, *((name, 1) for name in THREE)]
    has_published = any(name != "measured" for name, _ in kinds)
    lines = (groups, metrics, kinds) if has_published else (groups, metrics)
    headings = tuple(((table.head if line is lines[-1] else "", 1), *line) for line in lines)
    rows = tuple(tuple(_row(row, table)) for row in table.rows)
    return TextTable(headings, rows, tuple(_notes(table)))


def _metric(column: Column) -> str:
    """Return the heading of a metric, with an arrow where lower is better."""
    name = column.metric.replace("_", " ").replace(":", ": ")
    return f"{name} ↓" if column.lower_is_better else name


def _row(row: Row, table: Table) -> Iterator[Text]:
    if row.group:
        yield Text(row.group)
        return
    yield Text(row.label, str(table.footnotes.index(row.note) + 1) if row.note else "")
    for cell, column in zip(row.cells, table.columns, strict=True):
        yield from _three(cell, measured(cell, table), column.has_published)
    if row.drop is not None:
        yield from _three(row.drop, Text(signed(row.drop.measured, row.drop.decimals)), True)
    elif table.drop:
        yield from (Text(NONE) for _ in THREE)


def _three(cell: Cell | Drop, text: Text, has_published: bool) -> Iterator[Text]:
    """Yield the measured number of a cell, between the published number and the difference where there are any."""
    if has_published:
        yield Text(_published(cell.published, cell.decimals))
    yield text
    if has_published:
        yield Text(signed(cell.difference, cell.decimals))


def _published(value: float | str | None, decimals: int) -> str:
    return printed(value, decimals) if isinstance(value, int | float) else value or NONE


def measured(cell: Cell, table: Table) -> Text:
    """Return the measured number with its marks, or a word for its absence; the reason is a footnote of the table."""
    if cell.measured is None:
        footnote = str(table.footnotes.index(cell.footnote) + 1) if cell.footnote else ""
        return Text(NONE if cell.status in ("published only", "documents only") else cell.word, footnote)
    figure = number(cell.measured, cell.decimals)
    text = "" if cell.is_best else figure
    if cell.low is not None:
        text = f"{text} [{number(cell.low, cell.decimals)}, {number(cell.high, cell.decimals)}]"
    if cell.baseline_difference is not None:
        text = f"{text} ({signed(cell.baseline_difference, cell.decimals)})"
    if cell.deviation is not None:
        text = f"{text} ± {number(cell.deviation, cell.decimals)}"
    if len(cell.values) < cell.seeds:
        text = f"{text} ({len(cell.values)} of {cell.seeds} seeds)"
    letters = "".join(LETTERS[table.reasons.index(reason) % 26] for reason in cell.not_comparable)
    signs = ("°" if cell.random or cell.generated else "") + ("!" if cell.warnings else "")
    untested = f"({table.footnotes.index(cell.untested) + 1})" if cell.untested else ""
    marks = f"{signs}{f'[{letters}]' if letters else ''}{cell.mark}{untested}"
    return Text(text, marks, figure if cell.is_best else "")


def _notes(table: Table) -> Iterator[str]:
    yield from (f"({place}) {note}" for place, note in enumerate(table.footnotes, 1))
    yield from (f"[{LETTERS[n % 26]}] not comparable because {reason}" for n, reason in enumerate(table.reasons))
    if any(cell.is_best for cell in table.cells):
        yield "Bold: the best number of a column."
    if table.intervals:
        yield "In square brackets: the 95 % interval."
    if table.marks:
        yield table.marks
    if table.generated:
        yield f"° of lines generated from the references in place of translations ({', '.join(table.generated)})"
    if table.warnings:
        yield f"! of text that may not be what the metric expects: {' '.join(table.warnings)}"
    if table.random:
        yield f"° by a small random model in place of a pretrained one ({', '.join(table.random)})"


def keys_of(records: Sequence[dict[str, Any]]) -> list[str]:
    """Return the keys of records, each once: the header of a file, which needs one also where there are no records."""
    return list(dict.fromkeys(key for record in records for key in record)) or ["nothing"]


def of_records(records: Sequence[dict[str, Any]]) -> TextTable:
    """Return flat records as a table with a column for each key; numbers are not rounded."""
    names = keys_of(records)
    rows = tuple(tuple(Text(_value(record.get(name))) for name in names) for record in records)
    return TextTable((tuple((name.replace("_", " "), 1) for name in names),), rows, left=len(names))


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or NONE
    return NONE if value is None or value == "" else str(value)


def in_latex(text: str) -> str:
    """Return a text as LaTeX prints it."""
    return "".join(ESCAPES.get(sign, sign) for sign in text)


def to_latex(table: TextTable, title: str, label: str) -> str:
    """Return a floating table with a caption, its notes below it in small type.

    `title`: the caption. `label`: the name by which `\\ref` finds the table.
    """
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{in_latex(title)}}}", rf"\label{{{_label(label)}}}"]
    lines += [
        SHRUNK,
        *_tabular(table),
        "}",
        *(rf"\par\footnotesize {in_latex(note)}" for note in table.notes),
        r"\end{table}",
    ]
    body = "\n".join(lines)
    needs = [PACKAGES, *([OTHER_SCRIPTS] if any(ord(sign) >= LATIN for sign in body) else [])]
    return "\n".join((*needs, body, ""))


def _label(name: str) -> str:
    """Return a label without signs that LaTeX would read as commands."""
    return "tab:" + "".join(sign if sign.isalnum() and sign.isascii() else "-" for sign in name)


def _tabular(table: TextTable) -> Iterator[str]:
    yield rf"\begin{{tabular}}{{@{{}}{'l' * table.left}{'r' * (table.width - table.left)}@{{}}}}"
    yield r"\toprule"
    for line in table.headings:
        yield " & ".join(_spanned(in_latex(text), span) for text, span in line) + r" \\"
        yield from _rules(line)
    yield r"\midrule"
    for row in table.rows:
        cells = [_spanned(_latex_cell(row[0]), table.width, "l")] if len(row) < table.width else map(_latex_cell, row)
        yield " & ".join(cells) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _rules(line: tuple[tuple[str, int], ...]) -> Iterator[str]:
    start, rules = 1, []
    for _, span in line:
        if span > 1:
            rules.append(rf"\cmidrule(lr){{{start}-{start + span - 1}}}")
        start += span
    if rules:
        yield " ".join(rules)


def _spanned(text: str, span: int, align: str = "c") -> str:
    return rf"\multicolumn{{{span}}}{{{align}}}{{{text}}}" if span > 1 else text


def _latex_cell(cell: Text) -> str:
    best = rf"\textbf{{{in_latex(cell.best)}}}" if cell.best else ""
    return best + in_latex(cell.text) + (rf"\textsuperscript{{{in_latex(cell.marks)}}}" if cell.marks else "")


def in_markdown(text: str) -> str:
    """Return a text as Markdown prints it, on one line."""
    return "".join(f"\\{sign}" if sign in SIGNS else sign for sign in " ".join(text.split("\n")))


def to_markdown(table: TextTable, title: str) -> str:
    """Return a table below its title; a heading over the whole table is a row with a bold first cell."""
    # The headings of a column are joined, since Markdown has one line of them.
    lines = [_markdown_line([in_markdown(name) for name in table.names])]
    lines.append(_markdown_line([":--"] * table.left + ["--:"] * (table.width - table.left)))
    lines += [_markdown_line(_markdown_row(row, table.width)) for row in table.rows]
    notes = [f"{in_markdown(note)}\n" for note in table.notes]
    return "\n".join((f"**{in_markdown(title)}**", "", *lines, "", *notes))


def _markdown_row(row: tuple[Text, ...], width: int) -> list[str]:
    if len(row) < width:
        return [f"**{in_markdown(row[0].text)}**"] + [""] * (width - 1)
    return [_markdown_cell(cell) for cell in row]


def _markdown_cell(cell: Text) -> str:
    best = f"**{in_markdown(cell.best)}**" if cell.best else ""
    marks = in_markdown(cell.marks)
    return best + in_markdown(cell.text) + (f"<sup>{marks}</sup>" if marks[:1].isdigit() else marks)


def _markdown_line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
