"""Text as it is compared regardless of Unicode form, case, quotes and punctuation: its letters, marks and digits alone.

Marks stay, since the vowels of Hindi and of many other languages are marks.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from string import ascii_lowercase, ascii_uppercase

import numpy as np
import regex

LEFT_OUT = regex.compile(r"[^\p{L}\p{M}\p{N}\n]|\p{DI}")
UNUSUAL = 1 << 16  # The flag of characters that `_table` does not fold
JOINERS = "\u200c\u200d"  # Characters between letters of Persian, Hindi and other languages
LOWER = bytes.maketrans(ascii_uppercase.encode(), ascii_lowercase.encode())
NO_LETTERS = bytes(number for number in range(128) if not chr(number).isalnum() and chr(number) != "\n")


@dataclass(frozen=True)
class Folded:
    """Lines that were folded. `is_usual`: whether they have only letters, digits and marks of the usual kinds.

    Other characters are controls, private and invisible ones, and those that depend on their neighbours in Unicode's
    normal forms.
    """

    text: str  # the lines before that, each but the last ended by a line feed
    lines: list[str]
    is_usual: bool

    def keys(self, lines: Sequence[str]) -> list[str]:
        """Return the folded lines; `lines` has the text of lines without any letter, which are compared as they are."""
        return [folded or line for folded, line in zip(self.lines, lines, strict=True)]


def folded(text: str) -> str:
    """Return a text in the form NFKC without case, and without all but letters, marks, digits and line feeds."""
    return LEFT_OUT.sub("", unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()))


def fold(lines: Sequence[str]) -> Folded:
    """Fold lines, as `folded` does: most of them by a table, which is several times as fast."""
    text = "\n".join(lines)
    if text.count("\n") >= len(lines) > 0:  # a mistake of the corpus, which is reported elsewhere
        text = "\n".join(line.replace("\n", " ") for line in lines)
    if text.isascii():
        return Folded(text, text.encode().translate(LOWER, NO_LETTERS).decode().split("\n")[: len(lines)], True)
    # The one letter of frequent use that becomes two, which a table of letters cannot do.
    units = np.frombuffer(text.replace("ß", "ss").encode("utf-16-le", "surrogatepass"), np.uint16)
    values = _table()[units]
    if values.max() >= UNUSUAL:
        return Folded(text, folded(text).split("\n"), False)
    kept = values[values != 0].astype(np.uint16).tobytes().decode("utf-16-le")
    return Folded(text, kept.split("\n"), True)


@cache
def _table() -> np.ndarray:
    """Return what each character of 16 bits becomes: the number of a character, 0 for nothing, or UNUSUAL."""
    table = np.arange(UNUSUAL, dtype=np.uint32)  # Most are Chinese and Korean, and stay as they are
    numbers = [*range(10), *range(11, 0x3400), *range(0x4DC0, 0x4E00), *range(0x9FF0, 0xAC00), *range(0xD7A4, 0xD800)]
    numbers += range(0xF900, UNUSUAL)
    characters = list(map(chr, numbers))
    results = folded("\n".join(characters)).split("\n")
    table[numbers] = [ord(each) if len(each) == 1 else len(each) and UNUSUAL for each in results]
    table[[ord(each) for each in (*filter(_is_unusual, characters), *_seconds(characters))]] = UNUSUAL
    table[0xD800:0xF900] = UNUSUAL  # Halves of surrogate pairs, and private use
    return table


def _is_unusual(character: str) -> bool:
    is_other = unicodedata.category(character)[0] == "C" and character not in JOINERS
    is_stable = unicodedata.is_normalized("NFC", character) and not unicodedata.combining(character)
    return is_other or not is_stable or character == "\ufffd"


def _seconds(characters: list[str]) -> Iterator[str]:
    """Yield the characters that Unicode may join to the one before them."""
    for parts in map(str.split, map(unicodedata.decomposition, characters)):
        if len(parts) == 2 and not parts[0].startswith("<"):
            yield chr(int(parts[1], 16))
    # The vowels and last consonants of Korean syllables have no entry.
    yield from map(chr, [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)])
