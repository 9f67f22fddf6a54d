"""`docmt score-consistency`: the lexical consistency of translations in plain files, by LTCR and HHI."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.screen import tell
from docmt.cli.align import both
from docmt.cli.options import AsJson, Documents, Hypotheses, Source, TrainSource, TrainTarget, input_file, overrides
from docmt.cli.score_table import answer_scores
from docmt.cli.standard_input import label
from docmt.settings.scoring import ConsistencyConfig

# The rules for which there is an option of another name, with the option.
NAMED_OPTIONS = {"source_stop_lists": "--source-stop-list", "target_stop_lists": "--target-stop-list"}
RULES = [field.name for field in dataclasses.fields(ConsistencyConfig) if field.name not in NAMED_OPTIONS]


def score_consistency(
    source: Source,
    hypotheses: Hypotheses,
    documents: Documents = None,
    links: Annotated[
        list[Path] | None,
        input_file("links (i-j), a file for each of --hypotheses [default: our own aligner]"),
    ] = None,
    aligner: Annotated[str | None, typer.Option(help="name of the aligner that made --links, for signatures")] = None,
    train_source: TrainSource = None,
    train_target: TrainTarget = None,
    source_stop_list: Annotated[
        Path | None, input_file("words that make no chain, one per line [default: the most frequent words]")
    ] = None,
    target_stop_list: Annotated[
        Path | None, input_file("words that are no part of a translation, one per line [default: the most frequent]")
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="setting of scoring.consistency in config.yaml, such as match=subset; repeat it: " + ", ".join(RULES),
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score lexical consistency by LTCR and HHI.

    LTCR says how often repeated source words are translated alike, HHI by how few words they are. Lyu et al. (2021;
    2022, section 4.1 and eq. 25, 26). Files are tokenised. Without training text the aligner learns from the files
    themselves, and stop words are counted in them; the signatures say which.
    """
    from docmt.api.consistency import consistency_scores, consistency_warnings
    from docmt.scoring.chain_scores import StopFiles
    from docmt.scoring.plain_chains import STOP_WORDS, ChainFiles, chain_links

    training = both(train_source, train_target)
    config = rules_of(rule).of_corpus(("source", "target"), STOP_WORDS)
    files = ChainFiles.read(source, hypotheses, documents, training)
    tell(consistency_warnings(files.source, {label(path): lines for path, lines in files.systems.items()}, config))
    aligned, aligner_name = chain_links(files, links or [], aligner)
    stop_files = StopFiles(source_stop_list, target_stop_list)
    scores = consistency_scores(files, aligned, aligner_name, stop_files, config)
    tell(f"{label(path)}: nothing to count: {reason}" for path, (_, reason) in scores.items() if reason)
    systems = {label(path): of_system for path, (of_system, _) in scores.items()}
    reasons = [{"reason": reason or None} for of_system, reason in scores.values() for _ in of_system]
    answer_scores(as_json, systems, ("chains", "pairs", "occurrences", "unaligned"), reasons)


def rules_of(rules: list[str] | None) -> ConsistencyConfig:
    """Return the settings with the values of `--rule`; raise UserError where a rule is not NAME=VALUE, or unknown."""
    values = overrides(rules, "--rule")
    for name in values.keys() & NAMED_OPTIONS.keys():
        raise UserError("not a rule", where="--rule", found=name, remedy=f"use {NAMED_OPTIONS[name]}")
    return parse(ConsistencyConfig, values, "--rule")
