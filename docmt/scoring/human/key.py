"""The key of a sheet: whose translation is which. It carries its own digest, so that no change goes unseen."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from docmt.base.artifacts import digest, read_json, write_json
from docmt.base.checks import need
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.scoring.human.items import CONTEXT, Item, text_digest

DIGEST = "digest"
"""In the file beside the key's own fields."""

SHA256_DIGITS = 64


@dataclass(frozen=True)
class KeyItem:
    """`first`: whose translation stands first; `texts`: digest of what the sheet's row shows."""

    line: int
    first: Literal["baseline", "system"]
    texts: str


@dataclass(frozen=True)
class Key:
    """What annotators may not see. `items[n]` is that of item n + 1."""

    baseline: str
    system: str
    seed: int
    items: tuple[KeyItem, ...]

    def __post_init__(self) -> None:
        need(len(self.items) > 0, "items", [], "an item for each row of the sheet")

    @classmethod
    def of_items(cls, items: Sequence[Item], baseline: str, system: str, seed: int) -> "Key":
        """`baseline`, `system`: what the two are called."""
        known = tuple(KeyItem(item.line, item.first, text_digest(item.texts)) for item in items)
        return cls(baseline, system, seed, known)

    @classmethod
    def load(cls, path: Path) -> "Key":
        """Raises UserError where the file is missing, is no key, or is not what was written with a sheet."""
        found = read_json(path)
        stated = found.pop(DIGEST, None) if isinstance(found, dict) else None
        key = parse(cls, found, str(path))
        _check_digest(stated, key.digest, path)
        return key

    def save(self, path: Path) -> None:
        write_json(path, {**asdict(self), DIGEST: self.digest})

    @property
    def digest(self) -> str:
        """SHA-256 of all that the key says."""
        return digest(asdict(self), SHA256_DIGITS)

    @property
    def signature(self) -> str:
        """How sentences were chosen and shown."""
        return f"human|sentences:{len(self.items)}|context:{CONTEXT}|seed:{self.seed}|choices:3|v:1"


def _check_digest(stated: Any, found: str, path: Path) -> None:
    if stated is None:
        remedy = "write it again: docmt human sheet with the same files, --sentences and --seed draws the same sheet"
        raise UserError("a key without its digest", where=str(path), expected=f"`{DIGEST}`, its SHA-256", remedy=remedy)
    if stated != found:
        raise UserError(
            "the key was changed",
            where=str(path),
            found=f"content of digest {found}",
            expected=f"content of digest {stated}, as the key states",
            remedy="take the key that was written with this sheet",
        )
