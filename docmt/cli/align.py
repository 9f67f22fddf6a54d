"""`docmt align`, `docmt aer` and `docmt ltcr`: links between the words of plain files, and how consistent they are."""

import dataclasses
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from docmt.base.artifacts import atomic_file
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.cli.options import AsJson, Documents, input_file, input_folder, output_file
from docmt.cli.screen import print_json, show_table
from docmt.settings.scoring import ConsistencyConfig

Kind = Literal["default", "eflomal", "awesome-align"]
Heuristic = Literal[
    "grow-diag-final-and", "grow-diag-final", "grow-diag", "intersection", "union", "forward", "backward"
]
OPTIONS_OF_THEIR_OWN = {"source_stop_lists": "--source-stop-list", "target_stop_lists": "--target-stop-list"}
RULES = [field.name for field in dataclasses.fields(ConsistencyConfig) if field.name not in OPTIONS_OF_THEIR_OWN]


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
    from docmt.scoring.alignment.links import HEURISTICS, pharaoh_line
    from docmt.scoring.corpus_aligner import aligner_by_name

    training = both(train_source, train_target)
    check_together(aligner, model, training)
    chosen = aligner_by_name(aligner, model, parallel(*training) if training else ((), ()))
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
    from docmt.scoring.plain_files import need_lines

    sentences, found = read_gold(gold, one_based), read_unchecked_links(hypothesis)
    need_lines(hypothesis, found, len(sentences), f"as in {gold}")
    if not sentences:
        raise UserError("no sentences", where=str(gold))
    quality = dataclasses.asdict(alignment_quality(found, sentences))
    if as_json:
        print_json(quality)
        return
    show_table(tuple(quality), [[shown(value) for value in quality.values()]], numbers=tuple(quality))


def shown(value: float | int | None) -> str:
    """A percentage, a number of links, or nothing to divide by."""
    return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def ltcr(
    source: Annotated[Path, input_file("tokenised source, a sentence a line (of pieces, where chains are)")],
    hypotheses: Annotated[list[Path], input_file("tokenised translations; may be given several times")],
    documents: Documents = None,
    alignments: Annotated[
        list[Path] | None,
        input_file("links of the lines as i-j, a file for each of --hypotheses [default: our own aligner]"),
    ] = None,
    aligner: Annotated[str | None, typer.Option(help="what made --alignments, for the signatures")] = None,
    train_source: Annotated[
        Path | None, input_file("tokenised text to count stop words in and to train the aligner on")
    ] = None,
    train_target: Annotated[Path | None, input_file("its translation, line by line")] = None,
    source_stop_list: Annotated[
        Path | None, input_file("words that make no chain, a word a line [default: the most frequent]")
    ] = None,
    target_stop_list: Annotated[
        Path | None, input_file("words that are no part of a translation [default: the most frequent]")
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="one of config.yaml's scoring.consistency, such as match=subset; may be given several times: "
            + ", ".join(RULES),
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Lexical consistency: how often repeated source words are translated alike (LTCR), and by how few words (HHI).

    Lyu et al. (2021; 2022, section 4.1 and eq. 25, 26). Without training text, the aligner learns from the files
    themselves, and stop words are counted in them; the signatures say which.
    """
    from docmt.scoring.chain_scores import StopFiles
    from docmt.scoring.plain_chains import STOP_WORDS, ChainFiles, chain_links, score_systems

    training = both(train_source, train_target)
    config = chosen(rule or []).of_corpus(("source", "target"), STOP_WORDS)
    files = ChainFiles.read(source, hypotheses, documents, training)
    links, made_by = chain_links(files, alignments or [], aligner)
    scores = score_systems(files, links, made_by, StopFiles(source_stop_list, target_stop_list), config)
    if as_json:
        print_json([{"system": str(path), "consistency": found} for path, found in scores.items()])
        return
    show_consistency(scores)


def both(source: Path | None, target: Path | None) -> tuple[Path, Path] | None:
    if (source is None) != (target is None):
        raise UserError("training text needs both sides", where="--train-source, --train-target")
    return source and (source, target)


def chosen(rules: list[str]) -> ConsistencyConfig:
    """Raises UserError for what is no NAME=VALUE, and for what the settings do not allow."""
    values = {}
    for rule in rules:
        name, equals, value = rule.partition("=")
        if not equals:
            raise UserError("not a rule", where="--rule", found=rule, expected="NAME=VALUE")
        if name in OPTIONS_OF_THEIR_OWN:
            raise UserError("not a rule", where="--rule", found=name, remedy=f"use {OPTIONS_OF_THEIR_OWN[name]}")
        values[name] = typed(value)
    return parse(ConsistencyConfig, values, "--rule")


def typed(value: str) -> Any:
    """As YAML reads it; text that is no YAML is text."""
    import yaml

    try:
        return yaml.safe_load(value)
    except yaml.YAMLError:
        return value


def show_consistency(scores: dict[Path, dict]) -> None:
    """A line a system, and the signatures below; a system without two translations to compare has no score."""
    columns = ("system", "LTCR", "95 %", "HHI", "chains", "pairs", "occurrences", "unaligned")
    rows = []
    for path, found in scores.items():
        if not found:
            rows.append((str(path), *["-"] * 7))
            continue
        one = found["LTCR"]
        interval = f"{one['interval']['low']:.2f}-{one['interval']['high']:.2f}"
        counts = (str(one[name]) for name in columns[4:])
        rows.append((str(path), f"{one['score']:.2f}", interval, f"{found['HHI']['score']:.2f}", *counts))
    show_table(columns, rows, numbers=columns[1:])
    typer.echo()
    for text in dict.fromkeys(one["signature"] for found in scores.values() for one in found.values()):
        typer.echo(text)
