"""`docmt translate`: documents from standard input, by any trained model, without the workflow."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.decode import Model
from docmt.cli.options import Device, Threads
from docmt.cli.standard_input import Given
from docmt.core.errors import UserError

if TYPE_CHECKING:
    from docmt.core.config import CutConfig, DecodeConfig
    from docmt.decoding.strategy import Decoded
    from docmt.models.transformer import Transformer
    from docmt.text.pipeline import TextPipeline


def translate(
    model: Model,
    beam: Annotated[int, typer.Option(min=1, help="hypotheses kept; 1 is greedy")] = 5,
    batch_tokens: Annotated[int, typer.Option(min=1, help="source pieces computed at once (memory and speed)")] = 4096,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Translate documents from standard input: a sentence a line, a blank line between documents; a line for a line.

    A model that does not mark sentences (frame unmarked, cut into several sentences) gives a line for a document.
    """
    from docmt.cli.opening import open_model
    from docmt.core.config import DecodeConfig
    from docmt.decoding.files import restored_lines
    from docmt.decoding.lines import document_numbers, read_lines

    network, pipeline = open_model(model, device, threads)
    lines = read_lines(sys.stdin.buffer.read(), "standard input")
    ids = pipeline.encode_source(lines)
    documents = document_numbers(lines, ids)
    if not documents:
        sys.stdout.writelines("\n" for _ in lines)
        return
    sentences = ([column[index] for index in documents] for column in (lines, ids))
    given = Given(*sentences, list(documents.values()))
    found = translated(network, pipeline, given, model, DecodeConfig(beam=beam, batch_tokens=batch_tokens))
    texts = [text for _, text in restored_lines(found.takes[-1], found.line_lengths, pipeline.restore_target)]
    if found.lines == "sentences":
        of_line = dict(zip(documents, texts, strict=True))
        texts = [of_line.get(index, "") for index in range(len(lines))]
    sys.stdout.writelines(text + "\n" for text in texts)


def own_cut(folder: Path) -> "CutConfig":
    """How the model's own test documents were cut. Raises UserError where its card does not say."""
    from docmt.core.config import ViewConfig
    from docmt.core.parse import parse
    from docmt.models.store import CARD, read_card

    where = str(folder / CARD)
    view = read_card(folder).get("provenance", {}).get("view")
    if view is None:
        raise UserError("the model does not say how documents are cut", where=where, expected="provenance.view")
    return parse(ViewConfig, view, where, ("provenance", "view")).test


def translated(
    model: "Transformer", pipeline: "TextPipeline", given: "Given", folder: Path, config: "DecodeConfig"
) -> "Decoded":
    """`given` cut as the model's own test documents, with lexical chains where the model reads them."""
    from docmt.cli.progress import shown_progress
    from docmt.core.architectures import READS_CHAINS
    from docmt.core.documents import STOP_WORDS
    from docmt.decoding.segments import SegmentTable
    from docmt.decoding.strategy import decode_segments
    from docmt.decoding.translator import Translator

    cut = own_cut(folder)
    table = given.cut(cut)
    reads_chains = model.config.kind in READS_CHAINS
    chains = given.chains(pipeline, table, folder / STOP_WORDS) if reads_chains else None
    segments = SegmentTable.from_table(table, "standard input", chains)
    with shown_progress("translating", "segments") as progress:
        return decode_segments(segments, cut, Translator(model, config, progress))
