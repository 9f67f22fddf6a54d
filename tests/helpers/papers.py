"""The tables of the papers, taken out of their text cell by cell. Nothing here has read a study.

A table is its rows in order, each the key of its label and its cells: the printed number by (printed heading of the
column, printed heading of the number). A heading across the table is a row without cells; what is printed as `-`, `NA`
or nothing is no cell.
"""

import re
from pathlib import Path

Head = tuple[str, str]
Row = tuple[str, dict[Head, str]]
Table = list[Row]

FILES = {
    "long-short": "long-short-term-masking.txt",
    "lexical-chains": "lexical-chain-consistency.txt",
    "g-transformer": "g-transformer.txt",
}
OPEN = "lexical-chains-open"
"""The study with the systems of lexical-chains on open text."""
CONTRASTIVE = "contrastive-sets"
"""The study of rates on contrastive sets."""
NOTHING = ("", "-", "NA")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
DROP = ("", "Drop")


def read_paper(shared: Path, study: str) -> str:
    return (shared / "papers" / FILES[study]).read_text(encoding="utf-8")


def key(label: str) -> str:
    """A label without what only sets it: `HAN Miculicich et al. (2018b)` is `HAN (Miculicich et al. 2018b)`."""
    plain = re.sub(r"<[^>]*>|\((?:ours|baseline)\)", "", label)
    return "".join(letter for letter in plain.casefold() if letter.isalnum())


def caption_line(lines: list[str], caption: str) -> int:
    (number,) = [number for number, line in enumerate(lines) if line.startswith(caption)]
    return number


def above(text: str, caption: str, head: str | None = None) -> list[str]:
    """The lines of the table whose caption starts like this: from the last heading before it, or from an empty line."""
    lines = text.splitlines()
    end = caption_line(lines, caption)
    while not lines[end - 1].strip():
        end -= 1
    start = end - 1
    while not lines[start].startswith(head) if head else lines[start - 1].strip():
        start -= 1
    return lines[start:end]


def cell(printed: str) -> str | None:
    """The number alone, without marks of significance, bold type and units."""
    plain = re.sub(r"<[^>]*>|[‡*]", "", printed).strip()
    if plain in NOTHING:
        return None
    number = plain.rstrip("%MK")
    assert NUMBER.fullmatch(number), printed
    return number


def cells(heads: list[Head], printed: list[str]) -> dict[Head, str]:
    numbers = {head: cell(text) for head, text in zip(heads, printed, strict=True)}
    return {head: number for head, number in numbers.items() if number is not None}


def g_transformer(text: str, number: int) -> Table:
    """Tables 2 to 7: words parted by blanks, numbers at the end of the line."""
    caption = f"Table {number}:"
    head, *lines = above(text, caption, head="Method ")
    columns = head.split()[1:]
    stated = re.search(r"reporting in ([sd]-BLEU)", text.splitlines()[caption_line(text.splitlines(), caption)])
    if lines[0].startswith("s-BLEU"):
        metrics = lines.pop(0).split()
        each = len(metrics) // len(columns)
        heads = [(columns[place // each], name) for place, name in enumerate(metrics)]
    elif stated:
        heads = [DROP if name == "Drop" else (name, stated[1]) for name in columns]
    else:
        heads = [("", name) for name in columns]
    return [_words_and_numbers(line, heads) for line in lines]


def _words_and_numbers(line: str, heads: list[Head]) -> Row:
    words = line.split()
    label, numbers = words[: -len(heads)], words[-len(heads) :]
    if not label or not all(word == "-" or NUMBER.fullmatch(word.rstrip("*")) for word in numbers):
        return key(line), {}
    return key(" ".join(label)), cells(heads, numbers)


def g_transformer_counts(text: str) -> Table:
    """Table 1: `0.21M/9K/2.3K` are train, dev and test; only the first row has the languages before the name."""
    head, splits, *rows = above(text, "Table 1:", head="Language ")
    pairs = zip(splits.split(), re.findall(r"(?:Avg )?#\S+", head), strict=True)
    heads = [(split, count) for names, count in pairs for split in names.split("/")]
    table = []
    for row in rows:
        name, *words = row.removeprefix("En-De ").split()
        printed = [number for word in words for number in word.split("/")]
        table.append((key(name), dict(zip(heads, printed, strict=True))))
    return table


def lexical_chains(text: str, number: int) -> Table:
    """Tables 1 to 8: cells parted by tabs; labels stand in the column Model, or in the first.

    A heading of several columns stands over the first of them; Table 6 names its metric in the caption alone.
    """
    head, *lines = [line.split("\t") for line in above(text, f"Table {number}:")]
    place = head.index("Model") if "Model" in head else 0
    names = head[place + 1 :]
    if not lines[0][place]:
        columns = [next(filter(None, names[at::-1])) for at in range(len(names))]
        heads = list(zip(columns, lines.pop(0)[place + 1 :], strict=True))
    elif f"Table {number}: HHI" in text:
        heads = [(name, "HHI") for name in names]
    else:
        heads = [("", name) for name in names]
    return [
        (key(line[place]), cells(heads, line[place + 1 :])) if any(line[place + 1 :]) else (key("".join(line)), {})
        for line in lines
    ]


def long_short(text: str) -> Table:
    """Table 2: the beam is part of the label; a label or a size that is left out is that of the row above."""
    head, *lines = [line.split("\t") for line in above(text, "Table 2:")]
    assert head[:3] == ["Models", "Model Size", "Beam"]
    heads, label, size, table = [("", name) for name in (head[1], *head[3:])], "", "", []
    for line in lines:
        label, size = line[0] or label, line[1] or size
        table.append((key(f"{label} beam {line[2]}"), cells(heads, [size, *line[3:]])))
    return table


def passages(text: str, number: int) -> list[dict[str, str]]:
    """Examples of long-short's Tables 1 and 3, each with a text of every kind: Src, Ref, Sys0 and so on."""
    examples: list[dict[str, str]] = []
    for line in above(text, f"Table {number}: Examples"):
        kind, content = line.split("\t")
        if kind == "Src":
            examples.append({})
        examples[-1][kind] = " ".join(content.split())
    return examples
