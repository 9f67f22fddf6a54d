"""A corpus opened from files, wherever they lie: what of it can be read, and its documents after their checks.

What every reader of files can be told (empty sides, control characters, names) is done here, after the form's reader,
and then what every document must be is checked, whoever read it.
"""

import dataclasses
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.parse import parse
from docmt.base.vocabulary import SPECIALS
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.forms import CONTRASTIVE, FORMS, FileReaderConfig, Languages, ReaderConfig, SplitsReaderConfig
from docmt.catalogue.missing import Places
from docmt.corpus.contrastive_items import ContrastiveReaderConfig
from docmt.corpus.inputs import ContrastiveItem, Document, Problems, ReaderInputs, SideText, display_name

MARKERS = (*SPECIALS, "<d>", "_eos")
"""Names of special symbols, and what other corpora write between sentences and documents."""
MARKER = re.compile("|".join(map(re.escape, MARKERS)))
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
"""Control characters, the line and paragraph separators (some tools take them for line ends), the byte order mark."""
LONG_CHARACTERS = 1000
"""A sentence above it is warned of: most are paragraphs, or lines that lost their ends."""


@dataclass(frozen=True)
class OpenedCorpus:
    """Both are read as they are asked for, so that one document at a time is held in memory.

    `changed` counts what readers drop or mend, once both are exhausted.
    """

    documents: Iterable[Document]
    items: Iterable[ContrastiveItem]
    changed: Counter[str]


@contextmanager
def open_corpus(
    reader: ReaderConfig,
    files: Path | Mapping[str, Path],
    languages: Languages,
    corpus: str,
    problems: Problems,
    scratch: Path | None = None,
) -> Iterator[OpenedCorpus]:
    """Open a corpus, called so in messages. `files`: the folder that holds them, or where each lies, by its name.

    Archives are unpacked in a folder inside `scratch` (none = where temporary files go), which goes in the end.
    Raises UserError for a missing or damaged file; what is wrong with documents and items goes to `problems`.
    """
    prefix = "docmt." if scratch is None else ".unpacked."
    with _in_one_folder(files) as downloads, tempfile.TemporaryDirectory(dir=scratch, prefix=prefix) as unpacked:
        inputs = ReaderInputs(downloads, Path(unpacked), *languages, problems)
        found = read(reader, inputs)
        items = validated_items(found.items, corpus, problems)
        yield OpenedCorpus(validated_documents(found.documents, problems), items, inputs.changed)


@contextmanager
def _in_one_folder(files: Path | Mapping[str, Path]) -> Iterator[Path]:
    if isinstance(files, Path):
        yield files
        return
    with tempfile.TemporaryDirectory(prefix="docmt.") as folder:
        for name, path in files.items():
            (Path(folder) / name).symlink_to(path.resolve())
        yield Path(folder)


def needed_files(corpus: CorpusConfig) -> dict[str, frozenset[str]]:
    """Names of the downloads that each split, and the contrastive sets, need; a split of several parts needs all."""
    needed: dict[str, frozenset[str]] = {}
    for _, reader in corpus.reader.readers_of_files():
        for split, paths in reader.files_of_splits(corpus.languages).items():
            names = {reader.archive or path.split("/")[0] for path in paths}
            needed[split] = needed.get(split, frozenset()) | names
    if not needed:
        needed = dict.fromkeys(SPLITS, frozenset())
        needed |= {CONTRASTIVE: frozenset()} if corpus.contrastive else {}
    order = (*SPLITS, CONTRASTIVE)
    return {split: needed[split] for split in order if split in needed}


def stated_splits(reader: ReaderConfig, languages: Languages) -> dict[str, list[str]]:
    """The splits that a reader names files for, and these, as messages show them."""
    stated: dict[str, list[str]] = {}
    for _, part in reader.readers_of_files():
        if isinstance(part, SplitsReaderConfig) and part.splits:
            for split, paths in part.files_of_splits(languages).items():
                stated.setdefault(split, []).extend(display_name(part.archive, path) for path in paths)
    return stated


