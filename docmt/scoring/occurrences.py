"""The translations of a lexical chain's words in a system's output, by word alignment.

Our reading, where the papers are silent: the output is lower-cased; an occurrence's translation is the target words
linked to it, joined in order, without punctuation and without the most frequent target words of the training split
(`target_stop_words` of the corpus; 150 is what lists of stop words have). Each target word links to one source word,
so that a word beside it may get all of a translation; an occurrence to which none is linked has the one target word
that it would link to itself, aligned the other way. One of which nothing is left has no translation.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from docmt.core.documents import CHAINS_WORDS, TOKENS, read_arrow
from docmt.core.errors import UserError
from docmt.core.vocabulary import by_frequency
from docmt.scoring.alignment import train_aligner
from docmt.scoring.consistency import TranslatedChain

COLUMNS = pa.schema(
    [TOKENS.field(name) for name in ("split", "document", "sentence", "source_tokens", "target_tokens")]
)


@dataclass(frozen=True)
class Chain:
    """A repeated word of a test document. `places`: (sentence, word), sentences counted through the test split."""

    document: str
    places: tuple[tuple[int, int], ...]


def signature(stop_words: int, target_stop_words: int) -> str:
    """How the translations of chains are found, for the signatures of what is measured on them."""
    chains, stripped = f"source-words-nostop{stop_words}", f"stop{target_stop_words}+punctuation"
    return f"chains:{chains}|aligner:ibm1-diagonal|case:lc|strip:{stripped}|unaligned:reverse,skip"


def translated_chains(tokens: Path, chains: Path, hypotheses: Sequence[str], stop_words: int) -> list[TranslatedChain]:
    """Of every chain of the test split; the aligner learns from the training split.

    `hypotheses`: a line of tokens for each test sentence. Raises UserError where the chains are not of these tokens.
    """
    rows = read_arrow(tokens / "tokens.arrow", COLUMNS)
    train, test = (rows.filter(pc.equal(rows["split"], split)) for split in ("train", "test"))
    found = read_test_chains(chains / "chains.arrow", test)
    source, target = train["source_tokens"].to_pylist(), lowered(train["target_tokens"].to_pylist())
    sentences, lines = test["source_tokens"].to_pylist(), lowered(hypotheses)
    links = train_aligner(source, target).align(sentences, lines)
    links_back = train_aligner(target, source).align(lines, sentences)
    ignored = frozenset(by_frequency(Counter(word for line in target for word in line.split()))[:stop_words])
    outputs = [
        Output([word if is_content(word, ignored) else "" for word in line.split()], *both)
        for line, *both in zip(lines, links, links_back, strict=True)
    ]
    texts = ((chain, (outputs[sentence].translation(word) for sentence, word in chain.places)) for chain in found)
    return [TranslatedChain(chain.document, tuple(filter(None, translations))) for chain, translations in texts]


@dataclass(frozen=True)
class Output:
    """A translated sentence and its links. `words`: empty texts stand for those that are stripped.

    `sources`: of each target word the place of its source word; `targets`: of each source word, aligned the other
    way, the place of its target word; none where a word has no link.
    """

    words: list[str]
    sources: list[int | None]
    targets: list[int | None]

    def translation(self, place: int) -> str:
        """Of the source word at `place`; empty where it has none."""
        linked = [word for word, source in zip(self.words, self.sources, strict=True) if source == place and word]
        chosen = self.targets[place]
        return " ".join(linked) or ("" if chosen is None else self.words[chosen])


def lowered(lines: Sequence[str]) -> list[str]:
    return [line.lower() for line in lines]


def is_content(word: str, ignored: frozenset[str]) -> bool:
    """Neither punctuation nor a stop word."""
    return word not in ignored and any(map(str.isalnum, word))


def read_test_chains(file: Path, test: pa.Table) -> list[Chain]:
    """The chains of the test split. Raises UserError where a place of `test` does not hold the chain's word."""
    sentences = zip(test["document"].to_pylist(), test["sentence"].to_pylist(), strict=True)
    numbers = {place: number for number, place in enumerate(sentences)}
    tokens = [line.split(" ") for line in test["source_tokens"].to_pylist()]
    rows = read_arrow(file, CHAINS_WORDS)
    chains = []
    for row in rows.filter(pc.equal(rows["split"], "test")).to_pylist():
        places = [
            (numbers.get((row["document"], s), -1), w) for s, w in zip(row["sentences"], row["words"], strict=True)
        ]
        if not all(s >= 0 and tokens[s][w : w + 1] == [row["word"]] for s, w in places):
            raise UserError(
                "not the chains of these tokens",
                where=f"{file}: document {row['document']!r}",
                found=f"{row['word']!r} in sentences {row['sentences']}",
                remedy="make the chains anew from these tokens",
            )
        chains.append(Chain(row["document"], tuple(places)))
    return chains
