"""`lines`: aligned plain text, a sentence a line."""

from collections.abc import Iterator

from docmt.catalogue.readers import LinesConfig, in_order
from docmt.corpus.inputs import Document, Inputs, Reading, place
from docmt.corpus.readers.aligned import aligned_document, aligned_rows
from docmt.corpus.readers.boundaries import cut_rows


def read_aligned_lines(config: LinesConfig, inputs: Inputs) -> Reading:
    """Documents are named `<split>1`, `<split>2`, ...

    Reports files of unequal length, and what `cut_rows` finds in their boundaries.
    """
    return Reading(_documents(config, inputs))


def _documents(config: LinesConfig, inputs: Inputs) -> Iterator[Document]:
    for split, sides in in_order(config.splits):
        shown = [place(config.archive, path) for path in sides.paths]
        rows = aligned_rows(inputs, config.archive, sides.paths)
        offsets = config.documents.offsets if config.documents is not None else None
        offset_file = (config.archive, offsets[split]) if offsets else None
        for number, run in enumerate(cut_rows(rows, config.documents, inputs, shown, offset_file), 1):
            yield aligned_document(split, f"{split}{number}", run, shown)
