"""Tables in Markdown, with pipes, as GitHub and most wikis show them."""

from docmt.reporting.exports.text_table import Text, TextTable

SIGNS = r"\`*_{}[]<>#|~!&$"
"""The signs that Markdown would read as marks of its own."""


def escaped(text: str) -> str:
    """Return a text as Markdown prints it, on one line."""
    return "".join(f"\\{sign}" if sign in SIGNS else sign for sign in " ".join(text.split("\n")))


def to_markdown(table: TextTable, title: str) -> str:
    """Return a table below its title; the headings of a column are joined, since Markdown has one line of them.

    A heading over the whole table is a row with a bold first cell.
    """
    lines = [_line([escaped(name) for name in table.names])]
    lines.append(_line([":--"] * table.left + ["--:"] * (table.width - table.left)))
    lines += [_line(_row(row, table.width)) for row in table.rows]
    notes = [f"{escaped(note)}\n" for note in table.notes]
    return "\n".join((f"**{escaped(title)}**", "", *lines, "", *notes))


def _row(row: tuple[Text, ...], width: int) -> list[str]:
    """Return the cells of a row; a heading has empty cells behind its own."""
    if len(row) < width:
        return [f"**{escaped(row[0].text)}**"] + [""] * (width - 1)
    return [_cell(cell) for cell in row]


def _cell(cell: Text) -> str:
    """Return a cell with its marks; the best number of a column is bold, and a mark that is a digit is raised."""
    best = f"**{escaped(cell.best)}**" if cell.best else ""
    marks = escaped(cell.marks)
    return best + escaped(cell.text) + (f"<sup>{marks}</sup>" if marks[:1].isdigit() else marks)


def _line(cells: list[str]) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(cells)} |"
