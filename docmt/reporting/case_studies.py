"""Case studies of lexical chains: counts and examples of the translations of words that a document repeats.

Paper: lexical chains (Lyu et al. 2022), appendix G. Figure 8 has a word that one system translates in several ways and
another system in one way. Figure 9 has an over-correction: a system always has the same translation where the reference
has several.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow.compute as pc

from docmt.base import paths
from docmt.base.columns import TOKENS, only
from docmt.base.names import UNSPACED
from docmt.base.tables import read_arrow
from docmt.reporting.chain_cases import ChainCase, ChainCounts, Rendering, chain_counts, overcorrected, read_chains
from docmt.reporting.results import Results, Run
from docmt.reporting.translations import has_sentences, read_lines

MOST_CASES = 2  # The largest number of documents of a corpus that the page shows.
MOST_CHAINS = 6  # The largest number of lexical chains of a document that the page shows.
MOST_LINES = 12  # The largest number of sentences of a case that the page shows.
MOST_OVERCORRECTIONS = 5  # The largest number of over-corrected chains of a corpus that the page shows.

# The columns of a TOKENS table that a case study reads.
TEST_TOKENS = only(TOKENS, "split", "sentence", "source_tokens", "source_pieces", "target_tokens")


@dataclass(frozen=True)
class Span:
    """Adjacent words of a sentence that belong to the same chain, or to no chain."""

    text: str
    chain: int | None = None  # The number of the chain in its case, from 0.
    is_odd: bool = False  # Whether the words are a translation other than the most frequent one of the chain.


@dataclass(frozen=True)
class CaseLine:
    """A source sentence with its translations; `number` is the number of the sentence in its document, from 1."""

    number: int
    source: tuple[Span, ...]
    reference: tuple[Span, ...]
    systems: tuple[tuple[Span, ...], ...]


@dataclass(frozen=True)
class Case:
    """An example of the page: lexical chains of one document, and the sentences in which these chains occur."""

    document: str
    words: tuple[str, ...]  # The source word of each chain.
    chains: tuple[ChainCase, ...]
    lines: tuple[CaseLine, ...]  # The first of the sentences.
    left_out: int  # The number of the other sentences in which the chains occur, which the page does not show.

    @property
    def overcorrecting(self) -> tuple[str, ...]:
        """The systems that over-correct every chain of the case."""
        return tuple(
            name for name in self.chains[0].systems if all(chain.is_overcorrected(name) for chain in self.chains)
        )


@dataclass(frozen=True)
class ChainStudy:
    """All chains of a corpus with their translations by systems that can be compared, all with the same seed."""

    corpus: str
    seed: int
    systems: tuple[str, ...]
    chains: tuple[ChainCase, ...]
    texts: "SentenceTokens"

    @cached_property
    def counts(self) -> tuple[ChainCounts, ...]:
        """The counts of consistent chains, of the reference and of each system."""
        return tuple(chain_counts(self.chains, system) for system in (None, *self.systems))

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """Documents on which the systems differ, with the chains on which they differ."""
        differing = [chain for chain in self.chains if chain.differs]
        return tuple(_case(_most_different(name, differing), self.texts) for name in documents_to_show(self.chains))

    @cached_property
    def overcorrections(self) -> tuple[Case, ...]:
        """Over-corrected chains, one for each example."""
        return tuple(_case([chain], self.texts) for chain in overcorrected(self.chains)[:MOST_OVERCORRECTIONS])

    def of_document(self, name: str) -> Case | None:
        """Return the MOST_CHAINS chains of a document on which systems differ most; None for one without chains."""
        chains = _most_different(name, self.chains)
        return _case(chains, self.texts, most_lines=None) if chains else None


def corpus_chain_study(results: Results, corpus: str) -> ChainStudy | None:
    """Return the case study of a corpus for the smallest scored seed; None where no chains were scored.

    Raises UserError where a file of translations does not have a line for each test sentence.
    """
    runs = [run for run in results.of(corpus) if run.occurrences.exists() and has_sentences(run)]
    if not runs:
        return None
    first = min(runs, key=lambda run: run.seed)
    # Chains of other presets of text than the first system's cannot be compared.
    comparable = [run for run in runs if (run.seed, run.entry.system.text) == (first.seed, first.entry.system.text)]
    return chain_study(results, comparable)


def chain_study(results: Results, runs: Sequence[Run]) -> ChainStudy:
    """Return the case study of `runs`, which have the same corpus, seed and preset of text.

    Raises UserError where a file of translations does not have a line for each test sentence.
    """
    corpus = runs[0].entry.corpus
    return ChainStudy(
        corpus,
        runs[0].seed,
        tuple(run.entry.system.name for run in runs),
        tuple(read_chains(runs)),
        SentenceTokens.read(results, runs[0], runs),
    )


def documents_to_show(chains: Sequence[ChainCase]) -> list[str]:
    """Return at most MOST_CASES documents with the most chains that differ, the earlier one of equals first."""
    return [name for name, _ in Counter(chain.document for chain in chains if chain.differs).most_common(MOST_CASES)]


@dataclass(frozen=True)
class SentenceTokens:
    """The tokens of all test sentences: of the source (by the unit of chains), the reference and each system."""

    numbers: list[int]
    """The number of each sentence in its document, from 1."""
    sources: dict[str, list[list[str]]]
    reference: list[list[str]]
    systems: dict[str, list[list[str]]]
    blank: str
    """The text between two source words: a space, or nothing for languages that write no spaces."""

    @classmethod
    def read(cls, results: Results, first: Run, runs: Sequence[Run]) -> "SentenceTokens":
        """Read the tokens of the corpus, in the preset of text of `first`, and of the translations of all runs."""
        entry = first.entry
        file = results.data(paths.TOKENS, entry.corpus, text=entry.system.text) / "tokens.arrow"
        table = read_arrow(file, TEST_TOKENS)
        rows = table.filter(pc.equal(table["split"], "test"))

        def tokens(column: str) -> list[list[str]]:
            return [line.split() for line in rows[column].to_pylist()]

        return cls(
            [number + 1 for number in rows["sentence"].to_pylist()],
            {"words": tokens("source_tokens"), "pieces": tokens("source_pieces")},
            tokens("target_tokens"),
            {run.entry.system.name: _tokens(run, len(rows)) for run in runs},
            "" if results.language(entry.corpus, "source") in UNSPACED else " ",
        )

    def word(self, chain: ChainCase) -> str:
        """Return the source word, or the source piece, that the chain repeats."""
        line, word = chain.places[0]
        return self.sources[chain.unit][line][word]


def _tokens(run: Run, expected: int) -> list[list[str]]:
    return [line.split() for line in read_lines(run.translations / "test.tok.txt", expected)]


def _most_different(document: str, chains: Sequence[ChainCase]) -> list[ChainCase]:
    """Return the MOST_CHAINS chains of a document on which systems differ most, in the order of the text."""
    chosen = [chain for chain in chains if chain.document == document]
    return sorted(sorted(chosen, key=lambda chain: -chain.spread)[:MOST_CHAINS], key=lambda chain: chain.places)


def _case(chains: Sequence[ChainCase], texts: SentenceTokens, most_lines: int | None = MOST_LINES) -> Case:
    """Return an example with the given chains, which are of one document, in at most `most_lines` sentences."""
    lines = sorted({line for chain in chains for line, _ in chain.places})
    return Case(
        chains[0].document,
        tuple(texts.word(chain) for chain in chains),
        tuple(chains),
        tuple(_line(line, chains, texts) for line in lines[:most_lines]),
        len(lines) - len(lines[:most_lines]),
    )


def _line(line: int, chains: Sequence[ChainCase], texts: SentenceTokens) -> CaseLine:
    source = {
        word: (number, False)
        for number, chain in enumerate(chains)
        for sentence, word in chain.places
        if sentence == line
    }
    return CaseLine(
        texts.numbers[line],
        spans(texts.sources[chains[0].unit][line], source, texts.blank),
        _rendered(line, [chain.reference for chain in chains], chains, texts.reference),
        tuple(
            _rendered(line, [chain.systems[system] for chain in chains], chains, sentences)
            for system, sentences in texts.systems.items()
        ),
    )


def _rendered(
    line: int, renderings: Sequence[Rendering], chains: Sequence[ChainCase], sentences: Sequence[Sequence[str]]
) -> tuple[Span, ...]:
    """Return a translation of the test sentence number `line`; a word of two chains has the mark of the first chain."""
    marked: dict[int, tuple[int, bool]] = {}
    for number, (rendering, chain) in enumerate(zip(renderings, chains, strict=True)):
        usual = next((text for text, _ in rendering.counts if text is not None), None)
        for (sentence, _), text, places in zip(chain.places, rendering.translations, rendering.places, strict=True):
            if sentence == line:
                # The right operand wins: words that an earlier chain has marked keep their mark.
                marked = dict.fromkeys(places, (number, text != usual)) | marked
    return spans(sentences[line], marked, " ")


def spans(words: Sequence[str], marked: dict[int, tuple[int, bool]], blank: str) -> tuple[Span, ...]:
    """Join adjacent words of the same chain, or of no chain, to spans.

    `marked` has the number of the chain, and `is_odd`, by the place of a word in the sentence. `blank` is the text
    between two words; between two spans it is a span of its own, which belongs to no chain.
    """
    joined: list[Span] = []
    before: tuple[int, bool] | None = None
    for place, word in enumerate(words):
        mark = marked.get(place)
        if joined and mark == before:
            joined[-1] = Span(joined[-1].text + blank + word, *(mark or ()))
        else:
            if joined and blank:
                joined.append(Span(blank))
            joined.append(Span(word, *(mark or ())))
        before = mark
    return tuple(joined)
