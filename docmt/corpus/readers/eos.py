"""`eos`: a document a line, its sentences joined by a separator."""

import re
from collections.abc import Iterator

from docmt.catalogue.readers import EosConfig, in_order
from docmt.corpus.inputs import Document, Inputs, Reading, Side, place
from docmt.corpus.readers.aligned import aligned_rows


def read_eos(config: EosConfig, inputs: Inputs) -> Reading:
    """Documents are named `<split>1`, `<split>2`, ... by their line.

    Reports files of unequal length; sides with other numbers of sentences are left to the checks of documents.
    """
    return Reading(_documents(config, inputs))


def _documents(config: EosConfig, inputs: Inputs) -> Iterator[Document]:
    separator = re.compile(rf"(?<!\S){re.escape(config.separator)}(?!\S)")
    for split, files in in_order(config.splits):
        shown = [place(config.archive, path) for path in files.paths]
        for number, texts in aligned_rows(inputs, config.archive, files.paths):
            source, target, *references = (
                _side([sentence.strip() for sentence in separator.split(text)], file, number)
                for text, file in zip(texts, shown, strict=True)
            )
            where = f"{shown[0]}:{number}"
            yield Document(split, f"{split}{number}", source, target, where, tuple(references))


def _side(sentences: list[str], file: str, line: int) -> Side:
    return Side(sentences, file, [line] * len(sentences))
