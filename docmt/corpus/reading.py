"""What a form's reader gives, with what every reader of files can be told: empty sides, control characters, names."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from docmt.catalogue.forms import FORMS, FileReaderConfig, ReaderConfig
from docmt.corpus.inputs import ContrastiveItem, Document, Inputs, Side
from docmt.corpus.validate import CONTROL


@dataclass(frozen=True)
class Reading:
    """What a reader gives, as it is asked for: one document at a time is held in memory."""

    documents: Iterable[Document]
    items: Iterable[ContrastiveItem]


def read(config: ReaderConfig, inputs: Inputs) -> Reading:
    """What the form's reader gives, cleaned as its settings say; what is dropped or replaced is counted."""
    form = FORMS.module(config.kind)
    documents, items = (getattr(form, what, lambda *_: ())(config, inputs) for what in ("documents", "items"))
    is_told = isinstance(config, FileReaderConfig) and (config.prefix or config.drop_empty or config.control == "space")
    if not is_told:
        return Reading(documents, items)
    return Reading(_documents(documents, config, inputs.changed), _items(items, config, inputs.changed))


def _documents(documents: Iterable[Document], config: FileReaderConfig, changed: Counter[str]) -> Iterator[Document]:
    for document in documents:
        sides = document.sides
        if config.control == "space":
            sides = tuple(_spaced(side, changed) for side in sides)
        if config.drop_empty and len({len(side.sentences) for side in sides}) == 1:
            sides = _without_empty(sides, changed)
            if not sides[0].sentences:
                changed["documents dropped: nothing of them is left"] += 1
                continue
        source, target, *references = sides
        name = config.prefix + document.name
        yield dataclasses.replace(document, name=name, source=source, target=target, references=tuple(references))


def _items(
    items: Iterable[ContrastiveItem], config: FileReaderConfig, changed: Counter[str]
) -> Iterator[ContrastiveItem]:
    for item in items:
        if config.control == "space":
            names = ("source", "target_context", "variants")
            texts = {name: tuple(_without_control(text, changed) for text in getattr(item, name)) for name in names}
            item = dataclasses.replace(item, **texts)
        yield item


def _spaced(side: Side, changed: Counter[str]) -> Side:
    sentences = [text and _without_control(text, changed) for text in side.sentences]
    return dataclasses.replace(side, sentences=sentences)


def _without_control(text: str, changed: Counter[str]) -> str:
    text, count = CONTROL.subn(" ", text)
    if count:
        changed["control characters replaced by a space"] += count
    return text.strip()


def _without_empty(sides: tuple[Side, ...], changed: Counter[str]) -> tuple[Side, ...]:
    """Pairs with an empty source or target go; an empty reference counts as none."""
    source, target, *references = sides
    rows = [n for n, pair in enumerate(zip(source.sentences, target.sentences, strict=True)) if all(pair)]
    changed["pairs dropped: a side is empty"] += len(source.sentences) - len(rows)
    references = [dataclasses.replace(side, sentences=[text or None for text in side.sentences]) for side in references]
    if len(rows) == len(source.sentences):
        return (source, target, *references)
    return tuple(
        Side([side.sentences[n] for n in rows], side.file, [side.lines[n] for n in rows])
        for side in (source, target, *references)
    )
