"""`docmt translate`: documents from standard input, by any trained model, without the workflow."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.base.checks import MOST_BEAM
from docmt.base.errors import UserError
from docmt.cli.decode import Model
from docmt.cli.options import MOST_TOKENS, Device, Threads
from docmt.cli.standard_input import Given

if TYPE_CHECKING:
    from docmt.decoding.strategy import Decoded
    from docmt.models.transformer import Transformer
    from docmt.settings.data import CutConfig
    from docmt.settings.decode import DecodeConfig
    from docmt.text.pipeline import TextPipeline


LengthPenalty = Annotated[
    Literal["average", "gnmt", "unified_dnmt", "none"],
    typer.Option(
        help="scores are divided by length^alpha, ((5 + length) / 6)^alpha, (5 + length / 6)^alpha, or not at all"
    ),
]


def translate(
    model: Model,
    beam: Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="hypotheses kept; 1 is greedy")] = 5,
    length_penalty: LengthPenalty = "average",
    length_alpha: Annotated[float, typer.Option(min=0, max=100, help="alpha of the length penalty")] = 1.0,
    n_best: Annotated[int, typer.Option(min=0, help="print so many of each search, with scores, as a table (TSV)")] = 0,
    batch_tokens: Annotated[
        int, typer.Option(min=1, max=MOST_TOKENS, help="source pieces computed at once (memory and speed)")
    ] = 4096,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Translate documents from standard input: a sentence a line, a blank line between documents; a line for a line.

    A model that does not mark sentences (frame unmarked, cut into several sentences) gives a line for a document.
    What could not be taken as it was is counted on standard error.
    """
    from docmt.cli.opening import open_model
    from docmt.decoding.files import document_numbers, read_lines
    from docmt.decoding.nbest import COLUMNS
    from docmt.settings.decode import DecodeConfig

    if n_best > beam:
        raise typer.BadParameter(f"--n-best {n_best} is more than --beam {beam}")
    lines = read_lines(sys.stdin.buffer.read(), "standard input")
    network, pipeline = open_model(model, device, threads)
    ids = pipeline.encode_source(lines)
    documents = document_numbers(lines, ids)
    if not documents:
        nothing = ["\t".join(COLUMNS)] if n_best else [""] * len(lines)
        sys.stdout.writelines(text + "\n" for text in nothing)
        return
    sentences = ([column[index] for index in documents] for column in (lines, ids))
    given = Given(*sentences, list(documents.values()))
    penalty = {"length_penalty": length_penalty, "length_alpha": length_alpha}
    config = DecodeConfig(beam=beam, **penalty, n_best=n_best, batch_tokens=batch_tokens)
    found = translated(network, pipeline, given, model, config)
    tell_fallbacks(found)
    shown = n_best_table if n_best else plain_lines
    sys.stdout.writelines(text + "\n" for text in shown(found, pipeline, list(documents), len(lines)))


def plain_lines(found: "Decoded", pipeline: "TextPipeline", given: list[int], lines: int) -> Iterable[str]:
    """A line for each line of the input, of which `given` had something to translate; or a line for each document."""
    from docmt.decoding.files import restored_lines

    texts = [text for _, text in restored_lines(found.takes[-1], found.line_lengths, pipeline.restore_target)]
    if found.lines == "documents":
        return texts
    of_line = dict(zip(given, texts, strict=True))
    return (of_line.get(index, "") for index in range(lines))


def n_best_table(found: "Decoded", pipeline: "TextPipeline", given: list[int], _: int) -> Iterable[str]:
    """See `docmt.decoding.nbest`; `line` is that of the input or, where lines are documents, the document's number."""
    from docmt.decoding.nbest import nbest_lines

    numbers = [index + 1 for index in given] if found.lines == "sentences" else None
    return nbest_lines(found, pipeline.restore_target, numbers)


def tell_fallbacks(found: "Decoded") -> None:
    fallbacks = found.fallbacks
    if fallbacks.windows:
        typer.echo(
            f"docmt: {fallbacks.windows} segments got another number of sentences; {fallbacks.sentences} sentences "
            f"were translated again, alone; {fallbacks.merged} lines are several sentences joined",
            err=True,
        )


def own_cut(folder: Path) -> "CutConfig":
    """How the model's own test documents were cut. Raises UserError where its card does not say."""
    from docmt.base.parse import parse
    from docmt.models.store import CARD, read_card
    from docmt.settings.data import ViewConfig

    where = str(folder / CARD)
    view = read_card(folder).get("provenance", {}).get("view")
    if view is None:
        raise UserError("the model does not say how documents are cut", where=where, expected="provenance.view")
    return parse(ViewConfig, view, where, ("provenance", "view")).test


def translated(
    model: "Transformer", pipeline: "TextPipeline", given: "Given", folder: Path, config: "DecodeConfig"
) -> "Decoded":
    """`given` cut as the model's own test documents, with lexical chains where the model reads them."""
    from docmt.base.columns import STOP_WORDS
    from docmt.cli.progress import shown_progress
    from docmt.decoding.segments import SegmentTable
    from docmt.decoding.strategy import decode_segments
    from docmt.decoding.translator import Translator
    from docmt.settings.models import READS_CHAINS

    cut = own_cut(folder)
    table = given.cut(cut)
    reads_chains = model.config.kind in READS_CHAINS
    chains = given.chains(pipeline, table, folder / STOP_WORDS) if reads_chains else None
    segments = SegmentTable.from_table(table, "standard input", chains)
    with shown_progress("translating", "segments") as progress:
        return decode_segments(segments, cut, Translator(model, config, progress))
