"""Lexical chains: how systems and the reference translate the words that a document repeats, in numbers and in cases.

Paper: lexical chains (Lyu et al. 2022), appendix G: Figure 8 (a word translated in several ways by one system, in one
way by another) and Figure 9 (over-correction: always the same translation where the reference varies).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow.compute as pc

from docmt.base import paths
from docmt.base.columns import OCCURRENCES, TOKENS, only, read_arrow
from docmt.reporting.results import Results, Run
from docmt.reporting.translations import UNSPACED, has_sentences, read_lines

MOST_CASES = 2
MOST_CHAINS = 6
MOST_LINES = 12
MOST_OVERCORRECTIONS = 5
"""Documents of a corpus; chains and sentences of a document; over-corrected chains of a corpus."""

TEST_TOKENS = only(TOKENS, "split", "sentence", "source_tokens", "source_pieces", "target_tokens")


@dataclass(frozen=True)
class Rendering:
    """How a system, or the reference, translates a chain: an entry an occurrence, none without translation.

    `places`: of the words of each translation in its sentence. `agreeing`: so many of the `pairs` of occurrences.
    """

    translations: tuple[str | None, ...]
    places: tuple[tuple[int, ...], ...]
    agreeing: int
    pairs: int

    @property
    def is_consistent(self) -> bool | None:
        """Whether all agree; none where there is nothing to compare."""
        return self.agreeing == self.pairs if self.pairs else None

    @cached_property
    def counts(self) -> list[tuple[str | None, int]]:
        """The different translations, the most frequent first."""
        return Counter(self.translations).most_common()

    @property
    def varies(self) -> bool:
        """Whether there are several translations, occurrences without any left aside, that do not all agree."""
        return len({text for text in self.translations if text is not None}) > 1 and self.is_consistent is False

    @property
    def share(self) -> float:
        """Of agreeing pairs."""
        return self.agreeing / self.pairs if self.pairs else 0.0


@dataclass(frozen=True, eq=False)
class ChainCase:
    """A repeated word: its occurrences as (test sentence, word), and what is made of it."""

    document: str
    unit: str
    places: tuple[tuple[int, int], ...]
    reference: Rendering
    systems: dict[str, Rendering]

    @property
    def differs(self) -> bool:
        """Some system is consistent, another is not."""
        return {True, False} <= {one.is_consistent for one in self.systems.values()}

    @property
    def spread(self) -> float:
        """How far systems are apart in their shares of agreeing pairs."""
        shares = [one.share for one in self.systems.values()]
        return max(shares) - min(shares)

    def is_overcorrected(self, system: str) -> bool:
        """The system is consistent where the reference varies."""
        return bool(self.systems[system].is_consistent) and self.reference.varies


@dataclass(frozen=True)
class ChainCounts:
    """Of a system, none being the reference: how many chains can be compared, how many are consistent.

    `faithful`: how many, and of how many, of the chains that the reference translates consistently; `overcorrected`: of
    those in which it varies. Both are none for the reference itself.
    """

    system: str | None
    chains: int
    consistent: int
    faithful: tuple[int, int] | None
    overcorrected: tuple[int, int] | None


def read_chains(runs: Sequence[Run]) -> list[ChainCase]:
    """The chains that all of these runs have: they are of one text."""
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
    return row["unit"], *row["lines"], *row["words"]


def _rendering(row: dict, prefix: str) -> Rendering:
    texts, places, agreeing, pairs = (row[prefix + name] for name in ("translations", "places", "agreeing", "pairs"))
    return Rendering(tuple(texts), tuple(map(tuple, places)), agreeing, pairs)


def chain_counts(chains: Sequence[ChainCase], system: str | None) -> ChainCounts:
    """Of the chains that have translations to compare."""
    own = {chain: (chain.reference if system is None else chain.systems[system]).is_consistent for chain in chains}
    compared = [chain for chain in chains if own[chain] is not None]

    def among(chosen: list[ChainCase]) -> tuple[int, int]:
        return sum(bool(own[chain]) for chain in chosen), len(chosen)

    consistent, total = among(compared)
    if system is None:
        return ChainCounts(None, total, consistent, None, None)
    faithful = among([chain for chain in compared if chain.reference.is_consistent])
    overcorrected = among([chain for chain in compared if chain.reference.varies])
    return ChainCounts(system, total, consistent, faithful, overcorrected)


@dataclass(frozen=True)
class Span:
    """Words in a row: of a chain by its number in the case, `is_odd` where another translation is more frequent."""

    text: str
    chain: int | None = None
    is_odd: bool = False


@dataclass(frozen=True)
class CaseLine:
    """One sentence, its number from 1."""

    number: int
    source: tuple[Span, ...]
    reference: tuple[Span, ...]
    systems: tuple[tuple[Span, ...], ...]


@dataclass(frozen=True)
class Case:
    """Chains of a document, and the sentences with their words.

    `words`: the source words of the chains, by their numbers; `left_out`: so many more sentences have any.
    """

    document: str
    words: tuple[str, ...]
    chains: tuple[ChainCase, ...]
    lines: tuple[CaseLine, ...]
    left_out: int

    @property
    def overcorrecting(self) -> tuple[str, ...]:
        """The systems that over-correct every chain shown."""
        return tuple(name for name in self.chains[0].systems if all(one.is_overcorrected(name) for one in self.chains))


@dataclass(frozen=True)
class ChainStudy:
    """Of a corpus, with the first seed that was scored; `overcorrections` are of one chain each."""

    corpus: str
    seed: int
    source_language: str
    target_language: str
    systems: tuple[str, ...]
    counts: tuple[ChainCounts, ...]
    cases: tuple[Case, ...]
    overcorrections: tuple[Case, ...]


def chain_studies(results: Results) -> list[ChainStudy]:
    """Of each corpus whose scores found chains, with the first seed that was scored; systems of another text than the
    first are left out, and those that mark no sentences.

    Raises UserError where the tokens are not those of the scores.
    """
    studies = []
    for corpus in results.corpora:
        if runs := [run for run in results.of(corpus) if run.occurrences.exists() and has_sentences(run)]:
            first = min(runs, key=lambda run: run.seed)
            like = [run for run in runs if (run.seed, run.entry.system.text) == (first.seed, first.entry.system.text)]
            studies.append(chain_study(results, like))
    return studies


def chain_study(results: Results, runs: Sequence[Run]) -> ChainStudy:
    """Of runs of one corpus and text. Raises UserError where the tokens are not those of the scores."""
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
    """Those with the most chains that some systems translate consistently and others do not, earlier ones first."""
    return [name for name, _ in Counter(chain.document for chain in chains if chain.differs).most_common(MOST_CASES)]


@dataclass(frozen=True)
class SentenceTokens:
    """The test sentences as tokens; of the source by the unit of chains."""

    numbers: list[int]
    """Of each sentence in its document, from 1."""
    sources: dict[str, list[list[str]]]
    reference: list[list[str]]
    systems: dict[str, list[list[str]]]
    blank: str
    """What parts the words of the source."""

    @classmethod
    def read(cls, results: Results, first: Run, runs: Sequence[Run]) -> "SentenceTokens":
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
        line, word = chain.places[0]
        return self.sources[chain.unit][line][word]


def _tokens(run: Run, expected: int) -> list[list[str]]:
    return [line.split() for line in read_lines(run.translations / "test.tok.txt", expected)]


def _most_different(document: str, chains: Sequence[ChainCase]) -> list[ChainCase]:
    """In the order of the text."""
    differing = [chain for chain in chains if chain.document == document and chain.differs]
    return sorted(sorted(differing, key=lambda chain: -chain.spread)[:MOST_CHAINS], key=lambda chain: chain.places)


def overcorrected(chains: Sequence[ChainCase]) -> list[ChainCase]:
    """By any system; those first that another system does not translate consistently, and of them the longest."""
    found = [chain for chain in chains if any(map(chain.is_overcorrected, chain.systems))]
    return sorted(found, key=lambda chain: (not chain.differs, -len(chain.places)))


def _case(chains: Sequence[ChainCase], texts: SentenceTokens) -> Case:
    lines = sorted({line for chain in chains for line, _ in chain.places})
    return Case(
        chains[0].document,
        tuple(texts.word(chain) for chain in chains),
        tuple(chains),
        tuple(_line(line, chains, texts) for line in lines[:MOST_LINES]),
        len(lines[MOST_LINES:]),
    )


def _line(line: int, chains: Sequence[ChainCase], texts: SentenceTokens) -> CaseLine:
    source = {word: (number, False) for number, chain in enumerate(chains) for at, word in chain.places if at == line}
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
    """A word that translates words of two chains counts to the first."""
    marked: dict[int, tuple[int, bool]] = {}
    for number, (rendering, chain) in enumerate(zip(renderings, chains, strict=True)):
        usual = next((text for text, _ in rendering.counts if text is not None), None)
        for (at, _), text, places in zip(chain.places, rendering.translations, rendering.places, strict=True):
            if at == line:
                marked = dict.fromkeys(places, (number, text != usual)) | marked
    return spans(sentences[line], marked, " ")


def spans(words: Sequence[str], marked: dict[int, tuple[int, bool]], blank: str) -> tuple[Span, ...]:
    """Words joined to runs of one chain, or of none; a blank between two runs stands with the one of no chain."""
    found: list[Span] = []
    before: tuple[int, bool] | None = None
    for place, word in enumerate(words):
        mark = marked.get(place)
        if found and mark == before:
            found[-1] = Span(found[-1].text + blank + word, *(mark or ()))
        else:
            if found and blank:
                found.append(Span(blank))
            found.append(Span(word, *(mark or ())))
        before = mark
    return tuple(found)
