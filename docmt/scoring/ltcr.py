"""LTCR and HHI of a system of the workflow: of its translations of the test split's lexical chains."""

from docmt.base.parse import parse
from docmt.scoring.chain_scores import Corpus, Texts, stop_lists
from docmt.scoring.consistency import consistency, consistency_tallies
from docmt.scoring.corpus_aligner import corpus_aligner
from docmt.scoring.inputs import runs
from docmt.scoring.measured import Given, Scored
from docmt.scoring.occurrences import occurrences, signature, translated_chains
from docmt.settings.scoring import AlignerConfig, ConsistencyConfig


def score(given: Given) -> Scored:
    """LTCR and HHI of the test documents' lexical chains."""
    if given.lines != "sentences":
        return Scored()
    config = parse(ConsistencyConfig, given.settings["consistency"], "settings.json", ("consistency",))
    chosen = parse(AlignerConfig, given.settings["aligner"], "settings.json", ("aligner",))
    corpus = Corpus.read(given.inputs.tokens, config)
    lists = stop_lists(config, given.inputs.stop_files, corpus.source_words, corpus.target)
    aligner = corpus_aligner(chosen, given.inputs.aligner, corpus)
    outputs = given.translations.tokenized, given.references.tokenized[0]
    aligned = [aligner.align(corpus.test_source, lines) for lines in outputs]
    system, reference = (
        Texts(corpus.documents, corpus.test_source, lines, found.lines)
        for lines, found in zip(outputs, aligned, strict=True)
    )
    translated = translated_chains(system, lists, config)
    how = signature(config, lists, aligned[0].signature)
    return Scored(
        {"consistency": consistency(translated, config, how)},
        consistency_tallies(translated, runs(given.references.documents), config),
        occurrences(system, reference, lists, config),
    )
