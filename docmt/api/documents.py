"""Texts as Python values: documents as lists of sentences, and plain text files as documents.

Everywhere in the Python API a document is a list of sentences and a text is a list of documents. Scores also take a
plain list of sentences, whose documents are then unknown.
"""

from collections.abc import Sequence
from pathlib import Path

from docmt.base.errors import UserError
from docmt.scoring.inputs import References, Stream, Translations
from docmt.scoring.plain_files import read_plain_files

Document = Sequence[str]
# A list of documents, each a list of sentences; or a list of sentences whose documents are unknown.
Text = Sequence[Document] | Sequence[str]


def read_documents(path: str | Path, documents: str | Path | None = None) -> list[list[str]]:
    """Read a text file with one sentence per line as a list of documents, each a list of sentences.

    A blank line ends a document, unless the file `documents` names the document of each line. A file without blank
    lines is one document. Raises UserError where a file is missing, empty or not UTF-8, or the lines do not correspond.

    >>> import docmt
    >>> docmt.read_documents("source.txt")[0][:2]
    ['他的母亲昨天打来电话。', '她问银行是不是开门。']
    """
    files = read_plain_files([Path(path)], None if documents is None else Path(documents))
    lines = [line or "" for line in files.references.raw[0]]
    if files.references.documents is None:
        return [lines]
    texts: dict[str, list[str]] = {}
    for name, line in zip(files.references.documents, lines, strict=True):
        texts.setdefault(name, []).append(line)
    return list(texts.values())


def sentences_of(text: Text, name: str) -> tuple[list[str], tuple[str, ...] | None]:
    """Return all sentences of a text, and the name of the document of each sentence.

    The names are None for a list of sentences, whose documents are unknown. `name` is the argument's name in messages.
    Raises UserError for an empty text, and for a sentence that is no string.
    """
    if isinstance(text, str) or not len(text):
        expected = "a list of documents, each a list of sentences"
        raise UserError("not a text", where=name, found=repr(text)[:60], expected=expected)
    documents = [text] if all(isinstance(part, str) for part in text) else list(text)
    check_documents(documents, name)
    names = tuple(str(number) for number, document in enumerate(documents, 1) for _ in document)
    sentences = [sentence for document in documents for sentence in document]
    return sentences, None if isinstance(text[0], str) else names


def check_documents(documents: Sequence[Document], name: str) -> None:
    """Raise UserError for a document that is not a list of strings; `name` is the argument's name in messages."""
    for number, document in enumerate(documents):
        if isinstance(document, str) or not all(isinstance(sentence, str) for sentence in document):
            expected = "a list of sentences (str)"
            raise UserError("not a document", where=f"{name}[{number}]", found=repr(document)[:60], expected=expected)


def document_sentences(text: Text, name: str) -> tuple[list[str], tuple[str, ...]]:
    """Return the sentences and the names of their documents; raise UserError for a text without documents."""
    sentences, documents = sentences_of(text, name)
    if documents is None:
        raise UserError("no documents", where=name, expected="a list of documents, each a list of sentences")
    return sentences, documents


def references_of(reference: Text, further: Sequence[Text] = ()) -> References:
    """Return a text, and further references of the same sentences, in the form that scores read.

    Raises UserError where the references do not have the same documents with the same numbers of sentences.
    """
    sentences, documents = sentences_of(reference, "reference")
    streams: list[Stream] = [tuple(sentences)]
    for number, text in enumerate(further):
        streams.append(tuple(parallel(text, f"further_references[{number}]", sentences, documents, "reference")))
    return References(documents, tuple(streams), tuple(streams))


def translations_of(text: Text, name: str, references: References) -> Translations:
    """Return a system's translations in the form that scores read; raise UserError where they do not correspond."""
    lines = tuple(parallel(text, name, references.raw[0], references.documents, "reference"))
    return Translations(lines, lines)


def parallel(text: Text, name: str, others: Sequence, documents: Sequence[str] | None, other_name: str) -> list[str]:
    """Return the sentences of `text`; raise UserError unless it has the documents and sentence numbers of `others`.

    `documents` has the document of each of the `others`, or is None; `name` and `other_name` are names in messages.
    """
    sentences, names = sentences_of(text, name)
    if len(sentences) != len(others):
        expected = f"{len(others)}, as in {other_name}"
        raise UserError("a different number of sentences", where=name, found=len(sentences), expected=expected)
    if names is not None and documents is not None and tuple(names) != tuple(documents):
        expected = f"the number of sentences that each document of {other_name} has"
        raise UserError("documents of different lengths", where=name, expected=expected)
    return sentences
