"""LaTeX, Markdown and Parquet of a table: they say what its page and its records say, and other programs read them."""

import re
import subprocess

import pandas
import polars
import pytest
from helpers.support import need
from markdown_it import MarkdownIt

from docmt.reporting.exports import endings_of, text_table, write_exports
from docmt.reporting.pieces import Piece, pieces
from docmt.reporting.text_table import (
    ESCAPES,
    Text,
    TextTable,
    in_latex,
    in_markdown,
    of_records,
    to_latex,
    to_markdown,
)

CORPUS = "toy_zh-en"
SIGNS = "".join(ESCAPES).replace("\n", "") + "\\`*_{}[]<>#|~!&$%^ a"
ODD = TextTable(
    ((("", 1), ("a_b & c", 2)), (("System", 1), ("x|y", 1), ("z ↓", 1))),
    ((Text("Heading 100 %"),), (Text("a*b*", "1"), Text("−1.50 ± 0.20", "[a]‡"), Text("–"))),
    ("[a] not comparable because p < 0.05", "† and ‡"),
)


def piece(world, name: str) -> Piece:
    return next(piece for piece in pieces(world.load()) if piece.name == name)


def rendered(text: str) -> list[list[str]]:
    """The cells of a table in Markdown as a renderer shows them, a list for each line."""
    html = MarkdownIt("commonmark").enable("table").render(text)
    lines = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.DOTALL) for line in lines]
    plain = [[re.sub(r"</?(strong|em|sup)>", "", cell) for cell in line] for line in cells]
    signs = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&"}
    return [[re.sub("|".join(signs), lambda sign: signs[sign[0]], cell) for cell in line] for line in plain]


def wide(row: tuple[Text, ...], width: int) -> list[str]:
    """The texts of a row with those of the columns that a heading spans."""
    return [cell.plain for cell in row] + [""] * (width - len(row))


@pytest.mark.parametrize("name", ["table1", "odd"])
def test_markdown_renders_to_a_table_with_equal_cells(full, name):
    table = ODD if name == "odd" else text_table(piece(full, name))
    head, *rows = rendered(to_markdown(table, "A title"))
    assert head == table.names
    assert rows == [wide(row, table.width) for row in table.rows]


def test_the_texts_of_a_table_are_those_of_its_page(full):
    content = piece(full, "table1").content
    table = text_table(piece(full, "table1"))
    rows = {row[0].text: row for row in table.rows}
    assert table.width == 1 + sum(3 if column.has_published else 1 for column in content.columns)
    for row in content.rows:
        texts = rows[row.label or row.group]
        for cell in row.cells:
            if cell.measured is not None:
                assert any(text.plain.startswith(f"{cell.measured:.{cell.decimals}f}") for text in texts)
    assert [cell.plain for cell in rows["Sentence"]][1:4] == ["19.50", "20.00 (1 of 2 seeds)", "+0.50"]


def test_the_difference_to_the_baseline_stands_behind_the_number(full):
    rows = [{"system": "sentence"}, {"system": "concat_3"}]
    full.score("sentence", 1, bleu=20.0)
    full.score("concat_3", 1, bleu=22.5)
    full.table("compared", rows, ["s-BLEU"], baseline="sentence")
    first, second = text_table(piece(full, "compared")).rows
    assert first[1].plain.startswith("20.00") and "+" not in first[1].plain
    assert second[1].plain.startswith("22.50 (+2.50)")


def test_the_best_number_is_bold_intervals_stand_behind_and_a_reason_is_one_note(full):
    full.settings["not_run"] = {f"{CORPUS}/never_run": "no file"}
    full.score("sentence", 1, bleu=20.0, scores={"LTCR": (91.0, 90.1, 99.2)})
    full.score("concat_3", 1, bleu=22.5, scores={"LTCR": (95.0, 90.1, 99.2)})
    rows = [{"system": name} for name in ("sentence", "concat_3", "never_run")]
    full.table("compared", rows, ["s-BLEU", "LTCR"], baseline="sentence")
    table = text_table(piece(full, "compared"))
    assert [row[2].best for row in table.rows] == ["", "95.00", ""]
    assert table.rows[1][2].plain.startswith("95.00 [90.10, 99.20] (+4.00)")
    assert [cell.plain for cell in table.rows[2][1:]] == ["not run1", "not run1"]
    assert table.notes[0] == "(1) not run: no file"
    assert "| not run<sup>1</sup> |" in to_markdown(table, "T"), "a digit behind a word or number is no part of it"
    assert r"\textbf{95.00} {[}90.10, 99.20{]}" in to_latex(table, "T", "t")
    assert "**95.00** \\[90.10, 99.20\\]" in to_markdown(table, "T")


