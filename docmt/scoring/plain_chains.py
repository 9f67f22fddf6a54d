"""The scores LTCR and HHI of translations in plain text files.

The inputs are a tokenised source, tokenised translations of each system, and either files of word links or text from
which the aligner learns links.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from docmt.base.chains import words_of_pieces
from docmt.base.errors import UserError
from docmt.scoring.alignment.links import DirectedLinks, read_links
from docmt.scoring.alignment.training import ALIGNER_NAME
from docmt.scoring.chain_scores import StopFiles, StopLists, stop_lists
from docmt.scoring.corpus_aligner import aligner_by_name
from docmt.scoring.plain_files import parallel_lines, read_plain_files
from docmt.settings.scoring import ConsistencyConfig

STOP_WORDS = (1000, 150)
"""The default numbers of stop words of source and target; corpora of the workflow state their own numbers."""

SCORED_LINES = "-of-own-lines"
"""The end of the names of stop lists and aligners that are learnt from the scored lines themselves."""


@dataclass(frozen=True)
class ChainFiles:
    """The text that LTCR and HHI are computed from.

    `documents` has the name of the document of each sentence, `source` the source sentences. `systems` has the
    translations of each system by the path of their file. `training` has lines of source and target to train the
    aligner on and to find the stop words in; both are empty where there is no such text. Blank lines that separate
    documents are left out of `source` and `systems`; `is_sentence` says for each line of the files whether it is a
    sentence.
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
        """Read the files. Raises UserError where lines of two files do not correspond, or documents are not known."""
        files = read_plain_files([source], documents)
        sentences = files.documents, files.references.raw[0]
        systems = {path: files.translations(path).raw for path in hypotheses}
        return cls(*sentences, systems, files.is_sentence, parallel_lines(*training) if training else ((), ()))

    def with_blank_lines(self, lines: Sequence[str]) -> list[str]:
        """Return `lines`, one for each sentence, with the blank lines between documents put back."""
        sentences = iter(lines)
        return [next(sentences) if is_sentence else "" for is_sentence in self.is_sentence]

    def stop_lists(self, system: Path, config: ConsistencyConfig, files: StopFiles) -> StopLists:
        """Return the stop lists of a system: the words of `files`, or the most frequent words of a side without a file.

        Words are counted in the training text or, where there is none, in the source and in the system's translations.
        """
        lines, suffix = (self.training, "") if self.training[0] else ((self.source, self.systems[system]), SCORED_LINES)
        source = lines[0]
        if config.chains == "pieces":
            source = [" ".join(words_of_pieces(line.split())[0]) for line in source]
        return stop_lists(config, files, source, lines[1], suffix)


def chain_links(
    files: ChainFiles, alignments: Sequence[Path], aligner: str | None
) -> tuple[dict[Path, list[DirectedLinks]], str]:
    """Return the word links of each system, and the name of their aligner in signatures.

    `alignments` are files of links, and `aligner` is the user's name for the aligner that wrote them. Without such
    files, the default aligner learns the links from the source and the translations of each system and, where it is
    given, from the training text.

    Raises UserError as `given_links` does, and where the user names an aligner and gives no files of links.
    """
    if alignments:
        return given_links(files, alignments), aligner or "given"
    if aligner:
        raise UserError(
            "the option names the aligner of the files --links, and no such file is given",
            where="--aligner",
            found=aligner,
        )
    aligner = aligner_by_name("default", None, files.training)
    links = {path: aligner.align(files.source, lines).lines for path, lines in files.systems.items()}
    return links, ALIGNER_NAME if files.training[0] else ALIGNER_NAME + SCORED_LINES


def given_links(files: ChainFiles, alignments: Sequence[Path]) -> dict[Path, list[DirectedLinks]]:
    """Read the word links of each system; `alignments` has a file for each system, in the order of the systems.

    A file of links has a line for each line of the text files, also for the blank lines that separate documents. Raises
    UserError where the number of files differs from the number of systems, or lines do not correspond.
    """
    if len(alignments) != len(files.systems):
        expected = f"{len(files.systems)}, one for each of --hypotheses"
        raise UserError(
            "a different number of files of links", where="--links", found=len(alignments), expected=expected
        )
    links = {}
    for (path, lines), file in zip(files.systems.items(), alignments, strict=True):
        lines_of_links = read_links(file, files.with_blank_lines(files.source), files.with_blank_lines(lines))
        links[path] = [
            DirectedLinks.symmetric(sentence_links)
            for sentence_links, is_sentence in zip(lines_of_links, files.is_sentence, strict=True)
            if is_sentence
        ]
    return links
