"""`docmt translate`: the translation of plain text by a trained model."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.checks import MOST_BEAM
from docmt.base.screen import count_of, print_json, progress_display, say
from docmt.base.spreadsheets import tsv_line
from docmt.cli.options import (
    AsJson,
    BatchTokens,
    Device,
    Documents,
    Model,
    Threads,
    input_file,
    open_model,
)
from docmt.cli.standard_input import label
from docmt.settings.decode import ENGINE, Engine, LengthPenalty

if TYPE_CHECKING:
    from docmt.decoding.strategy import Fallbacks
    from docmt.trained.translate import Translated

Penalty = Annotated[
    LengthPenalty,
    typer.Option(help="divisor of scores: length^alpha, ((5 + length) / 6)^alpha, (5 + length / 6)^alpha, or 1 (none)"),
]
Beam = Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="hypotheses of the beam search; 1 is greedy search")]
LengthAlpha = Annotated[float, typer.Option(min=0, max=100, help="alpha of the length penalty")]
MaxLengthA = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1000,
        help="a: translations have at most a * source pieces + b pieces [default: the model's own, or 1.2]",
    ),
]
MaxLengthB = Annotated[
    int | None, typer.Option(min=1, max=1_000_000, help="b: see --max-length-a [default: the model's own, or 10]")
]
NBest = Annotated[int, typer.Option(min=0, help="print this many hypotheses of each search, with scores (TSV)")]
SearchEngine = Annotated[Engine, typer.Option(help=ENGINE)]
STDIN = Path("-")
# The columns of an n-best list that are numbers in JSON; the other columns are text.
N_BEST_NUMBERS = {"line": int, "segment": int, "rank": int, "score": float, "log_probability": float}


def translate(
    model: Model,
    source: Annotated[Path, input_file("source text, a sentence per line; - is standard input")] = STDIN,
    documents: Documents = None,
    beam: Beam = 5,
    length_penalty: Penalty = "average",
    length_alpha: LengthAlpha = 1.0,
    max_length_a: MaxLengthA = None,
    max_length_b: MaxLengthB = None,
    n_best: NBest = 0,
    batch_tokens: BatchTokens = None,
    engine: SearchEngine = "docmt",
    device: Device = "auto",
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Translate documents, one line for each line of input.

    A line is a sentence in plain text; a blank line ends a document, unless --documents names the document of each
    line. A model that does not mark sentences (frame unmarked, several sentences at once) prints a line per document.
    Windows whose output had another number of sentences, and translations that were cut, are counted on standard error.
    """
    if n_best > beam:
        raise typer.BadParameter(f"--n-best {n_best} is more than --beam {beam}")

    from docmt.scoring.plain_files import line_names, text_lines
    from docmt.trained.translate import translate_lines

    lines = list(text_lines(source))
    report_returns(label(source), lines)
    names = None if documents is None else line_names(documents, lines, str(source))
    trained = open_model(model, device, threads)
    penalty = {"length_penalty": length_penalty, "length_alpha": length_alpha}
    limits = {"max_length_a": max_length_a, "max_length_b": max_length_b}
    computing = {"batch_tokens": batch_tokens, "engine": engine}
    config = trained.decode_config(beam=beam, **penalty, **limits, n_best=n_best, **computing)
    with progress_display("translating", "segments") as progress:
        translated = translate_lines(trained, lines, config, progress, names)
    report_fallbacks(translated.fallbacks)
    for text in cut_texts(translated, lines):
        say(f"docmt: {label(source)}: {text}")
    if as_json:
        print_json(as_records(translated, lines, n_best))
    else:
        printed = map(tsv_line, translated.n_best()) if n_best else translated.texts()
        sys.stdout.writelines(line + "\n" for line in printed)


def as_records(translated: "Translated", lines: list[str], n_best: int) -> list[dict]:
    """Return a record for each hypothesis (n-best), each document (models without marks of sentences), or each line."""
    if n_best:
        header, *rows = translated.n_best()
        kinds = [N_BEST_NUMBERS.get(name, str) for name in header]
        return [{name: kind(cell) for name, kind, cell in zip(header, kinds, row, strict=True)} for row in rows]
    if translated.is_by_document:
        return [{"document": number, "translation": text} for number, text in enumerate(translated.texts(), 1)]
    pairs = zip(lines, translated.texts(), strict=True)
    return [{"line": number, "source": line, "translation": text} for number, (line, text) in enumerate(pairs, 1)]


def report_returns(name: str, lines: list[str]) -> None:
    """Print the number of carriage returns inside the lines of a file, if there are any: they end no line here."""
    returns = [line.count("\r") for line in lines]
    if any(returns):
        first = next(number for number, count in enumerate(returns, 1) if count)
        what = f"{count_of(sum(returns), 'carriage return')} inside lines, first in line {first}"
        say(f"docmt: {name}: {what}; only a line feed ends a line: convert the file where each should")


def report_fallbacks(fallbacks: "Fallbacks") -> None:
    """Print the number of windows whose output has a different number of sentences than their source, if any has."""
    if fallbacks.windows:
        from docmt.trained.translate import fallback_text

        say(f"docmt: {fallback_text(fallbacks)}")


def cut_texts(translated: "Translated", lines: Sequence[str]) -> list[str]:
    """Return messages about translations that were cut at their maximum length, and about lines that are too long."""
    from docmt.base.text_patterns import LONG_CHARACTERS

    long = [number for number, line in enumerate(lines, 1) if len(line) > LONG_CHARACTERS]
    messages = (
        (translated.cut_lines, "translation", "cut at the maximum length: --max-length-b raises it"),
        (long, "line", f"of more than {LONG_CHARACTERS:,} characters, which models translate in part: cut them"),
    )
    return [f"{count_of(len(found), noun)} {what} (first: line {found[0]})" for found, noun, what in messages if found]
