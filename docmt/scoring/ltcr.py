"""The metrics LTCR and HHI of a system, computed on the lexical chains of the test split.

They are computed by the settings `consistency`, and by each of the `conventions`, whose metrics have names such as
`LTCR:overlap`. All of them use the same word alignment.
"""

from dataclasses import dataclass, replace

from docmt.base.parse import parse
from docmt.scoring.chain_scores import AlignedTranslations, ChainCorpus, StopFiles, StopLists, stop_lists
from docmt.scoring.consistency import consistency_tallies
from docmt.scoring.corpus_aligner import corpus_aligner
from docmt.scoring.inputs import collapse_runs
from docmt.scoring.intervals import scores_of
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.occurrences import occurrences, signature, translated_chains
from docmt.scoring.tallies import Tally
from docmt.settings.scoring import AlignerConfig, ConsistencyConfig, ConventionConfig, with_convention

SIDES = ("source", "target")  # The sides of a corpus, each with a stop list


@dataclass(frozen=True)
class AlignedTest:
    """The aligned translations of a system, with what stop lists are made from.

    `aligner` is the signature of the aligner, and `documents` has the names of the test documents.
    """

    system: AlignedTranslations
    corpus: ChainCorpus
    stop_files: StopFiles
    aligner: str
    documents: list[str]

    def stop_lists(self, config: ConsistencyConfig, files: StopFiles) -> StopLists:
        """Return the stop lists of both sides, from `files` or else from the training split."""
        return stop_lists(config, files, self.corpus.source_words, self.corpus.target)

    def tallies(self, config: ConsistencyConfig, lists: StopLists) -> list[Tally]:
        """Return the tallies of LTCR and HHI."""
        translated = translated_chains(self.system, lists, config)
        return consistency_tallies(translated, self.documents, config, signature(config, lists, self.aligner))

    def by_convention(self, name: str, config: ConsistencyConfig, convention: ConventionConfig) -> list[Tally]:
        """Return the tallies by a convention, whose names are such as `LTCR:overlap`."""
        counted = [side for side in SIDES if getattr(convention, f"{side}_stop_words") is not None]
        files = replace(self.stop_files, **dict.fromkeys(counted))
        changed = with_convention(config, convention)
        tallies = self.tallies(changed, self.stop_lists(changed, files))
        return [replace(tally, group=f":{name}") for tally in tallies]


def score(job: ScoringJob) -> ScoringResult:
    """Return LTCR and HHI of the lexical chains of the test documents, and those of the reference.

    The result is empty where a line of the translations is a document, since sentences are needed for word alignment,
    and where the settings have no aligner, since its model is not there.
    """
    if job.lines != "sentences" or job.settings["aligner"] is None:
        return ScoringResult()
    config = parse(ConsistencyConfig, job.settings["consistency"], "job.json", ("consistency",))
    aligned, reference = align_test(job, config)
    lists = aligned.stop_lists(config, job.inputs.stop_files)
    tallies, of_reference = (_tallies(texts, lists, job, config) for texts in (aligned, reference))
    scores = scores_of(tallies) + scores_of(of_reference, "reference")
    return ScoringResult(scores, tallies, occurrences(aligned.system, reference.system, lists, config))


def _tallies(aligned: AlignedTest, lists: StopLists, job: ScoringJob, config: ConsistencyConfig) -> list[Tally]:
    tallies = aligned.tallies(config, lists)
    for name, stated in job.settings["conventions"].items():
        convention = parse(ConventionConfig, stated, "job.json", ("conventions", name))
        tallies += aligned.by_convention(name, config, convention)
    return [tally for tally in tallies if tally.counts.any()]


def align_test(job: ScoringJob, config: ConsistencyConfig) -> tuple[AlignedTest, AlignedTest]:
    """Return the aligned translations of the system, and the aligned references."""
    aligner_config = parse(AlignerConfig, job.settings["aligner"], "job.json", ("aligner",))
    corpus = ChainCorpus.read(job.inputs.tokens, config)
    is_awesome = aligner_config.kind == "awesome-align"
    folder = job.inputs.aligner_model if is_awesome else job.inputs.aligner
    aligner = corpus_aligner(aligner_config, folder, corpus)
    outputs = job.translations.tokenized, job.references.tokenized[0]
    aligned = [aligner.align(corpus.test_source, lines) for lines in outputs]
    documents = collapse_runs(job.references.documents)
    system, reference = (
        AlignedTest(
            AlignedTranslations(corpus.documents, corpus.test_source, lines, alignment.lines),
            corpus,
            job.inputs.stop_files,
            alignment.signature,
            documents,
        )
        for lines, alignment in zip(outputs, aligned, strict=True)
    )
    return system, reference
