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
from docmt.base.columns import OCCURRENCES, TOKENS, only
from docmt.base.names import UNSPACED
from docmt.base.tables import read_arrow
from docmt.reporting.results import Results, Run
from docmt.reporting.translations import has_sentences, read_lines

MOST_CASES = 2
"""The largest number of documents of a corpus that the page shows."""
MOST_CHAINS = 6
"""The largest number of lexical chains of a document that the page shows."""
MOST_LINES = 12
"""The largest number of sentences of a case that the page shows."""
MOST_OVERCORRECTIONS = 5
"""The largest number of over-corrected chains of a corpus that the page shows."""

TEST_TOKENS = only(TOKENS, "split", "sentence", "source_tokens", "source_pieces", "target_tokens")
"""The columns of a TOKENS table that a case study reads."""


@dataclass(frozen=True)
class Rendering:
    """The translations of a lexical chain by a system or by the reference, with one entry for each occurrence.

    `translations`: the translation of each occurrence, None for an occurrence without a translation. `places`: the
    positions of the words of each translation in its target sentence, from 0. `pairs`: the number of pairs of
    occurrences that can be compared. `agreeing`: the number of pairs whose two translations agree.
    """

    translations: tuple[str | None, ...]
    places: tuple[tuple[int, ...], ...]
    agreeing: int
    pairs: int

    @property
    def is_consistent(self) -> bool | None:
        """Return whether the two translations of every pair agree; None where there is no pair to compare."""
        return self.agreeing == self.pairs if self.pairs else None

    @cached_property
    def counts(self) -> list[tuple[str | None, int]]:
        """The different translations with their numbers of occurrences, the most frequent translation first."""
        return Counter(self.translations).most_common()

    @property
    def varies(self) -> bool:
        """Return whether a chain has at least two different translations, and not all pairs of translations agree."""
        return len({text for text in self.translations if text is not None}) > 1 and self.is_consistent is False

    @property
    def share(self) -> float:
        """The share of pairs whose translations agree, from 0 to 1; 0 where there is no pair."""
        return self.agreeing / self.pairs if self.pairs else 0.0


# Without eq=False a chain could not be the key of a mapping, since its field `systems`, a mapping, has no hash.
@dataclass(frozen=True, eq=False)
class ChainCase:
    """A lexical chain of a test document with its translations by the reference and by each system.

    `unit`: "words" where the chain repeats a word, "pieces" where it repeats a piece. `places`: the number of the test
    sentence, and the number of the word or piece in it, of each occurrence, both from 0.
    """

    document: str
    unit: str
    places: tuple[tuple[int, int], ...]
    reference: Rendering
    systems: dict[str, Rendering]

    @property
    def differs(self) -> bool:
        """Return whether one system translates the chain consistently and another system does not."""
        return {True, False} <= {rendering.is_consistent for rendering in self.systems.values()}

    @property
    def spread(self) -> float:
        """The difference between the largest and the smallest share of agreeing pairs of the systems, from 0 to 1."""
        shares = [rendering.share for rendering in self.systems.values()]
        return max(shares) - min(shares)

    def is_overcorrected(self, system: str) -> bool:
        """Return whether the system translates the chain consistently although the reference varies."""
        return bool(self.systems[system].is_consistent) and self.reference.varies


@dataclass(frozen=True)
class ChainCounts:
    """The numbers of chains that a system, or the reference (`system` is None), translates consistently.

    `chains`: the number of chains with at least one pair of translations to compare. `consistent`: the number of these
    chains that are translated consistently. `faithful`: the numbers (consistent, all) of the chains that the reference
    translates consistently. `overcorrected`: the numbers (consistent, all) of the chains in which the reference varies.
    The last two fields are None for the reference itself.
    """

    system: str | None
    chains: int
    consistent: int
    faithful: tuple[int, int] | None
    overcorrected: tuple[int, int] | None


def read_chains(runs: Sequence[Run]) -> list[ChainCase]:
    """Read the chains that all of the runs have; their systems must have the same preset of text."""
    tables = [read_arrow(run.occurrences, OCCURRENCES).to_pylist() for run in runs]
    by_place = [{_key(row): row for row in table} for table in tables]
    return [
        ChainCase(
            row["document"],
            row["unit"],
            tuple(zip(row["lines"], row["words"], strict=True)),
            _rendering(row, "reference_"),
            {run.entry.system.name: _rendering(rows[key], "") for run, rows in zip(runs, by_place, strict=True)},
        )
        for key, row in by_place[0].items()
        if all(key in rows for rows in by_place)
    ]


def _key(row: dict) -> tuple:
    """Return the unit and the places of a row's chain, which are the same in the rows of all runs for this chain."""
    return row["unit"], *row["lines"], *row["words"]


def _rendering(row: dict, prefix: str) -> Rendering:
    """Return the translations of a row of OCCURRENCES; `prefix` is "reference_" for the reference, else empty."""
    texts, places, agreeing, pairs = (row[prefix + name] for name in ("translations", "places", "agreeing", "pairs"))
    return Rendering(tuple(texts), tuple(map(tuple, places)), agreeing, pairs)


def chain_counts(chains: Sequence[ChainCase], system: str | None) -> ChainCounts:
    """Count the chains with pairs to compare, and the consistent ones; `system` None counts those of the reference."""
    verdicts = {chain: (chain.reference if system is None else chain.systems[system]).is_consistent for chain in chains}
    compared = [chain for chain in chains if verdicts[chain] is not None]

    def among(chosen: list[ChainCase]) -> tuple[int, int]:
        """Return the number of consistent chains in `chosen`, and the number of all chains in it."""
        return sum(bool(verdicts[chain]) for chain in chosen), len(chosen)

    consistent, total = among(compared)
    if system is None:
        return ChainCounts(None, total, consistent, None, None)
    faithful = among([chain for chain in compared if chain.reference.is_consistent])
    overcorrected = among([chain for chain in compared if chain.reference.varies])
    return ChainCounts(system, total, consistent, faithful, overcorrected)


