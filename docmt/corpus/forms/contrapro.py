"""The form `contrapro`: contrastive sets of pronouns whose antecedent decides the translation.

Papers: Müller et al. (2018), "A Large-Scale Test Set for the Evaluation of Context-Aware Pronoun Translation in NMT";
Lopes et al. (2020), for French sets of the same form.

A set is a JSON list. An item names a line of a document (`document id`, `segment id`); the context of the item consists
of the lines before this line, in both languages. The reference is the right variant, and `errors` has the wrong
variants. The parts of a set are pairs of pronouns, as in the authors' evaluation: `contrapro/it:er`. The distance is
the number of sentences from the antecedent to the judged sentence; 0 = in the same sentence, or not stated.

Departs: the authors' script reads the reference from the document; here the reference is that of the item (`ref
segment`), from which the wrong variants were derived. The script accepts any line of the document as the line of the
item; here a line that is a different sentence than the item's source is refused.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache, partial
from itertools import islice, takewhile
from pathlib import PurePosixPath
from typing import Any, ClassVar, Literal

from docmt.base.checks import at_least, need, needed, setting, within
from docmt.base.errors import UserError
from docmt.catalogue.forms import KIND
from docmt.corpus.contrapro_records import distance_of, document_of, pronouns_of, record_of, wrong_variants
from docmt.corpus.contrastive_items import ContrastiveReaderConfig, field, item_of, items_of_list, json_text
from docmt.corpus.inputs import ContrastiveItem, FixtureFiles, ReaderInputs, text_of
from docmt.corpus.stock import Stock, in_parts, with_context, with_right_first

LinePairs = list[tuple[str, str]]  # The source and the target of each line of a document

REMEMBERED_DOCUMENTS = 8
ALIKE = 0.8
"""The least similarity of an item's source and its line of the document, as a share of common letters.

Two texts of at least this similarity count as one sentence in two spellings.
"""


@dataclass(frozen=True)
class ContraProConfig(ContrastiveReaderConfig):
    """The settings of `contrapro`.

    In the path `documents`, {document} stands for the `document id` of an item, without a language code at its end;
    {year} stands for the part of {document} before the first `_`.
    """

    PATHS: ClassVar = ("sets", "documents")

    kind: Literal["contrapro"] = needed(KIND)
    documents: str = setting(
        "documents/{year}/{document}.{language}", "the file of a document, with a sentence on each line"
    )
    context_sentences: int = setting(3, "sentences before the judged one, at most", at_least(0))
    first_segment: int = setting(
        1, "the `segment id` of a document's first line; 0 in the French sets", within("0 or 1", minimum=0, maximum=1)
    )

    def __post_init__(self) -> None:
        """Raise BadValue for a path `documents` without its placeholders."""
        super().__post_init__()
        for part in ("{document}", "{language}"):
            need(part in self.documents, "documents", self.documents, f"a path with {part} in it")


def items(config: ContraProConfig, inputs: ReaderInputs) -> Iterator[ContrastiveItem]:
    """Yield the items of all sets.

    The context begins after the last earlier line that is empty in one language. Items whose source differs slightly
    from the line of the document are counted. Reports an item that lacks a field, an item whose line is not in the
    document, a missing document, and a document whose languages have unequal numbers of lines. Raises UserError for a
    file that is missing or is no JSON list.
    """
    # The items of a document follow each other, so a few documents in memory are enough.
    document = lru_cache(REMEMBERED_DOCUMENTS)(partial(_document, config, inputs))
    for name, file in config.sets.items():
        yield from items_of_list(inputs, file, "item", partial(_item, name, config, document, inputs.changed))


def _item(
    name: str,
    config: ContraProConfig,
    document: Callable[[str], LinePairs],
    changed: Counter[str],
    record: Any,
    where: str,
) -> ContrastiveItem:
    source, reference = (field(record, f"{side} segment", str, where).strip() for side in ("src", "ref"))
    part = f"{name}/{pronouns_of(record, where)}"
    pairs = document(document_of(record, where))
    line = field(record, "segment id", int, where) - config.first_segment
    _check_line(source, [text for text, _ in pairs], line, changed, where)
    context = _context(pairs[:line], config.context_sentences)
    before = tuple(text for _, text in context)
    wrong = wrong_variants(record, where)
    return item_of(
        part,
        distance_of(record),
        (*(text for text, _ in context), source),
        [(*before, text) for text in (reference, *wrong)],
        0,
        where,
    )


def _context(before: LinePairs, at_most: int) -> LinePairs:
    # Pairs that follow the last pair with an empty side.
    return list(islice(takewhile(all, reversed(before)), at_most))[::-1]


def _document(config: ContraProConfig, inputs: ReaderInputs, name: str) -> LinePairs:
    languages = inputs.source_language, inputs.target_language
    for language in languages:
        name = name.removesuffix(f".{language}")
    paths = [_path(config, name, language) for language in languages]
    sides = [[line.strip() for line in inputs.lines(path)] for path in paths]
    if len(sides[0]) != len(sides[1]):
        source_lines, target_lines = (f"{len(side)} lines" for side in sides)
        where = inputs.display_name(paths[0])
        raise UserError(
            "the two sides have different numbers of lines", where=where, found=source_lines, expected=target_lines
        )
    return list(zip(*sides, strict=True))


def _path(config: ContraProConfig, name: str, language: str) -> str:
    return config.documents.format(document=name, year=name.split("_")[0], language=language)


def _check_line(source: str, lines: list[str], number: int, changed: Counter[str], where: str) -> None:
    # There are different releases of the documents.
    exists = 0 <= number < len(lines)
    item_letters, line_letters = _letters(source), _letters(lines[number]) if exists else ""
    if item_letters == line_letters and exists:
        return
    if SequenceMatcher(None, item_letters, line_letters, autojunk=False).ratio() < ALIKE:
        line = repr(lines[number]) if exists else f"{len(lines)} lines"
        raise UserError("source differs from its line of the document", where=where, found=line, expected=repr(source))
    changed["sources that are not quite their document's line"] += 1


def _letters(text: str) -> str:
    # Sets and documents differ in white space and punctuation.
    return "".join(character for character in text.casefold() if character.isalnum())


FIXTURE_YEAR = "2000"
FIXTURE_PARTS = ("it:er", "it:es", "it:sie")


def write(config: ContraProConfig, stock: Stock) -> FixtureFiles:
    """Yield the file of each set of a fixture, and the document of each item, which ends with the judged sentence."""
    for name, path in config.sets.items():
        items = in_parts(with_right_first(stock.draw_set_items(name, path)), FIXTURE_PARTS)
        stock.remember_items(with_context(items, config.context_sentences))
        # A document may have more lines before this line than the reader returns.
        records = []
        for number, item in enumerate(items, 1):
            document = f"{FIXTURE_YEAR}_{PurePosixPath(path).stem}_{number}"
            sides = item.source, (*item.target_context, item.variants[0])
            for language, lines in zip(stock.languages, sides, strict=True):
                yield _path(config, document, language), text_of(lines)
            line = len(item.source) - 1 + config.first_segment
            records.append(record_of(item, f"{document}.{stock.languages[1]}", line))
        yield path, json_text(records)
