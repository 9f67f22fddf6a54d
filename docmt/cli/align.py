"""`docmt align` and `docmt score-links`: links between the words of plain files, and their quality."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.base.artifacts import atomic_file
from docmt.base.errors import UserError
from docmt.base.screen import answer, print_json, say, show_table
from docmt.cli.options import AsJson, Source, TrainSource, TrainTarget, input_file, input_folder, output_file
from docmt.settings.scoring import AlignerName

Heuristic = Literal[
    "grow-diag-final-and", "grow-diag-final", "grow-diag", "intersection", "union", "forward", "backward"
]


def align(
    source: Source,
    target: Annotated[Path, input_file("translation of the source, line by line")],
    train_source: TrainSource = None,
    train_target: TrainTarget = None,
    aligner: Annotated[
        AlignerName,
        typer.Option(help="default: ours, the same links every time; eflomal: random; awesome-align: by a BERT"),
    ] = "default",
    model: Annotated[
        Path | None,
        input_folder("folder of awesome-align's BERT, or of a default aligner that the workflow trained"),
    ] = None,
    symmetrise: Annotated[
        Heuristic | None,
        typer.Option(
            help="how links of both directions become one set [default: grow-diag-final-and]; forward: at most one "
            "link per target word; backward: at most one link per source word",
        ),
    ] = None,
    output: Annotated[Path | None, output_file("file to write [default: standard output]")] = None,
    as_json: AsJson = False,
) -> None:
    """Align the words of sentence pairs.

    A line has the links i-j of a pair, both counted from 0 (the format of Pharaoh and Moses). Both files are tokenised:
    blanks separate words. The signature on standard error says how the links were found.
    """
    from docmt.api.alignment import align_lines, check_together

    training = both(train_source, train_target)
    check_together(aligner, model, training is not None, symmetrise)
    lines = parallel(source, target)
    alignment = align_lines(lines, training and parallel(*training), aligner, model, symmetrise)
    with atomic_file(output) if output else nullcontext(typer.get_text_stream("stdout")) as stream:
        if as_json:
            print_json(alignment, stream)
        else:
            stream.writelines(" ".join(f"{i}-{j}" for i, j in links) + "\n" for links in alignment.links)
    say(alignment.signature)


def both(source: Path | None, target: Path | None) -> tuple[Path, Path] | None:
    """Return the two files of the training text, or None without any; raise UserError where only one is given."""
    if (source is None) != (target is None):
        raise UserError("training text needs both sides", where="--train-source, --train-target")
    return source and (source, target)


def parallel(source: Path, target: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lines of both files; raise UserError where their numbers of lines differ, or there is no line."""
    from docmt.scoring.plain_files import parallel_lines

    lines = parallel_lines(source, target)
    if not lines[0]:
        raise UserError("no sentences", where=str(source))
    return lines


def score_links(
    gold: Annotated[
        Path, input_file("gold links, which people made: i-j where they are sure, ipj where they are possible")
    ],
    links: Annotated[Path, input_file("links to score, as docmt align prints them")],
    gold_starts_at_1: Annotated[
        bool, typer.Option("--gold-starts-at-1", help="words in --gold are counted from 1 instead of 0")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Score links by their alignment error rate.

    It is that of Och and Ney (2003), beside precision and recall, all in percent.
    """
    from docmt.scoring.alignment.links import alignment_quality, read_gold, read_unchecked_links
    from docmt.scoring.plain_files import need_lines

    sentences, lines = read_gold(gold, gold_starts_at_1), read_unchecked_links(links)
    need_lines(links, lines, len(sentences), f"as in {gold}")
    if not sentences:
        raise UserError("no sentences", where=str(gold))
    quality = vars(alignment_quality(lines, sentences))
    row = [cell(value) for value in quality.values()]
    answer(as_json, quality, lambda: show_table(tuple(quality), [row], numbers=tuple(quality)))


def cell(value: float | int | None) -> str:
    """Return a percentage or a number of links as text; `-` stands for a percentage of no links."""
    return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
