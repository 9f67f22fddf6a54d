"""LTCR and HHI of plain files: source words, translations' words, and links or text to learn links from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from docmt.base.chains import words_of_pieces
from docmt.base.errors import UserError
from docmt.scoring.alignment.links import DirectedLinks, read_links
from docmt.scoring.alignment.training import ALIGNER_NAME
from docmt.scoring.chain_scores import AlignedTranslations, StopFiles, StopLists, stop_lists
from docmt.scoring.consistency import consistency
from docmt.scoring.corpus_aligner import aligner_by_name
from docmt.scoring.occurrences import signature, translated_chains
from docmt.scoring.plain_files import parallel_lines, read_plain_files
from docmt.settings.scoring import ConsistencyConfig

STOP_WORDS = (1000, 150)
"""How many stop words source and target have by default; a corpus of the workflow states its own."""

SCORED_LINES = "-of-own-lines"
"""Ends the names of stop lists and aligners that were made from what is scored."""


@dataclass(frozen=True)
class ChainFiles:
    """`systems`: the translations of each, by path; `training`: lines of source and target, none where none are given.

    Borders between documents are left out of all but `is_sentence`: which lines of the files are sentences.
    """

    documents: Sequence[str]
    source: Sequence[str]
    systems: dict[Path, Sequence[str]]
    is_sentence: Sequence[bool]
    training: tuple[Sequence[str], Sequence[str]] = ((), ())

    @classmethod
    def read(
        cls, source: Path, hypotheses: Sequence[Path], documents: Path | None, training: tuple[Path, Path] | None
    ) -> "ChainFiles":
        """Raises UserError where lines do not correspond, or nobody said what the documents are."""
        files = read_plain_files([source], documents)
        sentences = files.documents, files.references.raw[0]
        systems = {path: files.translations(path).raw for path in hypotheses}
        return cls(*sentences, systems, files.is_sentence, parallel_lines(*training) if training else ((), ()))

    def with_borders(self, lines: Sequence[str]) -> list[str]:
        """As the files have them."""
        sentences = iter(lines)
        return [next(sentences) if is_sentence else "" for is_sentence in self.is_sentence]

    def stop_lists(self, system: Path, config: ConsistencyConfig, files: StopFiles) -> StopLists:
        """The most frequent words of the training text or, without one, of the source and of the system's own lines."""
        lines, suffix = (self.training, "") if self.training[0] else ((self.source, self.systems[system]), SCORED_LINES)
        source = lines[0]
        if config.chains == "pieces":
            source = [" ".join(words_of_pieces(line.split())[0]) for line in source]
        return stop_lists(config, files, source, lines[1], suffix)


def chain_links(
    files: ChainFiles, alignments: Sequence[Path], aligner: str | None
) -> tuple[dict[Path, list[DirectedLinks]], str]:
    """Those given, if any, else our own aligner's; and what made them, as signatures have it: `aligner`, if it is said.

    Our own learns from each system's lines and, where there is some, from the training text.

    Raises UserError as `given_links` does, and for an aligner without alignments.
    """
    if alignments:
        return given_links(files, alignments), aligner or "given"
    if aligner:
        raise UserError("it says what made --alignments, and there are none", where="--aligner", found=aligner)
    aligner = aligner_by_name("default", None, files.training)
    links = {path: aligner.align(files.source, lines).lines for path, lines in files.systems.items()}
    return links, ALIGNER_NAME if files.training[0] else ALIGNER_NAME + SCORED_LINES


def given_links(files: ChainFiles, alignments: Sequence[Path]) -> dict[Path, list[DirectedLinks]]:
    """Links of each system, a file for each in their order, with a line for every line of the text files.

    Raises UserError where these do not correspond.
    """
    if len(alignments) != len(files.systems):
        expected = f"{len(files.systems)}, one for each of --hypotheses"
        raise UserError("another number of alignments", where="--alignments", found=len(alignments), expected=expected)
    links = {}
    for (path, lines), file in zip(files.systems.items(), alignments, strict=True):
        found = read_links(file, files.with_borders(files.source), files.with_borders(lines))
        links[path] = [
            DirectedLinks.symmetric(one)
            for one, is_sentence in zip(found, files.is_sentence, strict=True)
            if is_sentence
        ]
    return links


def score_systems(
    files: ChainFiles,
    links: dict[Path, Sequence[DirectedLinks]],
    aligner: str,
    stop_files: StopFiles,
    config: ConsistencyConfig,
) -> dict[Path, dict]:
    """LTCR and HHI of each system, as `docmt.scoring.consistency.consistency` gives them."""
    scores = {}
    for path, lines in files.systems.items():
        lists = files.stop_lists(path, config, stop_files)
        texts = AlignedTranslations(files.documents, files.source, lines, links[path])
        scores[path] = consistency(translated_chains(texts, lists, config), config, signature(config, lists, aligner))
    return scores
