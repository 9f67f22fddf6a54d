"""Opening a corpus from files: its documents and contrastive items, cleaned and validated.

Settings that all readers of files have (empty sides, control characters, prefixes of names) are applied here, after the
form's reader. Then each document and item is validated, whichever reader it comes from.
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
"""The special symbols of the vocabulary, and separators of sentences and documents that other corpora use."""
MARKER = re.compile("|".join(map(re.escape, MARKERS)))
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
"""Control characters, line and paragraph separators (line ends for some tools), and the byte order mark."""
LONG_CHARACTERS = 1000
"""The number of characters above which a sentence gets a warning; most such sentences are paragraphs."""


@dataclass(frozen=True)
class OpenedCorpus:
    """The documents and contrastive items of a corpus, read lazily: one document at a time is in memory.

    `changed` counts what readers drop or repair; it is complete once both iterables are exhausted.
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
    """Open the corpus that messages call `corpus`.

    `files`: the folder that holds the files, or the path of each file by its name. Archives are unpacked in a temporary
    folder inside `scratch` (None = the system's folder of temporary files), which is removed at the end. Raises
    UserError for a missing or damaged file; problems of documents and items go to `problems`.
    """
    # Inside `scratch`, which may be the output folder of a job, the folder of unpacked archives is a hidden one.
    prefix = "docmt." if scratch is None else ".unpacked."
    with _as_folder(files) as downloads, tempfile.TemporaryDirectory(dir=scratch, prefix=prefix) as unpacked:
        inputs = ReaderInputs(downloads, Path(unpacked), *languages, problems)
        contents = read(reader, inputs)
        items = validated_items(contents.items, corpus, problems)
        yield OpenedCorpus(validated_documents(contents.documents, problems), items, inputs.changed)


@contextmanager
def _as_folder(files: Path | Mapping[str, Path]) -> Iterator[Path]:
    """Yield a folder that holds the files: the given one, or a temporary one with links to the given paths."""
    if isinstance(files, Path):
        yield files
        return
    with tempfile.TemporaryDirectory(prefix="docmt.") as folder:
        for name, path in files.items():
            (Path(folder) / name).symlink_to(path.resolve())
        yield Path(folder)


def needed_files(corpus: CorpusConfig) -> dict[str, frozenset[str]]:
    """Return the names of the downloads that each split, and the contrastive sets, are read from.

    A split of several parts needs the files of all parts. A corpus without files has all splits, and needs nothing.
    """
    needed: dict[str, frozenset[str]] = {}
    for _, reader in corpus.reader.readers_of_files():
        for split, paths in reader.files_of_splits(corpus.languages).items():
            # A path may lead through an archive; its first part is then the downloaded file.
            names = {reader.archive or path.split("/")[0] for path in paths}
            needed[split] = needed.get(split, frozenset()) | names
    if not needed:
        needed = dict.fromkeys(SPLITS, frozenset())
        needed |= {CONTRASTIVE: frozenset()} if corpus.contrastive else {}
    order = (*SPLITS, CONTRASTIVE)
    return {split: needed[split] for split in order if split in needed}


def stated_splits(reader: ReaderConfig, languages: Languages) -> dict[str, list[str]]:
    """Return the splits that a reader names files for, with the names of the files as messages show them."""
    stated: dict[str, list[str]] = {}
    for _, part in reader.readers_of_files():
        if isinstance(part, SplitsReaderConfig) and part.splits:
            for split, paths in part.files_of_splits(languages).items():
                stated.setdefault(split, []).extend(display_name(part.archive, path) for path in paths)
    return stated


@dataclass(frozen=True)
class AvailableFiles:
    """The readable part of a corpus of which only some files are present.

    `reader`: the reader of the splits whose files are all present, None where there is no such split; `files`: the path
    of each present file; `absent`: the names of the missing files, by split.
    """

    reader: ReaderConfig | None
    files: dict[str, Path]
    absent: dict[str, list[str]]


def available_files(corpus: CorpusConfig, files: Mapping[str, Path | None]) -> AvailableFiles:
    """Return the readable part of a corpus. `files`: the path of each of its files; None = the file is missing."""
    missing = {
        split: sorted(name for name in names if files[name] is None) for split, names in needed_files(corpus).items()
    }
    reader = corpus.reader.limited([split for split, names in missing.items() if not names])
    present = {name: path for name, path in files.items() if path is not None}
    return AvailableFiles(reader, present, {split: names for split, names in missing.items() if names})


