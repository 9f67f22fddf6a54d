"""The test sets of a study's page with their translations and chains, each read once."""

from dataclasses import dataclass
from functools import cached_property

from docmt.reporting.case_studies import ChainStudy, corpus_chain_study
from docmt.reporting.results import Results
from docmt.reporting.translations import CorpusTranslations, read_translations

MOST_SYSTEMS = 12
"""The largest number of systems in curves, translations and chains of a study: more cannot be distinguished."""


@dataclass(frozen=True)
class StudyTexts:
    """What the page of a study and the pages of its documents read of test sets; `results`: of at most MOST_SYSTEMS."""

    results: Results

    @classmethod
    def of(cls, results: Results) -> "StudyTexts":
        """Return the test sets of the first MOST_SYSTEMS systems."""
        return cls(results.with_systems(results.systems[:MOST_SYSTEMS]))

    @cached_property
    def translations(self) -> dict[str, CorpusTranslations]:
        """The translations of each corpus that has some."""
        read = {corpus: read_translations(self.results, corpus) for corpus in self.results.corpora}
        return {corpus: translations for corpus, translations in read.items() if translations is not None}

    @cached_property
    def chains(self) -> dict[str, ChainStudy]:
        """The case study of each corpus with scored chains."""
        studies = {corpus: corpus_chain_study(self.results, corpus) for corpus in self.results.corpora}
        return {corpus: study for corpus, study in studies.items() if study is not None}
