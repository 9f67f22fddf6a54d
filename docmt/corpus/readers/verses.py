"""`verses`: a Bible in two languages, joined verse by verse; a document is a chapter."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from docmt.core.catalogue import VersesConfig
from docmt.core.errors import UserError, nearest
from docmt.corpus.inputs import Document, Inputs, Reading, place

Verse = tuple[str, str, str]
"""Id `Book.Chapter.Verse`, source, target."""


def read_verses(config: VersesConfig, inputs: Inputs) -> Reading:
    """Books named as dev or test are held out; all others are for training.

    Raises UserError for a line that is no verse, an id given twice, and a book that is not there.
    """
    changed: Counter[str] = Counter()
    source = _verses(config, inputs, config.source)
    target = _verses(config, inputs, config.target)
    changed["verses in one language only"] = len(source.keys() ^ target.keys())
    joined = [(key, source[key], target[key]) for key in target if key in source]
    _check_books(config, {_book(verse) for verse in joined})
    return Reading(_chapters(config, joined, changed), changed=changed)


def _verses(config: VersesConfig, inputs: Inputs, name: str) -> dict[str, str]:
    verses: dict[str, str] = {}
    for number, line in enumerate(inputs.lines(config.archive, name), 1):
        where = f"{place(config.archive, name)}:{number}"
        key, tab, text = line.partition("\t")
        if not tab or key.count(".") != 2:
            raise UserError("not a verse", where=where, found=repr(line), expected="Book.Chapter.Verse<TAB>text")
        if key in verses:
            raise UserError("verse given twice", where=where, found=key)
        verses[key] = text.strip()
    return verses


def _check_books(config: VersesConfig, books: set[str]) -> None:
    for name in (*config.dev, *config.test):
        if name not in books:
            remedy = nearest(name, books)
            raise UserError("held-out book is not in the corpus", where=config.archive, found=name, remedy=remedy)


def _book(verse: Verse) -> str:
    return verse[0].split(".")[0]


def _chapter(verse: Verse) -> str:
    return verse[0].rpartition(".")[0]


def _chapters(config: VersesConfig, verses: list[Verse], changed: Counter[str]) -> Iterator[Document]:
    splits = {**dict.fromkeys(config.dev, "dev"), **dict.fromkeys(config.test, "test")}
    for chapter, group in groupby(verses, key=_chapter):
        pairs = _clean(config, list(group), changed)
        if pairs:
            split = splits.get(chapter.split(".")[0], "train")
            source, target = zip(*pairs, strict=True)
            yield Document(split, chapter, source, target, f"{config.archive} {chapter}")


def _clean(config: VersesConfig, verses: list[Verse], changed: Counter[str]) -> list[tuple[str, str]]:
    """The pairs of a chapter. Translations that count verses differently leave some out, or put two into one."""
    pairs: list[tuple[str, str]] = []
    for _, *sides in verses:
        if config.missing is not None and config.missing in sides:
            changed["pairs dropped: a verse is missing"] += 1
        elif config.continued is not None and config.continued in sides and pairs:
            changed["pairs joined to the pair before: a verse stands in the one before"] += 1
            new = ("" if side == config.continued else side for side in sides)
            pairs[-1] = tuple(f"{old} {more}".strip() for old, more in zip(pairs[-1], new, strict=True))
        else:
            pairs.append(tuple(_without(config.remove, side, changed) for side in sides))
    return pairs


def _without(markup: tuple[str, ...], text: str, changed: Counter[str]) -> str:
    for mark in markup:
        changed[f"{mark} removed"] += text.count(mark)
        text = text.replace(mark, "")
    return text
