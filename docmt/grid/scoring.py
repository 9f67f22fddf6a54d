"""The settings of scoring of each study, and the folders of its scores.

The settings come, in this order, from `scoring` of config.yaml, from `scoring` of the study and from the scale; a later
source replaces the values of an earlier one.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from docmt.base.errors import UserError, check_known
from docmt.base.parse import laid_over, mapping, parse
from docmt.base.yaml_files import Lines
from docmt.catalogue.corpus import CorpusConfig
from docmt.grid.scale import Scale
from docmt.grid.study import SECTIONS
from docmt.reporting.study import StudyConfig
from docmt.settings.metrics import METRICS, parse_metric
from docmt.settings.scoring import TRAINED, ScoringConfig, WordVectorsConfig
from docmt.settings.system import Entry


def scoring_of_study(config: ScoringConfig, stated: Any, scale: Scale, lines: Lines) -> ScoringConfig:
    """Return the settings of scoring of a study.

    `config`: those of config.yaml. `stated`: the section `scoring` of the study, whose `lines` messages name. Raises
    UserError for settings that `scoring` cannot have.
    """
    merged = laid_over(dataclasses.asdict(config), mapping(stated, lines, ("scoring",)))
    return scale.scored(parse(ScoringConfig, merged, lines, ("scoring",)))


def check_measured_as(study: StudyConfig, lines: Lines) -> None:
    """Raise UserError where a paper's way of measuring is stated of an unknown metric, or by unknown settings."""
    for metric, statements in study.measured_as.items():
        check_known("metric", metric, METRICS, lines.place(("measured_as", metric)))
        for number, statement in enumerate(statements):
            merged = laid_over(dataclasses.asdict(ScoringConfig()), statement.scoring)
            parse(ScoringConfig, merged, lines, ("measured_as", metric, number, "scoring"))


def check_metrics(study: StudyConfig, scoring: ScoringConfig, lines: Lines) -> None:
    """Raise UserError for a metric that the settings of scoring do not have.

    It is one by an unknown convention of LTCR and HHI, or CXMI of more context than they state.
    """
    for section in SECTIONS:
        for name, item in getattr(study, section).items():
            for metric in item.measures:
                parsed, where = parse_metric(metric), lines.place((section, name))
                if parsed.set is not None and parsed.metric.judge == "aligner":
                    check_known("convention of scoring", parsed.set, scoring.conventions, where)
                if parsed.metric is METRICS["CXMI"]:
                    _check_context(metric, int(parsed.detail or 1), scoring.cxmi.context, where)


def _check_context(metric: str, needed: int, context: int | None, where: str) -> None:
    if needed > (context or 0):
        found = f"{metric}, and {context or 'no'} sentences of context"
        expected = f"scoring: {{cxmi: {{context: {needed}}}}}, or more sentences"
        what, remedy = "a metric of context that no model is given", "state it in this study, or in config.yaml"
        raise UserError(what, where=where, found=found, expected=expected, remedy=remedy)


def with_score_folders(
    entries: Iterable[Entry], before: Iterable[Entry], scoring: Mapping[str, ScoringConfig]
) -> Iterator[Entry]:
    """Yield the entries of a study with the folders of their scores.

    `before`: the entries of earlier studies. `scoring`: the settings of scoring of all these studies.
    """
    earlier: dict[tuple[str, str], list[Entry]] = {}
    for entry in before:
        earlier.setdefault((entry.corpus, entry.folder), []).append(entry)
    for entry in entries:
        shared = earlier.get((entry.corpus, entry.folder), [])
        alike = [other.scored for other in shared if scoring[other.study] == scoring[entry.study]]
        # A system that two studies score differently is trained and translated once.
        separate = f"{entry.folder}@{entry.study}" if shared else entry.folder
        yield dataclasses.replace(entry, scored=alike[0] if alike else separate)


def check_shared(
    entries: Iterable[Entry],
    scoring: Mapping[str, ScoringConfig],
    corpora: Mapping[str, CorpusConfig],
    lines: Mapping[str, Lines],
) -> None:
    """Refuse two studies that need different word vectors, or different aligners, of the same corpus and text.

    `lines`: the lines of the file of each study. Raises UserError for the first two studies.
    """
    # Both are trained once for each corpus and text, in a folder without a study.
    first: dict[tuple[str, str, str], tuple[str, Any]] = {}
    for entry in entries:
        language = corpora[entry.corpus].target_language
        for what, value in trained_settings(scoring[entry.study], language).items():
            study, other = first.setdefault((entry.corpus, entry.system.text, what), (entry.study, value))
            if value != other:
                key = next(key for key in value if value[key] != other[key])
                raise UserError(
                    f"two studies train {what} of the same corpus and text by different settings",
                    where=lines[entry.study].place(("scoring", *key.split("."))),
                    found=f"{value[key]} ({entry.corpus}, {entry.system.text})",
                    expected=f"{other[key]}, as the study {study} has",
                )


def trained_settings(scoring: ScoringConfig, language: str) -> dict[str, dict[str, Any]]:
    """Return the settings of what a corpus with this target language trains for its scores.

    They have two keys, "word vectors" and "an aligner", of which each is left out where nothing is trained.
    """
    trained: dict[str, dict[str, Any]] = {}
    if scoring.coherence.vectors.get(language) == TRAINED:
        names = [field.name for field in dataclasses.fields(WordVectorsConfig)]
        trained["word vectors"] = {f"coherence.{name}": getattr(scoring.coherence, name) for name in names}
    if scoring.aligner.kind == "default":
        trained["an aligner"] = {"consistency.chains": scoring.consistency.chains}
    return trained
