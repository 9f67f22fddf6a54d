"""`verses`: a Bible, a file a language, `Book.Chapter.Verse<TAB>text`, joined on the id; a document is a chapter."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, Literal

from docmt.base.checks import need, setting
from docmt.base.errors import UserError, nearest
from docmt.base.names import SPLITS
from docmt.catalogue.forms import FileReaderConfig, Languages
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, Rows, SideText, text_of
from docmt.corpus.stock import Stock

BOOKS = ("Gen", "Exod", "Lev", "Num")
"""Books of a fixture that may be for training."""


@dataclass(frozen=True)
class VersesConfig(FileReaderConfig):
    PATHS: ClassVar = ("source", "target")

    kind: Literal["verses"]
    source: str
    target: str
    dev: tuple[str, ...]
    test: tuple[str, ...]
    continued: str | None = setting(None, "text of a verse that stands in the verse before: both are joined")
    missing: str | None = setting(None, "text of a verse that a translation lacks: the pair is dropped, and counted")
    remove: tuple[str, ...] = setting((), "markup that is deleted from the text, and counted")

    def __post_init__(self) -> None:
        both = sorted(set(self.dev) & set(self.test))
        need(not both, "test", both, "books that are not in dev")

    def files_of_splits(self, languages: Languages) -> dict[str, list[str]]:
        return {split: [self.source, self.target] for split in SPLITS}

    def shares(self) -> dict[str, int]:
        return {"train": 1, "dev": len(self.dev), "test": len(self.test)}


@dataclass(frozen=True)
class Verse:
    """A verse in both languages, and its line in each file. `key`: `Book.Chapter.Verse`."""

    key: str
    texts: tuple[str, str]
    lines: tuple[int, int]

    @property
    def book(self) -> str:
        return self.key.partition(".")[0]

    @property
    def chapter(self) -> str:
        return self.key.rpartition(".")[0]


def documents(config: VersesConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Books named as dev or test are held out; all others are for training.

    Reports a line that is no verse, and an id given twice. Raises UserError for a book that is not there.
    """
    source, target = (_verses(config, inputs, name) for name in (config.source, config.target))
    inputs.changed["verses in one language only"] += len(source.keys() ^ target.keys())
    joined = [Verse(key, *zip(source[key], target[key], strict=True)) for key in target if key in source]
    _check_books(config, {verse.book for verse in joined}, inputs.display_name(config.target))
    yield from _chapters(config, joined, inputs)


def _verses(config: VersesConfig, inputs: ReaderInputs, name: str) -> dict[str, tuple[str, int]]:
    """Text and line of each verse."""
    verses: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(inputs.lines(name), 1):
        where = f"{inputs.display_name(name)}:{number}"
        key, tab, text = line.partition("\t")
        if not tab or key.count(".") != 2:
            expected = "Book.Chapter.Verse<TAB>text"
            inputs.problems.report("not a verse", where=where, found=repr(line), expected=expected)
        elif key in verses:
            inputs.problems.report("verse given twice", where=where, found=key)
        else:
            verses[key] = text.strip(), number
    return verses


def _check_books(config: VersesConfig, books: set[str], where: str) -> None:
    for name in (*config.dev, *config.test):
        if name not in books:
            raise UserError("held-out book is not in the corpus", where=where, found=name, remedy=nearest(name, books))


def _chapters(config: VersesConfig, verses: list[Verse], inputs: ReaderInputs) -> Iterator[Document]:
    splits = {**dict.fromkeys(config.dev, "dev"), **dict.fromkeys(config.test, "test")}
    files = [inputs.display_name(name) for name in (config.source, config.target)]
    for chapter, group in groupby(verses, key=lambda verse: verse.chapter):
        kept = _clean(config, list(group), inputs)
        if kept:
            source, target = (
                SideText([verse.texts[side] for verse in kept], file, [verse.lines[side] for verse in kept])
                for side, file in enumerate(files)
            )
            split = splits.get(kept[0].book, "train")
            yield Document(split, chapter, source, target, source.location(0))


def _clean(config: VersesConfig, verses: Sequence[Verse], inputs: ReaderInputs) -> list[Verse]:
    """Those of a chapter. Translations that count verses differently leave some out, or put two into one."""
    changed, kept = inputs.changed, []
    for verse in verses:
        if config.missing is not None and config.missing in verse.texts:
            changed["pairs dropped: a verse is missing"] += 1
        elif config.continued is not None and config.continued in verse.texts and kept:
            changed["pairs joined to the pair before: a verse stands in the one before"] += 1
            new = ("" if text == config.continued else text for text in verse.texts)
            before = kept[-1]
            texts = (f"{old} {more}".strip() for old, more in zip(before.texts, new, strict=True))
            kept[-1] = Verse(before.key, tuple(texts), before.lines)
        else:
            kept.append(
                Verse(verse.key, tuple(_without(config.remove, text, inputs) for text in verse.texts), verse.lines)
            )
    return kept


def _without(markup: tuple[str, ...], text: str, inputs: ReaderInputs) -> str:
    for mark in markup:
        inputs.changed[f"{mark} removed"] += text.count(mark)
        text = text.replace(mark, "")
    return text


def write(config: VersesConfig, stock: Stock) -> FixtureFiles:
    held_out = {"dev": config.dev, "test": config.test}
    for_training = next(book for book in BOOKS if book not in (*config.dev, *config.test))
    verses: list[tuple[str, str, str]] = []
    for split, books in {"train": (for_training,), **held_out}.items():
        for book in books:
            chapters = stock.draw_documents(config, split, f"{config.source}/{book}")
            for chapter, rows in enumerate(chapters, 1):
                pairs = enumerate(_rough(rows, config), 1)
                verses += [(f"{book}.{chapter}.{verse}", *pair) for verse, pair in pairs]
    for side, path in enumerate((config.source, config.target), 1):
        yield path, text_of(f"{verse[0]}\t{verse[side]}" for verse in verses)


def _rough(rows: Rows, config: VersesConfig) -> list[tuple[str, str]]:
    """A chapter, with what the reader mends: markup, a verse that stands in the one before, one that is missing."""
    verses = [(source, target) for source, target, *_ in rows]
    source, target = verses[0]
    verses[0] = (f"{source}{''.join(config.remove)}", target)
    begin, space, end = verses[-1][1].partition(" ")
    if config.continued is not None and space:
        verses[-1:] = [(verses[-1][0], begin), (config.continued, end)]
    if config.missing is not None:
        verses.append((config.missing, target))
    return verses
