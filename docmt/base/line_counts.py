"""Text files that should have a line for each sentence: blank lines between documents, and causes of a wrong number."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

# Characters at which other programs end a line, the carriage return first: here only a line feed ends one.
OTHER_ENDS = "\r\u2028\u2029\x85\x0b\x0c"

# The end of a sentence that has another one behind it on its line.
INNER_END = re.compile(r"[.?!]['\")»”]?\s+(?=\S)|[。？！][”」]?(?=\S)|\s_eos(?=\s)")


def without_blank_borders(lines: Sequence[str], sizes: Iterable[int]) -> tuple[str, ...] | None:
    """Return lines without the blank lines between documents; None where these are not exactly where they should be.

    `sizes` has the numbers of sentences of all documents. There may be one more blank line at the end. Blank lines
    inside a document are empty sentences.

    >>> without_blank_borders(["a", "b", "", "c"], [2, 1])
    ('a', 'b', 'c')
    """
    ends = list(accumulate(sizes))
    # The border behind document k has k borders before it.
    borders = {end + number for number, end in enumerate(ends)}
    last = max(borders, default=0)
    if (
        len(lines) not in (last, last + 1)
        or len(ends) < 2
        or any(lines[at].strip() for at in borders if at < len(lines))
    ):
        return None
    return tuple(line for at, line in enumerate(lines) if at not in borders)


@dataclass(frozen=True)
class LikelyCause:
    """The line at which a wrong number of lines shows, from 1, and its likely cause; empty where nothing shows."""

    line: int
    text: str = ""

    @property
    def remedy(self) -> str | None:
        """The likely cause as the end of a message; None without one."""
        return f"likely cause: {self.text}" if self.text else None


def likely_cause(lines: Sequence[str], expected: int, units: Mapping[int, str] | None = None) -> LikelyCause:
    """Return where a wrong number of lines shows, and its likely cause.

    `units` has what lines may be in place of what they should be, by its number, such as `{40: "documents"}`. Without
    any sign it is the first line too many, or the first that is missing.
    """
    blank = [number for number, line in enumerate(lines, start=1) if not line.strip()]
    at_end = next((back for back, line in enumerate(reversed(lines)) if line.strip()), 0)
    more = len(lines) - expected
    if unit := (units or {}).get(len(lines)):
        return LikelyCause(1, f"it has a line for each of the {unit}")
    if 0 < more <= at_end:
        return LikelyCause(expected + 1, "blank lines at the end")
    if 0 < more == len(blank):
        return LikelyCause(blank[0], "a blank line too many" if more == 1 else "blank lines between documents")
    for ends in (*OTHER_ENDS, OTHER_ENDS):
        places = [(number, end) for number, line in enumerate(lines, start=1) for end in line if end in ends]
        if places and len(places) == -more:
            number, end = places[0]
            return LikelyCause(number, f"the character U+{ord(end):04X}, at which another program ends a line")
    joined = [(number, len(INNER_END.findall(line))) for number, line in enumerate(lines, start=1)]
    if more < 0 and sum(count for _, count in joined) >= -more:
        return LikelyCause(next(number for number, count in joined if count), "several sentences on a line")
    return LikelyCause(min(len(lines), expected) + 1)
