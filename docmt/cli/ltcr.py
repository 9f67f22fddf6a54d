"""`docmt ltcr`: lexical translation consistency of plain files."""

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.cli.options import AsJson, Documents, input_file
from docmt.cli.screen import print_json, show_table
from docmt.settings.scoring import ConsistencyConfig

OPTIONS_OF_THEIR_OWN = {"source_stop_lists": "--source-stop-list", "target_stop_lists": "--target-stop-list"}
RULES = [field.name for field in dataclasses.fields(ConsistencyConfig) if field.name not in OPTIONS_OF_THEIR_OWN]


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
    show(scores)


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


def show(scores: dict[Path, dict]) -> None:
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
