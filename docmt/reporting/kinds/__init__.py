"""How items are shown: a module for each kind, of the same name as the one in `docmt/kinds` that says what it states.

Each has `made(name, item, results) -> Made`. The template is the one of its name in `templates/kinds`, or another's.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from docmt.kinds.item import Item
from docmt.reporting.results import Results


@dataclass(frozen=True)
class Made:
    """`content`: what the template shows, none where nothing of it was run; `records`: all of it, flat.

    `template`: which of `templates/kinds`, where it is not that of the kind's name.
    """

    content: Any
    records: Iterable[dict]
    template: str = ""


def make(name: str, item: Item, results: Results) -> tuple[Made, str]:
    """An item of the study, and its template."""
    kind = type(item).__module__.rpartition(".")[2]
    made = import_module(f"{__name__}.{kind}").made(name, item, results)
    return made, made.template or f"{kind}.html"
