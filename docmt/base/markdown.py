"""Parts of pages in Markdown: fields in YAML at the beginning, tables, and blocks of code."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml


def front_matter(fields: Mapping[str, Any]) -> str:
    """Return fields as the lines in YAML with which the card of a data set or of a model begins."""
    return f"---\n{yaml.safe_dump(dict(fields), sort_keys=False, allow_unicode=True, width=1000)}---\n"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; a bar in a cell is escaped."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def fenced(text: str, form: str) -> str:
    """Return a text as a block of code, between more backticks than follow each other in the text."""
    runs = [len(run) for run in re.findall("`+", text)]
    fence = "`" * max(3, *(run + 1 for run in runs)) if runs else "```"
    return f"{fence}{form}\n{text.rstrip()}\n{fence}"
