"""`docmt align` and `docmt aer`: links between the words of plain files."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.base.errors import UserError
from docmt.cli.ltcr import both
from docmt.cli.options import input_file, input_folder, output_file
from docmt.cli.score import AsJson
from docmt.cli.screen import print_json, show_table

Kind = Literal["default", "eflomal", "awesome-align"]
Heuristic = Literal[
    "grow-diag-final-and", "grow-diag-final", "grow-diag", "intersection", "union", "forward", "backward"
]


def align(
    source: Annotated[Path, typer.Argument(help="tokenised text, a sentence a line", dir_okay=False)],
    target: Annotated[Path, typer.Argument(help="its translation, line by line", dir_okay=False)],
    train_source: Annotated[Path | None, input_file("more such text to learn from")] = None,
    train_target: Annotated[Path | None, input_file("its translation, line by line")] = None,
    aligner: Annotated[
        Kind,
        typer.Option(
            help="default: our own, the same every time; eflomal: never twice the same; awesome-align: by a BERT"
        ),
    ] = "default",
    model: Annotated[
        Path | None,
        input_folder("a folder: awesome-align's BERT, or what docmt train-aligner has made for our own aligner"),
    ] = None,
    symmetrise: Annotated[
        Heuristic | None,
        typer.Option(
            help="one set of links from those of both directions [default: grow-diag-final-and]; forward: a link each "
            "target word; backward: a link each source word",
        ),
    ] = None,
    output: Annotated[Path | None, output_file("file to write [default: standard output]")] = None,
) -> None:
    """Align words: a line of links i-j for each sentence pair, both counted from 0 (the format of Pharaoh and Moses).

    How they were found is said on standard error, as signatures of LTCR have it.
    """
    from docmt.base.artifacts import atomic_file
    from docmt.scoring.alignment.links import HEURISTICS, pharaoh_line
    from docmt.scoring.corpus_aligner import named_aligner

    training = both(train_source, train_target)
    check_together(aligner, model, training)
    chosen = named_aligner(aligner, model, parallel(*training) if training else ((), ()))
    if symmetrise and aligner == "awesome-align":
        raise UserError("awesome-align has one set of links", where="--symmetrise", found=symmetrise)
    found = chosen.align(*parallel(source, target))
    heuristic = symmetrise or "grow-diag-final-and"
    with atomic_file(output) if output else nullcontext(typer.get_text_stream("stdout")) as stream:
        stream.writelines(pharaoh_line(HEURISTICS[heuristic](aligned)) + "\n" for aligned in found.lines)
    symmetrised = "" if aligner == "awesome-align" else f"|symmetrise:{heuristic}"
    typer.echo(f"aligner:{found.signature}{symmetrised}", err=True)


def check_together(kind: Kind, model: Path | None, training: tuple[Path, Path] | None) -> None:
    """Raises UserError for options that do not go together."""
    if kind == "awesome-align" and model is None:
        raise UserError("awesome-align needs a model", where="--model", expected="the folder of a BERT")
    if kind == "eflomal" and model is not None:
        raise UserError("eflomal has no model", where="--model", found=model)
    if model is not None and training:
        found, remedy = training[0], "leave out --model, or the text"
        raise UserError("a model does not learn from more text", where="--train-source", found=found, remedy=remedy)


def parallel(source: Path, target: Path) -> tuple[Sequence[str], Sequence[str]]:
    """Raises UserError where the files have not as many lines, or none."""
    from docmt.scoring.plain_files import parallel_lines

    lines = parallel_lines(source, target)
    if not lines[0]:
        raise UserError("no sentences", where=str(source))
    return lines


def aer(
    gold: Annotated[
        Path, typer.Argument(help="links that people made: i-j; ipj where they are possible, not sure", dir_okay=False)
    ],
    hypothesis: Annotated[Path, typer.Argument(help="links found, as docmt align prints them", dir_okay=False)],
    one_based: Annotated[bool, typer.Option("--one-based", help="GOLD counts words from 1")] = False,
    as_json: AsJson = False,
) -> None:
    """Alignment error rate (Och and Ney 2003), with precision and recall, in percent."""
    from docmt.scoring.alignment.links import alignment_quality, read_gold, read_unchecked_links
    from docmt.scoring.plain_files import other_length

    sentences, found = read_gold(gold, one_based), read_unchecked_links(hypothesis)
    if len(found) != len(sentences):
        raise other_length(hypothesis, found, f"{len(sentences)}, as in {gold}")
    if not sentences:
        raise UserError("no sentences", where=str(gold))
    quality = asdict(alignment_quality(found, sentences))
    if as_json:
        print_json(quality)
        return
    show_table(tuple(quality), [[shown(value) for value in quality.values()]], numbers=tuple(quality))


def shown(value: float | int | None) -> str:
    """A percentage, a number of links, or nothing to divide by."""
    return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
