"""Corpora in the forms that readers know, written by the tests."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.catalogue.forms import ReaderConfig
from docmt.corpus.inputs import CollectedProblems, ContrastiveItem, Document, ReaderInputs
from docmt.corpus.opening import read, validated_documents, validated_items

Texts = dict[str, str | bytes]
"""Files by their names."""


def write_files(folder: Path, files: Texts) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(_bytes(text))


def tar_bytes(files: Texts, mode: str = "w:gz") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(_bytes(text))
            tar.addfile(member, io.BytesIO(_bytes(text)))
    return stream.getvalue()


def zip_bytes(files: Texts) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as zipped:
        for name, text in files.items():
            zipped.writestr(name, text)
    return stream.getvalue()


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def documents_of(inputs: ReaderInputs, reader: dict) -> list[Document]:
    return list(
        validated_documents(read(parse(ReaderConfig, reader, "corpus.yaml"), inputs).documents, inputs.problems)
    )


def items_of(inputs: ReaderInputs, reader: dict) -> list[ContrastiveItem]:
    items = read(parse(ReaderConfig, reader, "corpus.yaml"), inputs).items
    return list(validated_items(items, "corpus", inputs.problems))


def refusal(inputs: ReaderInputs, reader: dict) -> str:
    """The message that ends the reading; the kind of problem that validating collects first must be the same."""
    with pytest.raises(UserError) as problem:
        _all_of(inputs, reader)
    collecting = CollectedProblems(at_most=3)
    try:
        languages = inputs.source_language, inputs.target_language
        _all_of(ReaderInputs(inputs.downloads, inputs.scratch, *languages, collecting), reader)
    except UserError as end:
        assert collecting.problems or end.what == problem.value.what
    if collecting.problems:
        assert next(iter(collecting.problems)) == problem.value.what
        assert problem.value.where in next(iter(collecting.problems.values())).examples[0]
    return str(problem.value)


def _all_of(inputs: ReaderInputs, reader: dict) -> None:
    documents_of(inputs, reader)
    items_of(inputs, reader)


Pairs = list[tuple[str, ...]]
"""Source, target, references of each sentence."""


def plain(documents: list[Document]) -> list[tuple[str, str, Pairs]]:
    """Split, name, and what the sides are, sentence by sentence."""
    return [(d.split, d.name, list(zip(*(side.sentences for side in d.sides), strict=True))) for d in documents]