@dataclass(frozen=True)
class AvailableFiles:
    """What of a corpus can be read where only some of its files are there.

    `reader`: of the splits whose files are all there, none where no split's are; `absent`: what the others lack.
    """

    reader: ReaderConfig | None
    files: dict[str, Path]
    absent: dict[str, list[str]]


def available_files(corpus: CorpusConfig, files: Mapping[str, Path | None]) -> AvailableFiles:
    """`files`: where each of the corpus' files lies; None = nowhere."""
    lacking = {s: sorted(name for name in names if files[name] is None) for s, names in needed_files(corpus).items()}
    reader = corpus.reader.limited([split for split, names in lacking.items() if not names])
    there = {name: path for name, path in files.items() if path is not None}
    return AvailableFiles(reader, there, {split: names for split, names in lacking.items() if names})


def find_files(corpus: CorpusConfig, places: Places) -> dict[str, Path | None]:
    return {file.name: places.find(corpus.corpus, file.name) for file in corpus.files}


def available_documents(corpus: CorpusConfig, places: Places) -> Iterator[Document]:
    """Documents of those splits whose files are all here; nothing is downloaded.

    Raises UserError for whatever readers and validation report.
    """
    here = available_files(corpus, find_files(corpus, places))
    if here.reader is not None:
        with open_corpus(here.reader, here.files, corpus.languages, corpus.corpus, Problems()) as found:
            yield from found.documents


def contrastive_forms() -> dict[str, str]:
    """Forms of contrastive sets by a short name: `table` is `contrastive_table`."""
    kinds = [kind for kind in FORMS if issubclass(FORMS[kind], ContrastiveReaderConfig)]
    return {kind.removeprefix(f"{CONTRASTIVE}_"): kind for kind in kinds}


def read_sets(
    files: Iterable[Path],
    kind: str,
    options: Mapping[str, Any],
    languages: Languages,
    tell: Callable[[Path, Counter[str]], None],
) -> list[ContrastiveItem]:
    """Items of contrastive sets of one's own, a file each, which names its set; `options` are those of the form.

    Control characters become spaces; of each file it is told what was dropped or mended.
    Raises UserError where a file is missing or not of the form, and for items that no corpus may have.
    """
    items: list[ContrastiveItem] = []
    for file in files:
        settings = {"kind": kind, "sets": {file.stem: file.name}, "control": "space", **options}
        reader = parse(ReaderConfig, settings, str(file))
        with open_corpus(reader, file.parent, languages, str(file), Problems()) as found:
            items += found.items
        tell(file, found.changed)
    if not items:
        raise UserError("no contrastive items", where=", ".join(map(str, files)))
    return items


def read(config: ReaderConfig, inputs: ReaderInputs) -> OpenedCorpus:
    """What the form's reader gives, cleaned as its settings say; what is dropped or replaced is counted."""
    form, of_files = FORMS.module(config.kind), isinstance(config, FileReaderConfig)
    inputs = inputs.within(config.archive) if of_files else inputs
    documents, items = (getattr(form, what, lambda *_: ())(config, inputs) for what in ("documents", "items"))
    if of_files:
        documents, items = _documents(documents, config, inputs.changed), _items(items, config, inputs.changed)
    return OpenedCorpus(documents, items, inputs.changed)


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


def _spaced(side: SideText, changed: Counter[str]) -> SideText:
    sentences = [text and _without_control(text, changed) for text in side.sentences]
    return dataclasses.replace(side, sentences=sentences)


def _without_control(text: str, changed: Counter[str]) -> str:
    text, count = CONTROL.subn(" ", text)
    if count:
        changed["control characters replaced by a space"] += count
    return text.strip()


