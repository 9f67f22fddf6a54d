"""Functions and settings that all forms of contrastive sets share.

The files of these forms have contrastive items but no documents.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from docmt.base.checks import needed, some
from docmt.base.errors import UserError
from docmt.catalogue.forms import CONTRASTIVE, FileReaderConfig, Languages
from docmt.corpus.inputs import ContrastiveItem, Problems, ReaderInputs

EOS = re.compile(r"(?<!\S)_eos(?!\S)")
"""The symbol `_eos` between the sentences of a text, as in the sets of Voita et al. (2019)."""

Records = Iterable[tuple[Any, str]]
"""The records from which the items of a set are built, each with its place in the form in which messages show it."""


@dataclass(frozen=True)
class ContrastiveReaderConfig(FileReaderConfig):
    """The settings that all forms of contrastive sets have.

    `sets` has the file of each set, by the name of the set. A reader may add the name of a part of the set after a
    slash, as in `anaphora/f.sg`.
    """

    PATHS: ClassVar = ("sets",)

    sets: dict[str, str] = needed(
        "file of each contrastive set, by the name of the set", some("one set or more", found="nothing")
    )

    def files_of_splits(self, languages: Languages) -> dict[str, list[str]]:
        """Return all paths except that of the archive, as the files of the contrastive sets."""
        return {CONTRASTIVE: [path for place, path in self.paths if place != ("archive",)]}

    def limited(self, splits: Collection[str]) -> Self | None:
        """Return this reader where `splits` has CONTRASTIVE, the key of the contrastive sets; else None."""
        return self if CONTRASTIVE in splits else None


def split_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text, which `_eos` separates, without outer white space."""
    return tuple(sentence.strip() for sentence in EOS.split(text))


def joined_sentences(sentences: Iterable[str]) -> str:
    """Return the text that `split_sentences` splits into `sentences`."""
    return " _eos ".join(sentences)


def numbered(records: Iterable[Any], where: str) -> Records:
    """Return the records with their places: `where` and the number from 1, as in `a.json, item 1`."""
    return ((record, f"{where} {number}") for number, record in enumerate(records, 1))


def items_of(
    records: Records, make_item: Callable[[Any, str], ContrastiveItem], problems: Problems
) -> Iterator[ContrastiveItem]:
    """Yield the item that `make_item` builds from each record.

    A UserError of `make_item` is reported to `problems`; then the next record is read.
    """
    for record, where in records:
        try:
            item = make_item(record, where)
        except UserError as problem:
            problems.report(problem.what, where=problem.where, found=problem.found, expected=problem.expected)
        else:
            yield item


def items_of_list(
    inputs: ReaderInputs, file: str, noun: str, make_item: Callable[[Any, str], ContrastiveItem]
) -> Iterator[ContrastiveItem]:
    """Yield the items of a JSON list; messages call a record by `noun` and its number, as in `item 3`."""
    records = numbered(read_json(inputs, file, list), f"{inputs.display_name(file)}, {noun}")
    return items_of(records, make_item, inputs.problems)


def read_json(inputs: ReaderInputs, file: str, expected_type: type) -> Any:
    """Read a JSON file with a value of `expected_type`, list or dict. Raises UserError for any other content."""
    file_name = inputs.display_name(file)
    try:
        value = json.loads(inputs.text(file))
    except json.JSONDecodeError as problem:
        raise UserError("not JSON", where=f"{file_name}:{problem.lineno}", found=problem.msg) from None
    except (ValueError, RecursionError) as problem:  # a number of thousands of digits; deeply nested lists
        raise UserError("not JSON", where=file_name, found=problem) from None
    if not isinstance(value, expected_type):
        expected = {list: "a list of items", dict: "an object of items"}[expected_type]
        raise UserError("not a contrastive set", where=file_name, found=type(value).__name__, expected=expected)
    return value


def json_text(value: Any) -> str:
    """Return the content of a JSON file of a fixture."""
    return json.dumps(value, ensure_ascii=False, indent=1)


def field(record: Any, name: str, expected_type: type, where: str) -> Any:
    """Return `record[name]`. Raises UserError where this field is missing, or is not of `expected_type`."""
    if not isinstance(record, dict) or not isinstance(record.get(name), expected_type):
        contents = ", ".join(record) if isinstance(record, dict) else type(record).__name__
        raise UserError(
            "not a contrastive item", where=where, found=contents, expected=f"{name!r}, a {expected_type.__name__}"
        )
    return record[name]


def texts_of(record: Any, name: str, where: str) -> tuple[str, ...]:
    """Return the texts of the list `record[name]`, stripped. Raises UserError for an empty list or other values."""
    texts = field(record, name, list, where)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise UserError("not a contrastive item", where=where, found=texts, expected=f"{name!r}, a list of texts")
    return tuple(text.strip() for text in texts)


def item_of(
    name: str, distance: int, source: tuple[str, ...], targets: list[tuple[str, ...]], correct: int, where: str
) -> ContrastiveItem:
    """Build a contrastive item from whole translations, which differ in their last sentences only.

    `targets` has the translations; a translation is a tuple of sentences. Raises UserError where the translations
    differ before the last sentence, or where the number of their sentences differs from that of the source.
    """
    lengths = {len(target) for target in targets}
    if lengths != {len(source)}:
        counts = f"{len(source)} source and {', '.join(map(str, sorted(lengths)))} target sentences"
        raise UserError("translation has a different number of sentences than the source", where=where, found=counts)
    contexts = {target[:-1] for target in targets}
    if len(contexts) > 1:
        raise UserError("translations differ before the last sentence", where=where)
    variants = tuple(target[-1] for target in targets)
    return ContrastiveItem(name, distance, source, contexts.pop(), variants, correct, where)
