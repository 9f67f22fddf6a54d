"""`docmt translate-passage`: sentences that a study states, by one of its systems (stage 6 of the workflow)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from docmt.cli.decode import Model
from docmt.cli.options import Device, Threads, input_file, output_file

if TYPE_CHECKING:
    from docmt.models.transformer import Transformer
    from docmt.settings.decode import DecodeConfig
    from docmt.text.pipeline import TextPipeline


def translate_passage(
    settings: Annotated[Path, input_file("settings.json: the documents, and how they are searched")],
    model: Model,
    output: Annotated[Path, output_file("passages.json to write")],
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Translate the documents of the settings: a list of sentences for each, as long as the document's.

    A model that does not mark sentences gives one line for a document.
    """
    from docmt.base.artifacts import read_object, write_json
    from docmt.base.errors import UserError
    from docmt.base.parse import parse
    from docmt.cli.opening import open_model
    from docmt.settings.decode import DecodeConfig

    chosen, where = read_object(settings, "decode", "documents"), str(settings)
    decode = parse(DecodeConfig, chosen["decode"], where, ("decode",))
    documents = chosen["documents"]
    if not isinstance(documents, list) or not all(isinstance(one, list) for one in documents):
        raise UserError(
            "not the settings of a passage", where=where, expected="documents: a list of sentences for each"
        )
    network, pipeline = open_model(model, device, threads)
    write_json(output, {"documents": translations(documents, network, pipeline, model, decode)})


def translations(
    documents: Sequence[Sequence[str]],
    network: "Transformer",
    pipeline: "TextPipeline",
    folder: Path,
    config: "DecodeConfig",
) -> list[list[str]]:
    """Of each document the translations of its sentences; `folder` is the model's."""
    from docmt.cli.standard_input import Given
    from docmt.cli.translate import plain_lines, tell_fallbacks, translated

    sentences = [sentence for document in documents for sentence in document]
    numbers = [number for number, document in enumerate(documents) for _ in document]
    ids = pipeline.encode_source(sentences)
    there = [place for place, pieces in enumerate(ids) if pieces]
    given = Given(*([column[place] for place in there] for column in (sentences, ids, numbers)))
    found = translated(network, pipeline, given, folder, config)
    tell_fallbacks(found)
    lines = list(plain_lines(found, pipeline, there, len(sentences)))
    of_lines = sorted(set(given.documents)) if found.lines == "documents" else numbers
    return [
        [line for line, of in zip(lines, of_lines, strict=True) if of == number] for number in range(len(documents))
    ]