@dataclass(frozen=True)
class Span:
    """Adjacent words of a sentence that belong to the same chain, or to no chain.

    `chain`: the number of the chain in its case, from 0. `is_odd`: whether the words are a translation other than the
    most frequent one of the chain.
    """

    text: str
    chain: int | None = None
    is_odd: bool = False


@dataclass(frozen=True)
class CaseLine:
    """A source sentence with its translations; `number` is the number of the sentence in its document, from 1."""

    number: int
    source: tuple[Span, ...]
    reference: tuple[Span, ...]
    systems: tuple[tuple[Span, ...], ...]


@dataclass(frozen=True)
class Case:
    """An example of the page: lexical chains of one document, and the sentences in which these chains occur.

    `words`: the source word of each chain. `lines`: the first of the sentences. `left_out`: the number of the other
    sentences in which the chains occur, which the page does not show.
    """

    document: str
    words: tuple[str, ...]
    chains: tuple[ChainCase, ...]
    lines: tuple[CaseLine, ...]
    left_out: int

    @property
    def overcorrecting(self) -> tuple[str, ...]:
        """The systems that over-correct every chain of the case."""
        return tuple(
            name for name in self.chains[0].systems if all(chain.is_overcorrected(name) for chain in self.chains)
        )


@dataclass(frozen=True)
class ChainStudy:
    """The case study of a corpus for one seed: counts of consistent chains, and examples.

    `cases`: documents on which the systems differ. `overcorrections`: over-corrected chains, one for each example.
    """

    corpus: str
    seed: int
    source_language: str
    target_language: str
    systems: tuple[str, ...]
    counts: tuple[ChainCounts, ...]
    cases: tuple[Case, ...]
    overcorrections: tuple[Case, ...]


def chain_studies(results: Results) -> list[ChainStudy]:
    """Return the case study of each corpus with scored chains, for the smallest seed that was scored.

    The systems are those with the same preset of text as the first one: chains of other presets cannot be compared.
    Systems that translate documents without marks between sentences are left out too. Raises UserError where a file of
    translations does not have a line for each test sentence.
    """
    studies = []
    for corpus in results.corpora:
        if runs := [run for run in results.of(corpus) if run.occurrences.exists() and has_sentences(run)]:
            first = min(runs, key=lambda run: run.seed)
            comparable = [
                run for run in runs if (run.seed, run.entry.system.text) == (first.seed, first.entry.system.text)
            ]
            studies.append(chain_study(results, comparable))
    return studies


def chain_study(results: Results, runs: Sequence[Run]) -> ChainStudy:
    """Return the case study of `runs`, which have the same corpus, seed and preset of text.

    Raises UserError where a file of translations does not have a line for each test sentence.
    """
    first = runs[0]
    corpus = first.entry.corpus
    texts = SentenceTokens.read(results, first, runs)
    chains = read_chains(runs)
    systems = tuple(run.entry.system.name for run in runs)
    return ChainStudy(
        corpus,
        first.seed,
        results.language(corpus, "source"),
        results.language(corpus, "target"),
        systems,
        tuple(chain_counts(chains, system) for system in (None, *systems)),
        tuple(_case(_most_different(name, chains), texts) for name in documents_to_show(chains)),
        tuple(_case([chain], texts) for chain in overcorrected(chains)[:MOST_OVERCORRECTIONS]),
    )


def documents_to_show(chains: Sequence[ChainCase]) -> list[str]:
    """Return the documents with the largest numbers of chains on which systems differ, at most MOST_CASES.

    Of documents with equal numbers the earlier one comes first.
    """
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
            """Return the tokens of each test sentence in a column."""
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
    """Read the tokens of a run's translations, one line per test sentence."""
    return [line.split() for line in read_lines(run.translations / "test.tok.txt", expected)]


def _most_different(document: str, chains: Sequence[ChainCase]) -> list[ChainCase]:
    """Return the MOST_CHAINS chains of a document on which systems differ most, in the order of the text."""
    differing = [chain for chain in chains if chain.document == document and chain.differs]
    return sorted(sorted(differing, key=lambda chain: -chain.spread)[:MOST_CHAINS], key=lambda chain: chain.places)


def overcorrected(chains: Sequence[ChainCase]) -> list[ChainCase]:
    """Return the chains that at least one system over-corrects.

    Chains on which the systems differ come first. Within both groups the chain with more occurrences comes first.
    """
    chosen = [chain for chain in chains if any(map(chain.is_overcorrected, chain.systems))]
    return sorted(chosen, key=lambda chain: (not chain.differs, -len(chain.places)))


def _case(chains: Sequence[ChainCase], texts: SentenceTokens) -> Case:
    """Return an example with the given chains, which are of one document."""
    lines = sorted({line for chain in chains for line, _ in chain.places})
    return Case(
        chains[0].document,
        tuple(texts.word(chain) for chain in chains),
        tuple(chains),
        tuple(_line(line, chains, texts) for line in lines[:MOST_LINES]),
        len(lines[MOST_LINES:]),
    )


def _line(line: int, chains: Sequence[ChainCase], texts: SentenceTokens) -> CaseLine:
    """Return the test sentence number `line`, with the words of the chains marked in it and in its translations."""
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
