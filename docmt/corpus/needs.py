"""Which files each split of a corpus comes from, and a reader of those splits alone whose files are there."""

import dataclasses
from collections.abc import Collection, Iterator
from typing import Any

from docmt.base.names import SPLITS
from docmt.catalogue.contrastive_readers import ContraProConfig, ContrastiveReaderConfig
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.readers import (
    CombinedConfig,
    FileReaderConfig,
    IwsltTagsConfig,
    IwsltXmlConfig,
    LinesConfig,
    ReaderConfig,
    SgmFilesConfig,
    SidesConfig,
    TableConfig,
    VersesConfig,
    readers_of_files,
)
from docmt.corpus.inputs import place

CONTRASTIVE = "contrastive"
"""Stands beside the splits for the contrastive sets."""


def needed_files(corpus: CorpusConfig) -> dict[str, frozenset[str]]:
    """Names of the downloads that each split, and the contrastive sets, need; a split of several parts needs all."""
    languages = (corpus.source_language, corpus.target_language)
    needed: dict[str, frozenset[str]] = {}
    for _, reader in readers_of_files(corpus.reader):
        for split, paths in _paths(reader, languages).items():
            names = {reader.archive or path.split("/")[0] for path in paths}
            needed[split] = needed.get(split, frozenset()) | names
    if not needed:
        needed = dict.fromkeys(SPLITS, frozenset())
        needed |= {CONTRASTIVE: frozenset()} if corpus.contrastive else {}
    order = (*SPLITS, CONTRASTIVE)
    return {split: needed[split] for split in order if split in needed}


def stated_splits(reader: ReaderConfig, languages: tuple[str, str]) -> dict[str, list[str]]:
    """The splits that a reader names files for, and these, as messages show them."""
    stated: dict[str, list[str]] = {}
    for _, part in readers_of_files(reader):
        if getattr(part, "splits", None):
            for split, paths in _paths(part, languages).items():
                stated.setdefault(split, []).extend(place(part.archive, path) for path in paths)
    return stated


def limited(reader: ReaderConfig, splits: Collection[str]) -> ReaderConfig | None:
    """The same reader for some of its splits; none where that leaves nothing of it."""
    if isinstance(reader, CombinedConfig):
        parts = tuple(part for part in (limited(part, splits) for part in reader.parts) if part is not None)
        return dataclasses.replace(reader, parts=parts) if parts else None
    if isinstance(reader, ContrastiveReaderConfig):
        return reader if CONTRASTIVE in splits else None
    if not getattr(reader, "splits", None):
        return reader if set(SPLITS) <= set(splits) else None
    kept = {split: files for split, files in reader.splits.items() if split in splits}
    if not kept:
        return None
    if isinstance(reader, LinesConfig) and reader.documents is not None and reader.documents.offsets is not None:
        offsets = {split: reader.documents.offsets[split] for split in kept}
        documents = dataclasses.replace(reader.documents, offsets=offsets)
        return dataclasses.replace(reader, splits=kept, documents=documents)
    return dataclasses.replace(reader, splits=kept)


def _paths(reader: FileReaderConfig, languages: tuple[str, str]) -> dict[str, list[str]]:
    """The paths that each split is read from."""
    if isinstance(reader, ContrastiveReaderConfig):
        documents = [reader.documents] if isinstance(reader, ContraProConfig) else []
        return {CONTRASTIVE: [*reader.sets.values(), *documents]}
    if isinstance(reader, VersesConfig):
        return {split: [reader.source, reader.target] for split in SPLITS}
    if isinstance(reader, TableConfig) and reader.file is not None:
        return {split: [reader.file] for split in SPLITS}
    return {split: list(_of_split(reader, split, files, languages)) for split, files in reader.splits.items()}


def _of_split(reader: FileReaderConfig, split: str, files: Any, languages: tuple[str, str]) -> Iterator[str]:
    if isinstance(reader, IwsltXmlConfig):
        yield from (reader.files.format(set=set_, language=language) for set_ in files for language in languages)
    elif isinstance(reader, IwsltTagsConfig):
        yield from (files.format(language=language) for language in languages)
    elif isinstance(files, SidesConfig):
        yield from files.paths
    elif isinstance(files, SgmFilesConfig):
        yield from (files.source, *files.references)
    else:
        yield files
    if isinstance(reader, LinesConfig) and reader.documents is not None and reader.documents.offsets is not None:
        yield reader.documents.offsets[split]
