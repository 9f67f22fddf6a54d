"""The scripts of letters, and those in which languages are written."""

from collections import Counter

import numpy as np

SCRIPTS = {
    "Latin": (
        "af az bs ca cs cy da de en es et eu fi fr ga gl hr hu id is it lt lv ms mt nl no nb nn pl pt ro sk sl sq sr "
        "sv sw tl tr uz vi",
        ((0x41, 0x5A), (0x61, 0x7A), (0xC0, 0x24F), (0x1E00, 0x1EFF)),
    ),
    "Greek": ("el", ((0x370, 0x3FF), (0x1F00, 0x1FFF))),
    "Cyrillic": ("be bg kk ky mk mn ru sr tg uk uz", ((0x400, 0x52F),)),
    "Armenian": ("hy", ((0x531, 0x587),)),
    "Hebrew": ("he yi", ((0x5D0, 0x5F2),)),
    "Arabic": ("ar fa ps sd ug ur", ((0x620, 0x64A), (0x671, 0x6D3), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC))),
    "Devanagari": ("hi mr ne", ((0x900, 0x97F),)),
    "Bengali": ("bn as", ((0x980, 0x9FF),)),
    "Tamil": ("ta", ((0xB80, 0xBFF),)),
    "Telugu": ("te", ((0xC00, 0xC7F),)),
    "Thai": ("th", ((0xE00, 0xE7F),)),
    "Georgian": ("ka", ((0x10A0, 0x10FF),)),
    "Kana": ("ja", ((0x3041, 0x30FF),)),
    "Han": ("ja ko zh", ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF))),
    "Hangul": ("ko", ((0x1100, 0x11FF), (0xAC00, 0xD7A3))),
}
"""By script: the codes of the languages that have it, and the numbers of its first and last characters."""
_RANGES = sorted((first, last, name) for name, (_, ranges) in SCRIPTS.items() for first, last in ranges)
_STARTS, _ENDS = (np.array([row[column] for row in _RANGES]) for column in (0, 1))


def scripts_of(language: str) -> list[str]:
    """Return the scripts of a language; none where the table does not have the language."""
    return [script for script, (languages, _) in SCRIPTS.items() if language in languages.split()]


def letters_by_script(text: str) -> Counter[str]:
    """Return the number of letters of a text by script; letters of scripts outside the table are not counted."""
    characters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    rows = np.searchsorted(_STARTS, characters, side="right") - 1
    rows = rows[(rows >= 0) & (characters <= _ENDS[rows])]
    letters: Counter[str] = Counter()
    for (_, _, script), count in zip(_RANGES, np.bincount(rows, minlength=len(_RANGES)).tolist(), strict=True):
        letters[script] += count
    return letters
