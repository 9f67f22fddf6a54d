"""The form `contrastive_lines`: contrastive sets as plain lines, two lines for each item, with contexts in other files.

Paper: Lopes et al. (2020), "Document-level Neural MT: A Systematic Comparison". Their large set of pronouns has this
form; their script writes such files from the JSON of a set in ContraPro's form.

The path of a set is that of its target lines, `<prefix>.current.trg`. The first line of an item is the right variant,
the second the wrong one. `<prefix>.current.src` has the source of each line, the same for both variants. With contexts
of N sentences, `<prefix>.cN.context.src` and `.trg` have N lines for each of these lines: the sentences before it. Near
the beginning of a document, where there are not N sentences, all N lines are empty.

The lines state neither pronouns nor distances: `details` names the JSON that does. The lines are in the order of the
names of documents. A wrong variant leads to its record; records with equal wrong variants are taken in this order too.

What was read, and what is inferred: the lines of the large set and its contexts of 1 to 3 sentences have this layout
(14,000 items); 67 items near the beginning of a document have no context of 3 sentences, but one of 1 sentence. The
contexts of 4 and 5 sentences and the JSON were not read: their layout follows from the authors' scripts, and that of
the JSON also from another set of the authors (UN corpus, an earlier commit).
"""

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, takewhile
from typing import Any, ClassVar, Literal

from docmt.base.checks import at_least, need, needed, section, setting
from docmt.base.errors import UserError
from docmt.catalogue.forms import KIND
from docmt.corpus.contrapro_records import distance_of, document_of, pronouns_of, record_of, wrong_variants
from docmt.corpus.contrastive_items import (
    ContrastiveReaderConfig,
    item_of,
    items_of,
    json_text,
    numbered,
    read_json,
)
from docmt.corpus.inputs import ContrastiveItem, FixtureFiles, ReaderInputs, text_of
from docmt.corpus.sides import aligned_rows
from docmt.corpus.stock import Stock, in_parts, with_context, with_right_first

VARIANTS = 2
SIDES = ("src", "trg")
ENDING = ".current.trg"
Pair = tuple[str, str]  # A line of the source and the same line of the target
Details = dict[str, deque[tuple[str, int]]]
"""The pronouns and the distance of each item, by the wrong variant; items with equal ones are in the lines' order."""


@dataclass(frozen=True)
class ContrastiveLinesConfig(ContrastiveReaderConfig):
    """The settings of the form `contrastive_lines`.

    `details` has, by the name of a set, the JSON that states its pronouns and distances. The items of a set without
    this file are in no part, and their distance is 0.
    """

    PATHS: ClassVar = ("sets", "details")

    kind: Literal["contrastive_lines"] = needed(KIND)
    context_sentences: int = setting(
        3, "sentences before the judged one: N of the files `<prefix>.cN.context`; 0 = none is read", at_least(0)
    )
    details: dict[str, str] = section(dict, "by the name of a set, the JSON that states its pronouns and distances")

    def __post_init__(self) -> None:
        """Raise BadValue for a set whose path has another ending, and for `details` of a set that is not there."""
        super().__post_init__()
        for name, path in self.sets.items():
            need(path.endswith(ENDING), f"sets.{name}", path, f"a path that ends in {ENDING}")
        need(self.details.keys() <= self.sets.keys(), "details", list(self.details), f"some of {', '.join(self.sets)}")

    @property
    def paths(self) -> list[tuple[tuple, str]]:
        """The paths that the settings state, and those of the files beside a set, each with its place."""
        beside = (
            (("sets", name), path)
            for name, file in self.sets.items()
            for path in (*self.line_files(file), *self.context_files(file))
            if path != file
        )
        return [*super().paths, *beside]

    def line_files(self, file: str) -> list[str]:
        """Return the paths of the source lines and the target lines of a set."""
        return [f"{file.removesuffix(ENDING)}.current.{side}" for side in SIDES]

    def context_files(self, file: str) -> list[str]:
        """Return the paths of the contexts of a set; there are none for 0 sentences."""
        prefix = f"{file.removesuffix(ENDING)}.c{self.context_sentences}.context"
        return [f"{prefix}.{side}" for side in SIDES] if self.context_sentences else []


