"""`docmt translate`: documents from standard input, by any trained model, without the workflow."""

import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.decode import Model
from docmt.cli.options import Device, Threads
from docmt.core.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa

    from docmt.core.config import CutConfig, DecodeConfig
    from docmt.decoding.segments import Sentence
    from docmt.models.transformer import Transformer


def translate(
    model: Model,
    beam: Annotated[int, typer.Option(min=1, help="hypotheses kept; 1 is greedy")] = 5,
    batch_tokens: Annotated[int, typer.Option(min=1, help="source pieces computed at once (memory and speed)")] = 4096,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Translate documents from standard input: a sentence a line, a blank line between documents; a line for a line."""
    from docmt.cli.opening import open_model
    from docmt.core.config import DecodeConfig
    from docmt.decoding.lines import document_numbers, read_lines

    network, pipeline = open_model(model, device, threads)
    cut = own_cut(model)
    lines = read_lines(sys.stdin.buffer.read(), "standard input")
    ids = pipeline.encode_source(lines)
    documents = document_numbers(lines, ids)
    sentences = [ids[index] for index in documents]
    config = DecodeConfig(beam=beam, batch_tokens=batch_tokens)
    found = translated(network, sentences, list(documents.values()), cut, config)
    texts = dict(zip(documents, (pipeline.restore_target(words)[1] for words in found), strict=True))
    sys.stdout.writelines(texts.get(index, "") + "\n" for index in range(len(lines)))


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
    model: "Transformer", sentences: "list[Sentence]", documents: list[int], cut: "CutConfig", config: "DecodeConfig"
) -> "list[Sentence]":
    """The translation of each sentence; `documents` gives the number of its document, in rising order."""
    from docmt.cli.progress import shown_progress
    from docmt.decoding.segments import SegmentTable
    from docmt.decoding.strategy import decode_segments
    from docmt.decoding.translator import Translator

    if not sentences:
        return []
    segments = SegmentTable.from_table(cut_table(sentences, documents, cut), "standard input")
    with shown_progress("translating", "segments") as progress:
        return decode_segments(segments, cut, Translator(model, config, progress)).takes[-1]


def cut_table(sentences: "list[Sentence]", documents: list[int], cut: "CutConfig") -> "pa.Table":
    """The segments of documents that have no translation yet."""
    import pyarrow as pa

    from docmt.core.documents import SEGMENTS
    from docmt.views.cuts import cut_documents, sentence_costs
    from docmt.views.segments import segments_table, sentences_of

    number = [place for _, group in groupby(documents) for place, _ in enumerate(group)]
    columns = {
        "document": pa.array([str(document) for document in documents]),
        "sentence": pa.array(number, pa.int32()),
        "source_ids": pa.chunked_array([pa.array(sentences, SEGMENTS.field("source_ids").type)]),
        "target_ids": pa.chunked_array([pa.array([[]] * len(sentences), SEGMENTS.field("target_ids").type)]),
    }
    rows = sentences_of(pa.table(columns), "standard input")
    costs = sentence_costs(rows.source.lengths, rows.target.lengths)
    return segments_table(rows, cut_documents(rows.documents, costs, cut))