def _without_empty(sides: tuple[SideText, ...], changed: Counter[str]) -> tuple[SideText, ...]:
    """Pairs with an empty source or target go; an empty reference counts as none."""
    source, target, *references = sides
    rows = [n for n, pair in enumerate(zip(source.sentences, target.sentences, strict=True)) if all(pair)]
    changed["pairs dropped: a side is empty"] += len(source.sentences) - len(rows)
    references = [dataclasses.replace(side, sentences=[text or None for text in side.sentences]) for side in references]
    if len(rows) == len(source.sentences):
        return (source, target, *references)
    return tuple(
        SideText([side.sentences[n] for n in rows], side.file, [side.lines[n] for n in rows])
        for side in (source, target, *references)
    )


def validated_documents(documents: Iterable[Document], problems: Problems) -> Iterator[Document]:
    """Pass the documents on, each after its checks. Names are remembered as hashes, some 100 bytes a document.

    Reports an unknown split, a name given twice in one, unequal numbers of sentences, a document without any, an empty
    side of a pair, a stray marker, and a control character; warns of very long sentences.
    """
    names: set[int] = set()
    for document in documents:
        if document.split not in SPLITS:
            expected = ", ".join(SPLITS)
            problems.report("unknown split", where=document.where, found=document.split, expected=expected)
        name = hash((document.split, document.name))
        if name in names:
            problems.report(f"document given twice in {document.split}", where=document.where, found=document.name)
        names.add(name)
        _check_sentences(document, problems)
        yield document


def _check_sentences(document: Document, problems: Problems) -> None:
    lengths = [len(side.sentences) for side in document.sides]
    if not any(lengths):
        problems.report("empty document", where=document.where)
    elif len(set(lengths)) > 1:
        found = f"{lengths[0]} source and {', '.join(map(str, lengths[1:]))} target sentences"
        problems.report("source and target differ in length", where=document.where, found=found)
    for side in document.sides:
        for number, text in enumerate(side.sentences):
            if text is not None and _is_suspect(text):
                check_text(text, side.location(number), problems)


def _is_suspect(text: str) -> bool:
    """Whether a closer look is needed; quick, since it looks at every sentence of a corpus."""
    return (
        not text
        or text.isspace()
        or len(text) > LONG_CHARACTERS
        or not text.isprintable()
        or "<" in text
        or "_eos" in text
    )


def check_text(text: str, where: str, problems: Problems) -> None:
    """Reports a text that is empty, or holds a marker or a control character."""
    if not text.strip():
        problems.report("empty sentence", where=where)
    marker = MARKER.search(text)
    if marker:
        problems.report("stray marker in the text", where=where, found=marker.group())
    control = CONTROL.search(text)
    if control:
        problems.report("control character in the text", where=where, found=f"U+{ord(control.group()):04X}")
    if len(text) > LONG_CHARACTERS:
        problems.warn(f"sentence of more than {LONG_CHARACTERS} characters", where=where, found=len(text))


def validated_items(items: Iterable[ContrastiveItem], corpus: str, problems: Problems) -> Iterator[ContrastiveItem]:
    """Pass contrastive items on, each after its checks.

    Reports lengths that do not fit, wrong variants that do not differ, and what `check_text` does. A wrong one that
    equals the right one is a tie, which scoring counts as wrong.
    """
    for number, item in enumerate(items):
        where = item.where or f"{corpus} contrastive item {number}"
        if len(item.source) != len(item.target_context) + 1:
            found = f"{len(item.source)} source and {len(item.target_context)} context sentences"
            problems.report("context does not fit the source", where=where, found=found, expected="one less")
        wrong = [text for place, text in enumerate(item.variants) if place != item.correct]
        if len(wrong) != len(item.variants) - 1 or not wrong or len(set(wrong)) != len(wrong):
            found = f"{len(item.variants)} variants, correct {item.correct}"
            expected = "one that is right, and wrong ones that differ"
            problems.report("not the variants of an item", where=where, found=found, expected=expected)
        for text in (*item.source, *item.target_context, *item.variants):
            check_text(text, where, problems)
        yield item