def items(config: ContrastiveLinesConfig, inputs: ReaderInputs) -> Iterator[ContrastiveItem]:
    """Yield the items of all sets.

    Reports an item whose two lines differ in source or context, an item that the JSON lacks, and files with unequal
    numbers of lines. Raises UserError for a file that is missing or is no JSON list, for an odd number of lines, and
    for contexts that do not have `context_sentences` lines for each line.
    """
    for name, file in config.sets.items():
        details = _details(inputs, config.details[name]) if name in config.details else None
        yield from items_of(_pairs_of_lines(config, inputs, file), partial(_item, name, details), inputs.problems)


def _pairs_of_lines(
    config: ContrastiveLinesConfig, inputs: ReaderInputs, file: str
) -> Iterator[tuple[list[list[Pair]], str]]:
    """Yield the two lines of each item, each line with its context before it, and the place of the first line."""
    rows = [texts for _, texts in aligned_rows(inputs, config.line_files(file))]
    where, width = inputs.display_name(file), config.context_sentences
    if len(rows) % VARIANTS:
        raise UserError(
            "not two lines for each item", where=where, found=f"{len(rows)} lines", expected="an even number"
        )
    contexts = [texts for _, texts in aligned_rows(inputs, files)] if (files := config.context_files(file)) else []
    if len(contexts) != len(rows) * width:
        raise UserError(
            "context does not fit the lines",
            where=inputs.display_name(files[0]),
            found=f"{len(contexts)} lines",
            expected=f"{len(rows) * width} lines, {width} for each line of {where}",
        )
    whole = [[*contexts[number * width : (number + 1) * width], row] for number, row in enumerate(rows)]
    for first in range(0, len(rows), VARIANTS):
        yield whole[first : first + VARIANTS], f"{where}:{first + 1}"


def _item(name: str, details: Details | None, lines: list[list[Pair]], where: str) -> ContrastiveItem:
    # The context begins after the last line that is empty in one language.
    texts = [[*reversed(list(takewhile(all, reversed(before)))), judged] for *before, judged in lines]
    sources, targets = ([tuple(pair[side] for pair in text) for text in texts] for side in (0, 1))
    if len(set(sources)) > 1:
        raise UserError("variants of an item differ in source or context", where=where)
    part, distance = ("", 0) if details is None else _detail(details, targets[1][-1], where)
    return item_of(f"{name}/{part}" if part else name, distance, sources[0], targets, 0, where)


def _detail(details: Details, wrong: str, where: str) -> tuple[str, int]:
    if not details.get(wrong):
        raise UserError("the details of a set lack an item", where=where, found=wrong, expected="its wrong variant")
    return details[wrong].popleft()


def _details(inputs: ReaderInputs, file: str) -> Details:
    records = list(numbered(read_json(inputs, file, list), f"{inputs.display_name(file)}, item"))
    details: Details = defaultdict(deque)
    for record, where in sorted(records, key=lambda record: document_of(*record)):
        for wrong in wrong_variants(record, where):
            details[wrong].append((pronouns_of(record, where), distance_of(record)))
    return details


FIXTURE_PARTS = ("it:il", "it:elle", "they:ils", "they:elles")


def write(config: ContrastiveLinesConfig, stock: Stock) -> FixtureFiles:
    """Yield the lines, the contexts and the JSON of each set of a fixture."""
    for name, path in config.sets.items():
        items = with_right_first(stock.draw_set_items(name, path))
        if name in config.details:
            items = in_parts(items, FIXTURE_PARTS)
            yield config.details[name], json_text([_record(item, number) for number, item in enumerate(items)])
        else:
            items = [ContrastiveItem(name, 0, item.source, item.target_context, item.variants, 0) for item in items]
        items = with_context(items, config.context_sentences)
        stock.remember_items(items)
        sources = (item.source[-1] for item in items for _ in item.variants)
        lines = sources, (text for item in items for text in item.variants)
        yield from zip(config.line_files(path), map(text_of, lines), strict=True)
        if config.context_sentences:
            texts = zip(*(_contexts(item, config.context_sentences) for item in items), strict=True)
            yield from zip(config.context_files(path), (text_of(chain(*side)) for side in texts), strict=True)


def _record(item: ContrastiveItem, number: int) -> dict[str, Any]:
    return record_of(item, f"2000_{number:06}", len(item.source) - 1)


def _contexts(item: ContrastiveItem, width: int) -> Iterator[list[str]]:
    # First of the source and then of the target.
    for texts in (item.source[:-1], item.target_context):
        yield [*[""] * (width - len(texts)), *texts] * VARIANTS
