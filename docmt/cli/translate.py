"""`docmt translate`: documents from standard input, by any trained model, without the workflow."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.base.checks import MOST_BEAM
from docmt.cli.options import MOST_TOKENS, Device, Model, Threads, open_model
from docmt.cli.screen import shown_progress

if TYPE_CHECKING:
    from docmt.decoding.windows import Fallbacks

LengthPenalty = Annotated[
    Literal["average", "gnmt", "unified_dnmt", "none"],
    typer.Option(
        help="scores are divided by length^alpha, ((5 + length) / 6)^alpha, (5 + length / 6)^alpha, or not at all"
    ),
]
Beam = Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="hypotheses kept; 1 is greedy")]
LengthAlpha = Annotated[float, typer.Option(min=0, max=100, help="alpha of the length penalty")]
NBest = Annotated[int, typer.Option(min=0, help="print so many of each search, with scores, as a table (TSV)")]
BatchTokens = Annotated[
    int, typer.Option(min=1, max=MOST_TOKENS, help="source pieces computed at once (memory and speed)")
]


def translate(
    model: Model,
    beam: Beam = 5,
    length_penalty: LengthPenalty = "average",
    length_alpha: LengthAlpha = 1.0,
    n_best: NBest = 0,
    batch_tokens: BatchTokens = 4096,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Translate documents from standard input: a sentence a line, a blank line between documents; a line for a line.

    A model that does not mark sentences (frame unmarked, cut into several sentences) gives a line for a document.
    What could not be taken as it was is counted on standard error.
    """
    if n_best > beam:
        raise typer.BadParameter(f"--n-best {n_best} is more than --beam {beam}")

    from docmt.api.translate import translate_lines
    from docmt.decoding.files import read_lines
    from docmt.settings.decode import DecodeConfig

    lines = read_lines(sys.stdin.buffer.read(), "standard input")
    opened = open_model(model, device, threads)
    penalty = {"length_penalty": length_penalty, "length_alpha": length_alpha}
    config = DecodeConfig(beam=beam, **penalty, n_best=n_best, batch_tokens=batch_tokens)
    with shown_progress("translating", "segments") as progress:
        found = translate_lines(opened, lines, config, progress)
    tell_fallbacks(found.fallbacks)
    sys.stdout.writelines(text + "\n" for text in (found.n_best() if n_best else found.texts()))


def tell_fallbacks(fallbacks: "Fallbacks") -> None:
    if fallbacks.windows:
        typer.echo(
            f"docmt: {fallbacks.windows} segments got another number of sentences; {fallbacks.sentences} sentences "
            f"were translated again, alone; {fallbacks.merged} lines are several sentences joined",
            err=True,
        )
