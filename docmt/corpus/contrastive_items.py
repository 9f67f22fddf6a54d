"""What forms of contrastive sets have in common; they give no documents."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from docmt.base.checks import need
from docmt.base.errors import UserError
from docmt.catalogue.forms import CONTRASTIVE, FileReaderConfig, Languages
from docmt.corpus.inputs import ContrastiveItem, Problems, ReaderInputs

EOS = re.compile(r"(?<!\S)_eos(?!\S)")
"""Between the sentences of one text, as in the sets of Voita et al. (2019)."""

Records = Iterable[tuple[Any, str]]
"""What the items of a set are made of, and where each stands."""


@dataclass(frozen=True)
class ContrastiveReaderConfig(FileReaderConfig):
    """What all of them are told. `sets`: a file by the name that its set has here.

    Readers name parts of a set after a slash: `anaphora/f.sg`.
    """

    PATHS: ClassVar = ("sets",)

    sets: dict[str, str]

    def __post_init__(self) -> None:
        super().__post_init__()
        need(bool(self.sets), "sets", "nothing", "one set or more")

    def files_of_splits(self, languages: Languages) -> dict[str, list[str]]:
        return {CONTRASTIVE: [path for place, path in self.paths if place != ("archive",)]}

    def limited(self, splits: Collection[str]) -> Self | None:
        return self if CONTRASTIVE in splits else None


def split_sentences(text: str) -> tuple[str, ...]:
    return tuple(sentence.strip() for sentence in EOS.split(text))


def numbered(records: Iterable[Any], where: str) -> Records:
    """`where`: what each stands in, and what it is called, as in `a.json, item`."""
    return ((record, f"{where} {number}") for number, record in enumerate(records, 1))


def items_of(
    records: Records, make: Callable[[Any, str], ContrastiveItem], problems: Problems
) -> Iterator[ContrastiveItem]:
    """`make` an item of each record; reports what is wrong with one, and goes on with the next."""
    for record, where in records:
        try:
            item = make(record, where)
        except UserError as problem:
            problems.report(problem.what, where=problem.where, found=problem.found, expected=problem.expected)
        else:
            yield item


def items_of_list(
    inputs: ReaderInputs, file: str, called: str, make: Callable[[Any, str], ContrastiveItem]
) -> Iterator[ContrastiveItem]:
    """The same of each record of a JSON list; in messages a record is `called` so."""
    records = numbered(read_json(inputs, file, list), f"{inputs.display_name(file)}, {called}")
    return items_of(records, make, inputs.problems)


def read_json(inputs: ReaderInputs, file: str, form: type) -> Any:
    """A JSON file whose value is a `form`, list or dict. Raises UserError for anything else."""
    shown = inputs.display_name(file)
    try:
        value = json.loads(inputs.text(file))
    except json.JSONDecodeError as problem:
        raise UserError("not JSON", where=f"{shown}:{problem.lineno}", found=problem.msg) from None
    except (ValueError, RecursionError) as problem:  # numbers of thousands of digits, lists in lists in lists ...
        raise UserError("not JSON", where=shown, found=problem) from None
    if not isinstance(value, form):
        expected = {list: "a list of items", dict: "an object of items"}[form]
        raise UserError("not a contrastive set", where=shown, found=type(value).__name__, expected=expected)
    return value


def field(record: Any, name: str, form: type, where: str) -> Any:
    """`record[name]`, a `form`. Raises UserError where the record has no such field."""
    if not isinstance(record, dict) or not isinstance(record.get(name), form):
        found = ", ".join(record) if isinstance(record, dict) else type(record).__name__
        raise UserError("not a contrastive item", where=where, found=found, expected=f"{name!r}, a {form.__name__}")
    return record[name]


def texts_of(record: Any, name: str, where: str) -> tuple[str, ...]:
    """`record[name]`, a list of texts."""
    found = field(record, name, list, where)
    if not found or not all(isinstance(text, str) for text in found):
        raise UserError("not a contrastive item", where=where, found=found, expected=f"{name!r}, a list of texts")
    return tuple(text.strip() for text in found)


def item_of(
    name: str, distance: int, source: tuple[str, ...], targets: list[tuple[str, ...]], correct: int, where: str
) -> ContrastiveItem:
    """`targets`: the whole translations, which are the same but for their last sentences.

    Raises UserError where they are not, or have not as many sentences as the source.
    """
    lengths = {len(target) for target in targets}
    if lengths != {len(source)}:
        found = f"{len(source)} source and {', '.join(map(str, sorted(lengths)))} target sentences"
        raise UserError("a translation of another number of sentences", where=where, found=found)
    contexts = {target[:-1] for target in targets}
    if len(contexts) > 1:
        raise UserError("translations differ before the last sentence", where=where)
    variants = tuple(target[-1] for target in targets)
    return ContrastiveItem(name, distance, source, contexts.pop(), variants, correct, where)
