"""Data sets of the Hugging Face Hub whose files are Parquet tables with a sentence pair on each row."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from docmt.base.errors import UserError, check_known
from docmt.base.foreign import reading
from docmt.drafts.address import Address, Pair, parse_pair
from docmt.drafts.draft import Draft, Value, file_value
from docmt.fetching.hub import HubDataset, HubFile, read_dataset
from docmt.fetching.transfer import Network

SPLITS = {"train": "train", "validation": "dev", "valid": "dev", "dev": "dev", "test": "test"}
"""docmt's name of a split, by the names that data sets use."""
SIDES = {"source": ("source", "src"), "target": ("target", "tgt", "trg")}
"""The names of the columns of sentences, after those that are codes of languages."""
DOCUMENTS = ("document", "document_id", "doc_id", "docid", "doc", "document_name")
"""The names of the column of documents that are recognised."""
NOTHING = "none"
"""The text of `--document-column` for tables in which rows without text separate documents."""


@dataclass(frozen=True)
class Columns:
    """The columns that a person names; None = the features of the data set's card tell them."""

    source: str | None = None
    target: str | None = None
    document: str | None = None


def draft(address: Address, network: Network, pair: Pair | None = None, columns: Columns = Columns()) -> Draft:
    """Return the draft of a data set, at the commit that the revision is now.

    `pair`: the languages, where neither the configuration nor the features of the data set state them. Raises UserError
    where the Hub does not answer, and where the card does not tell what the person does not state either, or has
    another form: anybody can write a card.
    """
    data = read_dataset("/".join(address.parts[:2]), address.revision or "main", network)
    with reading(address.text, "the card of the data set has another form", remedy="name another data set"):
        return _of_card(data, address, pair, columns)


def _of_card(data: HubDataset, address: Address, pair: Pair | None, columns: Columns) -> Draft:
    owner, name, *rest = address.parts
    configuration = _configuration(data, "/".join(rest), address.text)
    by_split = _files_by_split(data, configuration, address.text)
    features = _features(data.card, configuration)
    pair = pair or _pair(configuration, features, address.text)
    prefix = f"{owner}.{name}.".replace("/", ".")
    splits = {split: [prefix + file.path.replace("/", ".") for file in files] for split, files in by_split.items()}
    return Draft(
        name=name.lower(),
        pair=pair,
        about=f"The data set {data.name} of the Hugging Face Hub{f', {configuration}' if configuration else ''}.",
        licence=str(data.card.get("license") or "not stated in its card"),
        citation=f"see https://huggingface.co/datasets/{data.name}",
        files=tuple(_file(data, prefix, file) for files in by_split.values() for file in files),
        reader={"kind": "table", **_columns(features, pair, columns, address.text), "drop_empty": True},
        splits={None if by_split.keys() == {"train"} else split: _names(names) for split, names in splits.items()},
        sentences=_examples(data.card, configuration),
        index=("Hugging Face Hub", "card of the data set"),
    )


def _file(data: HubDataset, prefix: str, file: HubFile) -> Value:
    name = prefix + file.path.replace("/", ".")
    return file_value(name, [data.url(file.path)], "B", **{file.kind: file.checksum, "size": file.size})


def _names(names: Sequence[str]) -> str | list[str]:
    return names[0] if len(names) == 1 else list(names)


def _configuration(data: HubDataset, stated: str, where: str) -> str | None:
    """Return the name of the configuration; None where the data set has only one, without a name."""
    known = [entry["config_name"] for entry in data.card.get("configs") or [] if "config_name" in entry]
    known = known or sorted({part for file in _tables(data) if (part := _folder(file.path))})
    if stated:
        check_known("configuration", stated, known, where=where)
        return stated
    if len(known) > 1:
        expected = f"one of its configurations after the name: {', '.join(known)}"
        raise UserError("the data set has several configurations", where=where, expected=expected)
    return known[0] if known else None


def _folder(path: str) -> str | None:
    """Return the folder of a table that is a configuration: neither `data` nor the name of a split."""
    folders = [part for part in path.split("/")[:-1] if part != "data" and part not in SPLITS]
    return folders[0] if folders else None


def _tables(data: HubDataset) -> list[HubFile]:
    return [file for file in data.files if file.path.endswith(".parquet")]


