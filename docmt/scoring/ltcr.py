"""The metrics LTCR and HHI of a system, computed on the lexical chains of the test split."""

from docmt.base.parse import parse
from docmt.scoring.chain_scores import AlignedTranslations, ChainCorpus, stop_lists
from docmt.scoring.consistency import consistency, consistency_tallies
from docmt.scoring.corpus_aligner import corpus_aligner
from docmt.scoring.inputs import collapse_runs
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.occurrences import occurrences, signature, translated_chains
from docmt.settings.scoring import AlignerConfig, ConsistencyConfig


def score(job: ScoringJob) -> ScoringResult:
    """Return LTCR and HHI of the lexical chains of the test documents.

    The result is empty where a line of the translations is a document, since sentences are needed for word alignment,
    and where the settings have no aligner, since its model is not there.
    """
    if job.lines != "sentences" or job.settings["aligner"] is None:
        return ScoringResult()
    config = parse(ConsistencyConfig, job.settings["consistency"], "settings.json", ("consistency",))
    aligner_config = parse(AlignerConfig, job.settings["aligner"], "settings.json", ("aligner",))
    corpus = ChainCorpus.read(job.inputs.tokens, config)
    lists = stop_lists(config, job.inputs.stop_files, corpus.source_words, corpus.target)
    is_awesome = aligner_config.kind == "awesome-align"
    folder = job.inputs.aligner_model if is_awesome else job.inputs.aligner
    aligner = corpus_aligner(aligner_config, folder, corpus)
    outputs = job.translations.tokenized, job.references.tokenized[0]
    aligned = [aligner.align(corpus.test_source, lines) for lines in outputs]
    system, reference = (
        AlignedTranslations(corpus.documents, corpus.test_source, lines, alignment.lines)
        for lines, alignment in zip(outputs, aligned, strict=True)
    )
    translated = translated_chains(system, lists, config)
    occurrence_signature = signature(config, lists, aligned[0].signature)
    return ScoringResult(
        {"consistency": consistency(translated, config, occurrence_signature)},
        consistency_tallies(translated, collapse_runs(job.references.documents), config),
        occurrences(system, reference, lists, config),
    )
