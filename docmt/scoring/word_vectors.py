"""Word vectors in the text form of word2vec, and their training.

The first line of a file has the number of vectors and their number of dimensions. Each other line has a word and the
numbers of its vector. The library gensim trains vectors; it is not needed to read a file of vectors.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from docmt.base.artifacts import atomic_file, write_json
from docmt.base.columns import TOKENS, only
from docmt.base.errors import UserError
from docmt.base.foreign import library, need_file, reading
from docmt.base.manifest import check_file
from docmt.base.parse import parse
from docmt.base.recipe import read_settings
from docmt.base.tables import read_arrow
from docmt.base.untrusted import limited_lines
from docmt.scoring.inputs import apply_case, file_label
from docmt.settings.scoring import WordVectorsConfig

COLUMNS = only(TOKENS, "split", "target_tokens")
COUNT = re.compile(r"\d{1,12}")  # The form of the numbers in the first line of a file
MOST_DIMENSIONS = 1_000_000  # The largest number of dimensions of a vector


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Word vectors with their vocabulary."""

    rows: dict[str, int]  # the number of the row of each word
    table: np.ndarray  # (words, dimensions)
    case: str  # `lower` where words are lower-cased before they are looked up
    name: str  # the name of the vectors in signatures

    def words(self, line: str) -> list[str]:
        """Return the words of a line in the form in which their vectors are looked up."""
        return apply_case(line, self.case == "lower").split()


def train_word_vectors(lines: Sequence[str], config: WordVectorsConfig) -> WordVectors:
    """Train word2vec (Mikolov et al. 2013) on tokenised lines; the same lines and settings give the same bytes.

    Raises UserError where gensim is not installed, and where no word has the minimum count.
    """
    word2vec = library("gensim.models", "training word vectors needs gensim").Word2Vec
    sentences = [apply_case(line, config.case == "lower").split() for line in lines]
    # gensim gets a single worker: with several, some update vectors while others read them, so results would vary.
    model = word2vec(
        vector_size=config.dimensions,
        sg=int(config.architecture == "skipgram"),
        window=config.window,
        min_count=config.minimum_count,
        negative=config.negative,
        seed=config.seed,
        workers=1,
    )
    model.build_vocab(sentences)
    if not len(model.wv):
        raise UserError(
            "no word occurs often enough to get a vector",
            found=f"{sum(map(len, sentences))} words",
            expected=f"a word that occurs {config.minimum_count} times or more (minimum_count)",
        )
    model.train(sentences, total_examples=model.corpus_count, epochs=config.epochs)
    name = f"gensim-{version('gensim')}-{config.architecture}"
    return WordVectors(dict(model.wv.key_to_index), model.wv.vectors, config.case, name)


def write_corpus_vectors(settings: Path, tokens: Path, output: Path) -> None:
    """Train vectors on the target side of the training split (the step `word_vectors`).

    The files vectors.txt and card.json are written to the folder `output`.
    """
    config = parse(WordVectorsConfig, read_settings(settings, "vectors")["vectors"], str(settings), ("vectors",))
    lines = read_arrow(tokens / "tokens.arrow", COLUMNS, split="train")["target_tokens"].to_pylist()
    vectors = train_word_vectors(lines, config)
    write_word_vectors(output / "vectors.txt", vectors)
    write_json(output / "card.json", {"lines": len(lines), "words": len(vectors.rows), "made_by": vectors.name})


def write_word_vectors(path: Path, vectors: WordVectors) -> None:
    """Write vectors in the text form of word2vec, with so many digits that a reader gets the same numbers."""
    with atomic_file(path) as stream:
        stream.write(f"{len(vectors.rows)} {vectors.table.shape[1]}\n")
        for word, row in zip(vectors.rows, vectors.table.astype(np.float32), strict=True):
            stream.write(f"{word} {' '.join(map(str, row))}\n")


def read_word_vectors(path: Path, lines: Sequence[str], case: str) -> WordVectors:
    """Read the vectors of the words in `lines`; other words are left out, since a file may have millions of words.

    Where `case` is `lower`, the words of `lines` are lower-cased first. Raises UserError where the file is missing, or
    is not in the text form of word2vec.
    """
    wanted = {word for line in lines for word in apply_case(line, case == "lower").split()}
    rows: dict[str, int] = {}
    table: list[np.ndarray] = []
    lines_of_file = _lines(path)
    head = next(lines_of_file, None)
    if head is None:
        raise UserError("no word vectors", where=str(path), found="an empty file")
    dimensions = _dimensions(*head)
    for line, where in lines_of_file:
        word, _, numbers = line.partition(" ")
        # Where several lines have the same word, only the first line is read.
        if word in wanted and word not in rows:
            rows[word] = len(table)
            table.append(_vector(numbers, dimensions, where))
    return WordVectors(rows, np.array(table).reshape(-1, dimensions), case, file_label(path))


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    # Bytes that are not UTF-8 become replacement characters, and no translation has words with such characters.
    with reading(path, "cannot be read"):
        need_file(path)
        check_file(path)
    with reading(path, "cannot be read"), path.open("rb") as stream:
        for number, line in enumerate(limited_lines(stream, str(path)), 1):
            encoding = "utf-8-sig" if number == 1 else "utf-8"
            yield line.decode(encoding, errors="replace").strip(), f"{path}:{number}"


def _dimensions(line: str, where: str) -> int:
    numbers = line.split(" ")
    if len(numbers) != 2 or not all(map(COUNT.fullmatch, numbers)) or not 0 < int(numbers[1]) <= MOST_DIMENSIONS:
        expected = "how many vectors there are and how long, as in `20000 100` (word2vec's text form)"
        raise UserError("not a file of word vectors", where=where, found=line[:40], expected=expected)
    return int(numbers[1])


def _vector(numbers: str, dimensions: int, where: str) -> np.ndarray:
    try:
        vector = np.array(numbers.split(maxsplit=dimensions), dtype=np.float32)
    except ValueError:
        vector = np.zeros(0)
    if vector.shape != (dimensions,) or not np.isfinite(vector).all():
        raise UserError("not a word vector", where=where, found=numbers[:40], expected=f"{dimensions} finite numbers")
    return vector
