"""Tables in LaTeX, which a document includes with `\\input`; they need the packages booktabs and graphicx."""

from collections.abc import Iterator

from docmt.reporting.exports.text_table import Text, TextTable

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
"""What LaTeX writes for a sign. A bracket at the start of a row would be an option of the line break before it."""
SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""The beginning of a box that makes a table as narrow as the text, where it would be wider."""
LATIN = 0x250
"""The first code of a letter that the fonts of pdfLaTeX may lack."""
PACKAGES = r"% Needs \usepackage{booktabs, graphicx}."
OTHER_SCRIPTS = "% It has letters that are not Latin: use XeLaTeX or LuaLaTeX, and a font that has them."


def escaped(text: str) -> str:
    """Return a text as LaTeX prints it."""
    return "".join(ESCAPES.get(sign, sign) for sign in text)


def to_latex(table: TextTable, title: str, label: str) -> str:
    """Return a floating table with a caption, its notes below it in small type.

    `title`: the caption. `label`: the name by which `\\ref` finds the table.
    """
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{escaped(title)}}}", rf"\label{{{_label(label)}}}"]
    lines += [
        SHRUNK,
        *_tabular(table),
        "}",
        *(rf"\par\footnotesize {escaped(note)}" for note in table.notes),
        r"\end{table}",
    ]
    body = "\n".join(lines)
    needs = [PACKAGES, *([OTHER_SCRIPTS] if any(ord(sign) >= LATIN for sign in body) else [])]
    return "\n".join((*needs, body, ""))


def _label(name: str) -> str:
    """Return a label without signs that LaTeX would read as commands."""
    return "tab:" + "".join(sign if sign.isalnum() and sign.isascii() else "-" for sign in name)


def _tabular(table: TextTable) -> Iterator[str]:
    """Yield the lines of the tabular: headings between rules, then the rows."""
    yield rf"\begin{{tabular}}{{@{{}}{'l' * table.left}{'r' * (table.width - table.left)}@{{}}}}"
    yield r"\toprule"
    for line in table.headings:
        yield " & ".join(_spanned(escaped(text), span) for text, span in line) + r" \\"
        yield from _rules(line)
    yield r"\midrule"
    for row in table.rows:
        cells = [_spanned(_cell(row[0]), table.width, "l")] if len(row) < table.width else map(_cell, row)
        yield " & ".join(cells) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _rules(line: tuple[tuple[str, int], ...]) -> Iterator[str]:
    """Yield a rule below each heading of several columns."""
    start, rules = 1, []
    for _, span in line:
        if span > 1:
            rules.append(rf"\cmidrule(lr){{{start}-{start + span - 1}}}")
        start += span
    if rules:
        yield " ".join(rules)


def _spanned(text: str, span: int, align: str = "c") -> str:
    """Return a cell over several columns."""
    return rf"\multicolumn{{{span}}}{{{align}}}{{{text}}}" if span > 1 else text


def _cell(cell: Text) -> str:
    """Return a cell with its marks raised."""
    best = rf"\textbf{{{escaped(cell.best)}}}" if cell.best else ""
    return best + escaped(cell.text) + (rf"\textsuperscript{{{escaped(cell.marks)}}}" if cell.marks else "")