def find_files(corpus: CorpusConfig, places: Places) -> dict[str, Path | None]:
    """Return the path of each file of the corpus, None where no file of the name is found."""
    return {file.name: places.find(corpus.corpus, file.name) for file in corpus.files}


def available_documents(corpus: CorpusConfig, places: Places) -> Iterator[Document]:
    """Yield the documents of those splits whose files are all present; nothing is downloaded.

    Raises UserError for every problem that readers and validation report.
    """
    available = available_files(corpus, find_files(corpus, places))
    if available.reader is not None:
        with open_corpus(available.reader, available.files, corpus.languages, corpus.corpus, Problems()) as contents:
            yield from contents.documents


def contrastive_forms() -> dict[str, str]:
    """Return the forms of contrastive sets by their short names: `table` is `contrastive_table`."""
    kinds = [kind for kind in FORMS if issubclass(FORMS[kind], ContrastiveReaderConfig)]
    return {kind.removeprefix(f"{CONTRASTIVE}_"): kind for kind in kinds}


def read_sets(
    files: Iterable[Path],
    kind: str,
    options: Mapping[str, Any],
    languages: Languages,
    report_changes: Callable[[Path, Counter[str]], None],
) -> list[ContrastiveItem]:
    """Read the items of a user's contrastive sets, a file for each set, which is named after its file.

    `options`: settings of the form `kind`. Control characters become spaces. `report_changes` is called for each file
    with the counts of what was dropped or repaired. Raises UserError where a file is missing or not of the form, where
    no file has an item, and for items that `validated_items` refuses.
    """
    items: list[ContrastiveItem] = []
    for file in files:
        settings = {"kind": kind, "sets": {file.stem: file.name}, "control": "space", **options}
        reader = parse(ReaderConfig, settings, str(file))
        with open_corpus(reader, file.parent, languages, str(file), Problems()) as contents:
            items += contents.items
        report_changes(file, contents.changed)
    if not items:
        raise UserError("no contrastive items", where=", ".join(map(str, files)))
    return items


def read(config: ReaderConfig, inputs: ReaderInputs) -> OpenedCorpus:
    """Return the documents and items of the form's reader, cleaned as its settings say; all changes are counted."""
    form, of_files = FORMS.module(config.kind), isinstance(config, FileReaderConfig)
    inputs = inputs.within(config.archive) if of_files else inputs
    documents, items = (getattr(form, function, lambda *_: ())(config, inputs) for function in ("documents", "items"))
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
    """Drop pairs with an empty source or target, and turn empty references into None."""
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
    """Yield the documents, each after its checks.

    Names are remembered as hashes, about 100 bytes for each document. Reports an unknown split, a name given twice in a
    split, unequal numbers of sentences, a document without sentences, an empty side of a pair, a stray marker, and a
    control character; warns of very long sentences.
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
        counts = f"{lengths[0]} source and {', '.join(map(str, lengths[1:]))} target sentences"
        problems.report("source and target differ in length", where=document.where, found=counts)
    for side in document.sides:
        for number, text in enumerate(side.sentences):
            if text is not None and _is_suspect(text):
                check_text(text, side.location(number), problems)


def _is_suspect(text: str) -> bool:
    """Return whether `check_text` must look at the text; this test is quick, since all sentences go through it."""
    return (
        not text
        or text.isspace()
        or len(text) > LONG_CHARACTERS
        or not text.isprintable()
        or "<" in text
        or "_eos" in text
    )


def check_text(text: str, where: str, problems: Problems) -> None:
    """Report a text that is empty, or that contains a marker or a control character; warn of a very long one."""
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
    """Yield the contrastive items, each after its checks.

    Reports lengths that do not fit, wrong variants that do not differ, and the problems of `check_text`. A wrong
    variant that equals the right one is allowed: it is a tie, which scoring counts as wrong.
    """
    for number, item in enumerate(items):
        where = item.where or f"{corpus} contrastive item {number}"
        if len(item.source) != len(item.target_context) + 1:
            counts = f"{len(item.source)} source and {len(item.target_context)} context sentences"
            problems.report(
                "context does not fit the source", where=where, found=counts, expected="one context sentence fewer"
            )
        wrong = [text for index, text in enumerate(item.variants) if index != item.correct]
        if len(wrong) != len(item.variants) - 1 or not wrong or len(set(wrong)) != len(wrong):
            counts = f"{len(item.variants)} variants, correct {item.correct}"
            expected = "one right variant, and wrong variants that differ"
            problems.report("not the variants of an item", where=where, found=counts, expected=expected)
        for text in (*item.source, *item.target_context, *item.variants):
            check_text(text, where, problems)
        yield item
