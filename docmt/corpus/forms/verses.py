"""The form `verses`: a Bible in two files, one for each language, with lines `Book.Chapter.Verse<TAB>text`.

Verses of the two languages with the same id, `Book.Chapter.Verse`, are a sentence pair. A document is a chapter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import ClassVar, Literal

from docmt.base.checks import need, needed, setting
from docmt.base.errors import UserError, nearest
from docmt.base.names import SPLITS
from docmt.base.spreadsheets import tsv_line
from docmt.catalogue.forms import KIND, FileReaderConfig, Languages
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, Rows, SideText, text_of
from docmt.corpus.stock import Stock

BOOKS = ("Gen", "Exod", "Lev", "Num")
"""The books from which the training documents of a fixture (a generated corpus) take their ids."""


@dataclass(frozen=True)
class VersesConfig(FileReaderConfig):
    """The settings of the form `verses`: a file for each language, and the books of the splits dev and test."""

    PATHS: ClassVar = ("source", "target")

    kind: Literal["verses"] = needed(KIND)
    source: str = needed("file of the source verses")
    target: str = needed("file of the target verses")
    dev: tuple[str, ...] = needed("names of the books of the split dev")
    test: tuple[str, ...] = needed("names of the books of the split test")
    continued: str | None = setting(
        None, "text in place of a verse whose translation is part of the verse before: the two verses are joined"
    )
    missing: str | None = setting(
        None, "text in place of a verse that a translation lacks: the pair is dropped, and counted"
    )
    remove: tuple[str, ...] = setting((), "markup that is deleted from the text, and counted")

    def __post_init__(self) -> None:
        """Refuse a book that is in both dev and test."""
        super().__post_init__()
        both = sorted(set(self.dev) & set(self.test))
        need(not both, "test", both, "books that are not in dev")

    def files_of_splits(self, languages: Languages) -> dict[str, list[str]]:
        """Return both files for every split, since a file has the whole Bible."""
        return {split: [self.source, self.target] for split in SPLITS}

    def shares(self) -> dict[str, int]:
        """Return the number of books of each split of a fixture."""
        return {"train": 1, "dev": len(self.dev), "test": len(self.test)}


@dataclass(frozen=True)
class Verse:
    """A verse in the source and the target language, with its line in each file; `key` is `Book.Chapter.Verse`."""

    key: str
    texts: tuple[str, str]
    lines: tuple[int, int]

    @property
    def book(self) -> str:
        """The book, such as `Gen`."""
        return self.key.partition(".")[0]

    @property
    def chapter(self) -> str:
        """The book and chapter, such as `Gen.1`."""
        return self.key.rpartition(".")[0]


def documents(config: VersesConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the chapters; the books that `dev` and `test` name are these splits, and all others are for training.

    Reports a line that is no verse, and an id that occurs twice in a file. Raises UserError for a book of dev or test
    that the corpus lacks.
    """
    source, target = (_verses(config, inputs, name) for name in (config.source, config.target))
    inputs.changed["verses in one language only"] += len(source.keys() ^ target.keys())
    joined = [Verse(key, *zip(source[key], target[key], strict=True)) for key in target if key in source]
    _check_books(config, {verse.book for verse in joined}, inputs.display_name(config.target))
    yield from _chapters(config, joined, inputs)


def _verses(config: VersesConfig, inputs: ReaderInputs, name: str) -> dict[str, tuple[str, int]]:
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
            raise UserError(
                "book of dev or test is not in the corpus", where=where, found=name, remedy=nearest(name, books)
            )


def _chapters(config: VersesConfig, verses: list[Verse], inputs: ReaderInputs) -> Iterator[Document]:
    splits = {**dict.fromkeys(config.dev, "dev"), **dict.fromkeys(config.test, "test")}
    files = [inputs.display_name(name) for name in (config.source, config.target)]
    for chapter, group in groupby(verses, key=lambda verse: verse.chapter):
        cleaned = _clean(config, list(group), inputs)
        if cleaned:
            source, target = (
                SideText([verse.texts[side] for verse in cleaned], file, [verse.lines[side] for verse in cleaned])
                for side, file in enumerate(files)
            )
            split = splits.get(cleaned[0].book, "train")
            yield Document(split, chapter, source, target, source.location(0))


def _clean(config: VersesConfig, verses: Sequence[Verse], inputs: ReaderInputs) -> list[Verse]:
    """Return the verse pairs of a chapter after missing verses are dropped and continued verses are joined."""
    changed, cleaned = inputs.changed, []
    follows = False  # whether the verse before is the last of `cleaned`
    for verse in verses:
        # A verse is missing where a translation has left it out.
        is_missing = config.missing is not None and config.missing in verse.texts
        is_continued = config.continued is not None and config.continued in verse.texts
        # Where this pair was dropped, or the chapter begins so, the continued verse is dropped too.
        if is_missing or (is_continued and not follows):
            changed["pairs dropped: a verse is missing"] += 1
            follows = False
            continue
        texts = tuple("" if text == config.continued else _without(config.remove, text, inputs) for text in verse.texts)
        # A verse is continued where a translation has put it into the verse before; then the texts of both languages
        # are appended to the pair before.
        if is_continued:
            changed["pairs joined to the pair before: a verse stands in the one before"] += 1
            before = cleaned.pop()
            pairs = zip(before.texts, texts, strict=True)
            cleaned.append(replace(before, texts=tuple(f"{old} {more}".strip() for old, more in pairs)))
        else:
            cleaned.append(replace(verse, texts=texts))
        follows = True
    return cleaned


def _without(markup: tuple[str, ...], text: str, inputs: ReaderInputs) -> str:
    for mark in markup:
        inputs.changed[f"{mark} removed"] += text.count(mark)
        text = text.replace(mark, "")
    return text


def write(config: VersesConfig, stock: Stock) -> FixtureFiles:
    """Yield both files of a fixture; the training book is the first of BOOKS that is in neither dev nor test."""
    held_out = {"dev": config.dev, "test": config.test}
    for_training = next(book for book in BOOKS if book not in (*config.dev, *config.test))
    verses: list[tuple[str, str, str]] = []
    for split, books in {"train": (for_training,), **held_out}.items():
        for book in books:
            chapters = stock.draw_documents(config, split, f"{config.source}/{book}")
            for chapter, rows in enumerate(chapters, 1):
                pairs = enumerate(_rough(rows, config), 1)
                verses += [(f"{book}.{chapter}.{verse}", *pair) for verse, pair in pairs]
    for column, path in enumerate((config.source, config.target), 1):
        yield path, text_of(tsv_line((verse[0], verse[column]), is_shielded=False) for verse in verses)


def _rough(rows: Rows, config: VersesConfig) -> list[tuple[str, str]]:
    # The defects that the reader repairs: markup, a verse whose translation is part of the verse before, and a missing
    # verse.
    verses = [(source, target) for source, target, *_ in rows]
    source, target = verses[0]
    verses[0] = (f"{source}{''.join(config.remove)}", target)
    begin, space, end = verses[-1][1].partition(" ")
    if config.continued is not None and space:
        verses[-1:] = [(verses[-1][0], begin), (config.continued, end)]
    if config.missing is not None:
        verses.append((config.missing, target))
    return verses
