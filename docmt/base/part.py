"""A part of the work on a large corpus, which a job of its own may do."""

import re
from dataclasses import dataclass

from docmt.base.errors import UserError, in_line


@dataclass(frozen=True)
class Part:
    """A part of all shards: part `number`, counted from 1, of `of` nearly equal parts."""

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str) -> "Part":
        """Read a part from a text such as `2of8`. Raises UserError for any other text."""
        match = re.fullmatch(r"(\d{1,9})of(\d{1,9})", text)
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            raise UserError("not a part", found=in_line(text), expected="a part such as 2of8, the second of eight")
        return cls(int(match[1]), int(match[2]))

    def of_range(self, count: int) -> range:
        """Return the numbers of this part's shards, counted from 0, where there are `count` shards in all."""
        return range((self.number - 1) * count // self.of, self.number * count // self.of)


WHOLE = Part()