def test_a_table_of_records_has_each_value():
    table = of_records([{"a": 1, "b": [1, 2]}, {"a": None, "c_d": "x"}])
    assert table.names == ["a", "b", "c d"]
    assert [[cell.text for cell in row] for row in table.rows] == [["1", "1, 2", "–"], ["–", "–", "x"]]
    assert of_records([]).names == ["nothing"]


def test_latex_has_balanced_braces_and_each_row_fills_the_table():
    text = to_latex(ODD, "100 % of {x}", "a_b")
    assert len(re.findall(r"(?<!\\)\{", text)) == len(re.findall(r"(?<!\\)\}", text))
    rows = re.search(r"\\toprule\n(.*)\\bottomrule", text, re.DOTALL)[1]
    for line in re.findall(r"(.*) \\\\\n", rows):
        spans = [int(span) for span in re.findall(r"\\multicolumn\{(\d)\}", line)]
        assert len(re.split(r"(?<!\\)&", line)) - len(spans) + sum(spans) == ODD.width
    assert r"\cmidrule(lr){2-3}" in text and r"\label{tab:a-b}" in text
    assert r"\multicolumn{3}{l}{Heading 100 \%} \\" in text


@pytest.mark.parametrize("sign", sorted(set(SIGNS)))
def test_each_sign_is_printed_as_it_is(sign):
    assert "\\" in in_latex(sign) or sign not in "&%$#_{}~^\\"
    assert MarkdownIt().renderInline(in_markdown(f"a{sign}b")) == MarkdownIt().renderInline(f"a\\{sign}b") or (
        sign not in "\\`*_{}[]<>#|~!&$"
    )


def test_letters_of_other_scripts_are_told(full):
    assert "XeLaTeX" not in to_latex(ODD, "Title", "t")
    assert "XeLaTeX" in to_latex(ODD, "他", "t")


def test_latex_compiles(full, tmp_path):
    need("pdflatex")
    every = TextTable(((("Sign", 1), ("As text", 1)),), tuple((Text(sign), Text(f"[{sign}", sign)) for sign in SIGNS))
    tables = (ODD, every, text_table(piece(full, "table1")))
    body = "".join(to_latex(table, f"Table {SIGNS}", f"t{n}") for n, table in enumerate(tables))
    head = r"\documentclass{article}\usepackage{booktabs, graphicx}\begin{document}"
    document = f"{head}\n{body}\\end{{document}}"
    (tmp_path / "t.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=60)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "t.pdf").read_bytes().startswith(b"%PDF")


def test_parquet_has_the_records_with_their_types(full, tmp_path):
    item = piece(full, "table1")
    write_exports(item, full.load(), tmp_path / "table1.html")
    assert {path.name for path in tmp_path.glob("table1.*")} == {f"table1.{ending}" for ending in endings_of(item)}
    table = polars.read_parquet(tmp_path / "table1.parquet")
    assert len(pandas.read_parquet(tmp_path / "table1.parquet")) == table.height == len(item.records)
    for row, record in zip(table.iter_rows(named=True), item.records, strict=True):
        assert (row["measured"], row["values"]) == (record.get("measured"), record.get("values"))
        assert row["published"] in (None, str(record["published"]), record["published"])


def test_only_tables_have_latex_and_markdown(full):
    endings = {piece.name: endings_of(piece) for piece in pieces(full.load())}
    assert "tex" in endings["table1"]
    assert all("tex" not in names for name, names in endings.items() if name.startswith("figure"))
