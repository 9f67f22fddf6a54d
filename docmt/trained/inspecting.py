"""A model's attention to repeated words in a document, and its use of the latent variables of these words."""

from pathlib import Path

from docmt.decoding.inside import InspectedDocument, inside, write_inside
from docmt.decoding.segments import View
from docmt.trained.model import TrainedModel


def write_inspection(
    trained: TrainedModel, view: Path, chains: Path, output: Path, split: str, document: str | None = None
) -> int:
    """Write the measurements of a document, and return the number of rows; see `docmt inspect`."""
    inspected = InspectedDocument.read(View(view, chains), split, document, trained.network)
    vocabularies = trained.pipeline.source.vocabulary, trained.pipeline.target.vocabulary
    rows = inside(trained.network, inspected, *vocabularies)
    write_inside(output, rows)
    return rows.num_rows
