"""LTCR and HHI of a system of the workflow: its translations of the test split's lexical chains."""

from collections.abc import Sequence
from pathlib import Path

from docmt.base.parse import parse
from docmt.scoring.consistency import consistency, consistency_tallies
from docmt.scoring.corpus_aligner import Corpus, corpus_aligner
from docmt.scoring.inputs import runs
from docmt.scoring.measured import Given, Scored
from docmt.scoring.occurrences import StopLists, occurrences, signature, translated_chains
from docmt.scoring.stop_lists import StopFiles, StopList, cased, most_frequent, read_stop_list
from docmt.settings.scoring import AlignerConfig, ConsistencyConfig


def stop_lists(
    config: ConsistencyConfig, files: StopFiles, source: Sequence[str], target: Sequence[str], of: str = ""
) -> StopLists:
    """`source`, `target`: lines of words, of which the most frequent are counted; `of`: which (`most_frequent`)."""
    return StopLists(
        _stop_list(files.source, config.source_stop_words, source, config.source_case == "lower", of),
        _stop_list(files.target, config.target_stop_words, target, config.target_case == "lower", of),
    )


def _stop_list(file: Path | None, count: int | None, lines: Sequence[str], lower: bool, of: str) -> StopList:
    if file is not None:
        return read_stop_list(file, lower)
    return most_frequent((cased(line, lower) for line in lines), count or 0, of)


def score(given: Given) -> Scored:
    """LTCR and HHI of the test documents' lexical chains."""
    if given.lines != "sentences":
        return Scored()
    config = parse(ConsistencyConfig, given.settings["consistency"], "settings.json", ("consistency",))
    chosen = parse(AlignerConfig, given.settings["aligner"], "settings.json", ("aligner",))
    corpus = Corpus.read(given.inputs.tokens, config)
    lists = stop_lists(config, given.inputs.stop_files, corpus.source_words, corpus.target)
    aligner = corpus_aligner(chosen, given.inputs.aligner, corpus)
    texts = [corpus.texts(lines) for lines in (given.translations.tokenized, given.references.tokenized[0])]
    aligned = [aligner.align(one.sources, one.hypotheses) for one in texts]
    system, reference = [(one, links.lines) for one, links in zip(texts, aligned, strict=True)]
    translated = translated_chains(*system, lists, config)
    how = signature(config, lists, aligned[0].signature)
    return Scored(
        {"consistency": consistency(translated, config, how)},
        consistency_tallies(translated, runs(given.references.documents), config),
        occurrences(system, reference, lists, config),
    )
