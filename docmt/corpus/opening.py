"""The opening of a corpus from files, which gives its documents and contrastive items, cleaned and validated.

A corpus is read in three steps. The reader of the corpus' form returns documents and items. Then the settings that all
readers of files share are applied: empty sides, control characters, prefixes of names. Last, each document and each
item is validated, whichever reader it comes from.
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
from docmt.base.text_patterns import LONG_CHARACTERS
from docmt.base.vocabulary import SPECIALS
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.forms import CONTRASTIVE, FORMS, FileReaderConfig, Languages, ReaderConfig, SplitsReaderConfig
from docmt.catalogue.held_out import TRAIN, Allocation
from docmt.catalogue.missing import Places
from docmt.corpus.contrastive_items import ContrastiveReaderConfig
from docmt.corpus.inputs import ContrastiveItem, Document, Problems, ReaderInputs, SideText, display_name

TAGS_OF_OPUS = ("<fromDoc>", "<toDoc>")
MARKERS = (*SPECIALS, "<d>", "_eos", *TAGS_OF_OPUS)
"""Texts that no sentence may contain: the special symbols of the vocabulary, and separators that corpora use."""
MARKER = re.compile("|".join(map(re.escape, MARKERS)))
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
"""Control characters, line and paragraph separators (line ends for some tools), and the byte order mark."""


@dataclass(frozen=True)
class OpenedCorpus:
    """The documents and contrastive items of a corpus, read lazily: one document at a time is in memory.

    `changed` has the number of times that text was dropped or repaired, by the kind of change; the numbers are complete
    once both iterables are exhausted.
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
    """Open a corpus, and remove its unpacked archives at the end of the block; messages call the corpus `corpus`.

    `files`: the folder that holds the files, or the path of each file by its name. Archives are unpacked in a temporary
    folder inside `scratch` (None = the system's folder of temporary files). Raises UserError for a missing or damaged
    file; mistakes in documents and items are reported to `problems`.
    """
    # `scratch` may be the output folder of a job; therefore the folder of unpacked archives has a hidden name there.
    prefix = "docmt." if scratch is None else ".unpacked."
    with _as_folder(files) as downloads, tempfile.TemporaryDirectory(dir=scratch, prefix=prefix) as unpacked:
        inputs = ReaderInputs(downloads, Path(unpacked), *languages, problems)
        contents = read(reader, inputs)
        items = validated_items(contents.items, corpus, problems)
        yield OpenedCorpus(validated_documents(contents.documents, problems), items, inputs.changed)


@contextmanager
def _as_folder(files: Path | Mapping[str, Path]) -> Iterator[Path]:
    if isinstance(files, Path):
        yield files
        return
    # A temporary folder with links to the given paths.
    with tempfile.TemporaryDirectory(prefix="docmt.") as folder:
        for name, path in files.items():
            (Path(folder) / name).symlink_to(path.resolve())
        yield Path(folder)


def needed_files(corpus: CorpusConfig) -> dict[str, frozenset[str]]:
    """Return the names of the downloaded files that each split, and the contrastive sets, are read from.

    Where several readers of a combined corpus have a split, the split needs the files of all of them.
    """
    needed: dict[str, frozenset[str]] = {}
    downloads = [file.name for file in corpus.files]
    for _, reader in corpus.reader.readers_of_files():
        for split, paths in reader.files_of_splits(corpus.languages).items():
            names = {name for path in paths for name in reader.downloads_of(path, downloads)}
            needed[split] = needed.get(split, frozenset()) | names
    # A corpus without files generates its text: it has all splits, and none of them needs a file.
    if not needed:
        needed = dict.fromkeys(SPLITS, frozenset())
        needed |= {CONTRASTIVE: frozenset()} if corpus.contrastive else {}
    order = (*SPLITS, CONTRASTIVE)
    return {split: needed[split] for split in order if split in needed}


def stated_splits(reader: ReaderConfig, languages: Languages) -> dict[str, list[str]]:
    """Return, for each split whose files the reader states, the names of these files as messages show them."""
    stated: dict[str, list[str]] = {}
    for _, part in reader.readers_of_files():
        if isinstance(part, SplitsReaderConfig) and part.splits:
            for split, paths in part.files_of_splits(languages).items():
                stated.setdefault(split, []).extend(display_name(part.archive, path) for path in paths)
    return stated


@dataclass(frozen=True)
class AvailableFiles:
    """The part of a corpus that can be read where some of its files are missing.

    `reader`: the reader, limited to the splits whose files are all present; None where there is no such split. `files`:
    the path of each file that is present. `absent`: the names of the missing files, by split.
    """

    reader: ReaderConfig | None
    files: dict[str, Path]
    absent: dict[str, list[str]]


def available_files(corpus: CorpusConfig, files: Mapping[str, Path | None]) -> AvailableFiles:
    """Return the part of a corpus that can be read. `files` has the path of each file, or None for a missing file."""
    missing = {
        split: sorted(name for name in names if files[name] is None) for split, names in needed_files(corpus).items()
    }
    reader = corpus.reader.limited([split for split, names in missing.items() if not names])
    present = {name: path for name, path in files.items() if path is not None}
    return AvailableFiles(reader, present, {split: names for split, names in missing.items() if names})


def find_files(corpus: CorpusConfig, places: Places) -> dict[str, Path | None]:
    """Return the path of each file of the corpus; the path of a file that is in none of the `places` is None."""
    return {file.name: places.find(corpus.corpus, file) for file in corpus.files}


