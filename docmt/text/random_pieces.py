"""Tokenizers for random checkpoints, in the form of the tokenizers of mBART and BERT.

The pieces come from counts of characters in given lines: each character is a piece, and the most frequent sequences of
two to four characters are pieces. The trainers of the library `tokenizers` are not used, since they do not promise to
return the same pieces each time.
"""

from collections import Counter
from collections.abc import Iterable
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

from docmt.base.artifacts import atomic_file, write_json
from docmt.base.vocabulary import by_frequency
from docmt.settings.pretrained import TOKENIZER

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PIECES = 500  # The largest number of pieces with more than one character
LONGEST = 4  # The largest number of characters of a piece
WITHIN = "##"
"""The mark before a BERT piece that continues a word."""


def write_tokenizer(kind: str, lines: Iterable[str], folder: Path) -> int:
    """Write the tokenizer of a checkpoint of `kind` (mbart, bert or aligner) and return the number of its pieces.

    The tokenizer is written to tokenizer.json; of a checkpoint of awesome-align (`aligner`) it is written to vocab.txt
    and tokenizer_config.json.
    """
    tokenizer = TOKENIZER_BUILDERS[kind](list(lines))
    if kind == "aligner":
        numbers = tokenizer.get_vocab()
        with atomic_file(folder / "vocab.txt") as stream:
            stream.writelines(f"{piece}\n" for piece in sorted(numbers, key=numbers.get))
        write_json(folder / "tokenizer_config.json", {"do_lower_case": False})
    else:
        with atomic_file(folder / TOKENIZER) as stream:
            stream.write(tokenizer.to_str(pretty=True))
    return tokenizer.get_vocab_size()


def sentencepiece(lines: list[str]) -> "Tokenizer":
    """Return a tokenizer like that of mBART: the text is cut at spaces, then into pieces by a Unigram model."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    counts = _counts(_words(tokenizer, lines))
    chosen = [(piece, log(counts[piece] / counts.total())) for piece in _chosen(counts)]
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer.model = models.Unigram([*((name, 0.0) for name in special), *chosen], unk_id=3)
    tokenizer.add_special_tokens([*special, "<mask>"])
    return tokenizer


def wordpiece(lines: list[str]) -> "Tokenizer":
    """Return a tokenizer like that of a cased BERT."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    counts = _counts(_words(tokenizer, lines), WITHIN)
    # WordPiece replaces a word by [UNK] where a part has no piece: each character is a piece at the start and within.
    characters = {piece.removeprefix(WITHIN) for piece in counts if len(piece.removeprefix(WITHIN)) == 1}
    counts.update(dict.fromkeys([*characters, *(WITHIN + character for character in characters)], 0))
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    numbers = {piece: number for number, piece in enumerate([*special, *_chosen(counts, WITHIN)])}
    tokenizer.model = models.WordPiece(numbers, unk_token="[UNK]")
    tokenizer.add_special_tokens(special)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", numbers["[SEP]"]), ("[CLS]", numbers["[CLS]"]))
    return tokenizer


TOKENIZER_BUILDERS = {"mbart": sentencepiece, "bert": wordpiece, "aligner": wordpiece}
"""The function that builds the tokenizer, for each kind of checkpoint."""


def _words(tokenizer: "Tokenizer", lines: list[str]) -> Counter[str]:
    normalised = (tokenizer.normalizer.normalize_str(line) for line in lines)
    return Counter(word for line in normalised for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(line))


def _counts(words: Counter[str], within: str = "") -> Counter[str]:
    """Return the number of occurrences of each sequence of at most LONGEST characters of a word.

    `within` is the mark that is put before a sequence that does not open its word.
    """
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for first in range(len(word)):
            for last in range(first + 1, min(first + LONGEST, len(word)) + 1):
                counts[(within if first else "") + word[first:last]] += count
    return counts


def _chosen(counts: Counter[str], within: str = "") -> list[str]:
    """Return the single characters, then the longer sequences, at most PIECES of them, the most frequent first."""
    # The order of the pieces depends on counts and spelling alone.
    ordered = by_frequency(counts)
    single = [piece for piece in ordered if len(piece.removeprefix(within)) == 1]
    return single + [piece for piece in ordered if len(piece.removeprefix(within)) > 1][:PIECES]