def _files_by_split(data: HubDataset, configuration: str | None, where: str) -> dict[str, list[HubFile]]:
    """Return the tables of each of docmt's splits, as the card or the names of files tell them."""
    entries = [entry for entry in data.card.get("configs") or [] if entry.get("config_name") == configuration]
    stated = entries[0].get("data_files") if entries else None
    by_split: dict[str, list[HubFile]] = {}
    for file in sorted(_tables(data), key=lambda file: file.path):
        split = _stated_split(file.path, stated) if isinstance(stated, list) else _split_of(file.path, configuration)
        if split in SPLITS:
            by_split.setdefault(SPLITS[split], []).append(file)
    if not by_split:
        names = ", ".join(file.path for file in data.files[:5]) or "no file"
        expected = "Parquet files of train, validation or test"
        raise UserError("the data set has no tables that docmt reads", where=where, found=names, expected=expected)
    return by_split


def _stated_split(path: str, entries: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the split whose pattern in the card fits a path."""
    for entry in entries:
        patterns = entry.get("path", [])
        for pattern in [patterns] if isinstance(patterns, str) else patterns:
            if fnmatchcase(path, pattern.replace("**/", "*")):
                return str(entry.get("split"))
    return None


def _split_of(path: str, configuration: str | None) -> str | None:
    """Return the split that the name of a file, or of its folder, begins with; None for another configuration."""
    if _folder(path) != configuration:
        return None
    parts = [re.split(r"[-.]", part)[0] for part in path.split("/")]
    return next((part for part in reversed(parts) if part in SPLITS), None)


def _info(card: Mapping[str, Any], configuration: str | None) -> Mapping[str, Any]:
    """Return the part `dataset_info` of a card about a configuration; empty where there is none."""
    infos = card.get("dataset_info") or []
    infos = infos if isinstance(infos, list) else [infos]
    named = [info for info in infos if info.get("config_name") == configuration]
    return (named or infos or [{}])[0]


def _features(card: Mapping[str, Any], configuration: str | None) -> dict[str, list[str]]:
    """Return the columns that a card names; a column of translations has its languages."""
    columns = {}
    for feature in _info(card, configuration).get("features") or []:
        kind = feature.get("dtype")
        inner = kind.get("translation") if isinstance(kind, dict) else None
        columns[str(feature.get("name"))] = list((inner or {}).get("languages") or [])
    return columns


def _examples(card: Mapping[str, Any], configuration: str | None) -> int | None:
    """Return the number of rows of the training split that a card states."""
    splits = _info(card, configuration).get("splits") or []
    return next((split.get("num_examples") for split in splits if split.get("name") == "train"), None)


def _pair(configuration: str | None, features: Mapping[str, Sequence[str]], where: str) -> Pair:
    """Return the languages that the configuration or the column of translations names."""
    for text in (configuration or "", *("-".join(languages) for languages in features.values())):
        if re.fullmatch(r"[a-z]{2,3}([_]\w+)?-[a-z]{2,3}([_]\w+)?", text):
            return parse_pair(text, where)
    raise UserError("the data set does not state its languages", where=where, remedy="state them by --pair")


def _columns(features: Mapping[str, Sequence[str]], pair: Pair, stated: Columns, where: str) -> Value:
    """Return the columns of the reader."""
    sides = dict(zip(SIDES, (pair.source, pair.target), strict=True))
    columns: Value = {
        side: getattr(stated, side) or _side(features, language, SIDES[side]) for side, language in sides.items()
    }
    document = stated.document or next((name for name in DOCUMENTS if name in features), None)
    missing = [f"--{name}-column" for name, column in {**columns, "document": document}.items() if column is None]
    if missing:
        raise UserError(
            "the card of the data set does not state all columns",
            where=where,
            found=f"columns: {', '.join(features) or 'none'}",
            expected=f"{', '.join(missing)} (of the document also {NOTHING}: rows without text separate documents)",
        )
    return {**columns, "document": None if document == NOTHING else document}


def _side(features: Mapping[str, Sequence[str]], language: str, names: Sequence[str]) -> str | None:
    """Return the column of a language: of its code, inside a column of translations, or of a known name."""
    for column, languages in features.items():
        if language in languages:
            return f"{column}.{language}"
    return next((name for name in (language, *names) if name in features), None)