def available_documents(corpus: CorpusConfig, places: Places) -> Iterator[Document]:
    """Yield the documents of the splits whose files are all present; nothing is downloaded.

    Raises UserError for the first problem that a reader or the validation reports.
    """
    available = available_files(corpus, find_files(corpus, places))
    if available.reader is not None:
        with open_corpus(available.reader, available.files, corpus.languages, corpus.corpus, Problems()) as contents:
            yield from contents.documents


def contrastive_forms() -> dict[str, str]:
    """Return the forms of contrastive sets by their short names; the form `contrastive_table` is called `table`."""
    kinds = [kind for kind in FORMS if issubclass(FORMS[kind], ContrastiveReaderConfig)]
    return {kind.removeprefix(f"{CONTRASTIVE}_"): kind for kind in kinds}


def read_sets(
    files: Iterable[Path],
    kind: str,
    options: Mapping[str, Any],
    languages: Languages,
    report_changes: Callable[[Path, Counter[str]], None] = lambda file, changes: None,
) -> list[ContrastiveItem]:
    """Read the items of a user's contrastive sets; each file is a set with the name of the file.

    `options`: settings of the form `kind`. Each control character becomes a space. `report_changes` is called for each
    file with the number of changes to the text, by the kind of change. Raises UserError where a file is missing or not
    of the form, where no file has an item, and for items that `validated_items` refuses.
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
    """Return the documents and items of the form's reader, cleaned as the reader's settings say, and count changes."""
    form, of_files = FORMS.module(config.kind), isinstance(config, FileReaderConfig)
    inputs = inputs.within(config.archive) if of_files else inputs
    documents, items = (getattr(form, function, lambda *_: ())(config, inputs) for function in ("documents", "items"))
    if of_files:
        documents, items = _documents(documents, config, inputs.changed), _items(items, config, inputs.changed)
    return OpenedCorpus(documents, items, inputs.changed)


def _documents(documents: Iterable[Document], config: FileReaderConfig, changed: Counter[str]) -> Iterator[Document]:
    allocation = Allocation(getattr(config, "held_out", {}))
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
        split = allocation.next_split() if document.split == TRAIN else document.split
        name = config.prefix + document.name
        yield dataclasses.replace(
            document, split=split, name=name, source=source, target=target, references=tuple(references)
        )


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
    source, target, *references = sides
    rows = [n for n, pair in enumerate(zip(source.sentences, target.sentences, strict=True)) if all(pair)]
    changed["pairs dropped: a side is empty"] += len(source.sentences) - len(rows)
    # An empty sentence of a further reference becomes None.
    references = [dataclasses.replace(side, sentences=[text or None for text in side.sentences]) for side in references]
    if len(rows) == len(source.sentences):
        return (source, target, *references)
    return tuple(
        SideText([side.sentences[n] for n in rows], side.file, [side.lines[n] for n in rows])
        for side in (source, target, *references)
    )


def validated_documents(documents: Iterable[Document], problems: Problems) -> Iterator[Document]:
    """Yield each document after its checks.

    Reports an unknown split, a name given twice in a split, unequal numbers of sentences, a document without sentences,
    an empty side of a pair, a stray marker, and a control character; warns of very long sentences.
    """
    names: set[int] = set()
    for document in documents:
        if document.split not in SPLITS:
            expected = ", ".join(SPLITS)
            problems.report("unknown split", where=document.where, found=document.split, expected=expected)
        # A hash takes about 100 bytes for each document.
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
    # This quick test runs on every sentence, and `check_text` on few.
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
        of_opus = "the form `lines` reads these tags of opus_read: `documents: {opus_tags: true}`"
        remedy = of_opus if marker.group() in TAGS_OF_OPUS else None
        problems.report("stray marker in the text", where=where, found=marker.group(), remedy=remedy)
    control = CONTROL.search(text)
    if control:
        problems.report("control character in the text", where=where, found=f"U+{ord(control.group()):04X}")
    if len(text) > LONG_CHARACTERS:
        problems.warn(f"sentence of more than {LONG_CHARACTERS} characters", where=where, found=len(text))


def validated_items(items: Iterable[ContrastiveItem], corpus: str, problems: Problems) -> Iterator[ContrastiveItem]:
    """Yield each contrastive item after its checks.

    Reports an item whose context does not have one sentence fewer than its source, an item without a right or a wrong
    variant, equal wrong variants, and the problems of `check_text`.
    """
    for number, item in enumerate(items):
        where = item.where or f"{corpus} contrastive item {number}"
        if len(item.source) != len(item.target_context) + 1:
            counts = f"{len(item.source)} source and {len(item.target_context)} context sentences"
            problems.report(
                "context does not fit the source", where=where, found=counts, expected="one context sentence fewer"
            )
        # A wrong variant that equals the right one is allowed: it is a tie, which scoring counts as wrong.
        wrong = [text for index, text in enumerate(item.variants) if index != item.correct]
        if len(wrong) != len(item.variants) - 1 or not wrong or len(set(wrong)) != len(wrong):
            counts = f"{len(item.variants)} variants, correct {item.correct}"
            expected = "one right variant, and wrong variants that differ"
            problems.report("not the variants of an item", where=where, found=counts, expected=expected)
        for text in (*item.source, *item.target_context, *item.variants):
            check_text(text, where, problems)
        yield item
