"""Names of a pretrained tokenizer's pieces, from which the words can be told.

A piece that goes on with a word has `@@` before its name, whatever the tokenizer writes; one that opens a word has the
tokenizer's own. So tokens are pieces joined, as with BPE, where `@@` stands on the other side.

| tokenizer | a word's pieces | their names | the token |
| --- | --- | --- | --- |
| SentencePiece (mBART) | `▁re` `turn` | `▁re` `@@turn` | `▁return` |
| byte-level BPE (BART) | `Ġre` `turn` | `Ġre` `@@turn` | `Ġreturn` |
| WordPiece (BERT) | `re` `##turn` | `re` `@@turn` | `return` |

A word of the first two is what stands between spaces, punctuation included: a Chinese sentence is one word. (Our
reading; lexical chains of such a text are therefore coarse. A model that looks at chains needs a text of our own.)
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from docmt.base.vocabulary import CONTINUES

AT = "@\u2060"
"""Stands for `@` in names: with a word joiner after it, so that no name ends or begins like an unfinished word."""


@dataclass(frozen=True)
class Spelling:
    """How a tokenizer marks words: `opens` stands before pieces that open one, or `within` before those that do not."""

    opens: str = ""
    within: str = ""

    @classmethod
    def of(cls, tokenizer: Mapping[str, Any]) -> "Spelling | None":
        """That of a tokenizer.json; None where it marks no words."""
        model = tokenizer["model"]
        if model.get("type") == "WordPiece":
            return cls(within=model.get("continuing_subword_prefix", "##"))
        for part in parts(tokenizer.get("decoder"), "decoders"):
            if part["type"] == "Metaspace":
                return cls(opens=part.get("replacement", "▁"))
            if part["type"] == "ByteLevel":
                return cls(opens="Ġ")
        return None

    def name(self, piece: str) -> str:
        continues = piece.startswith(self.within) if self.within else not piece.startswith(self.opens)
        shown = (piece.removeprefix(self.within) if continues else piece).replace("@", AT)
        return CONTINUES + shown if continues else shown

    def piece(self, name: str) -> str:
        """What `name` was made from."""
        continues = name.startswith(CONTINUES)
        piece = name.removeprefix(CONTINUES).replace(AT, "@")
        return self.within + piece if continues else piece

    def unknown(self, surface: str, follows_space: bool) -> str:
        """A name for text that has no piece, as it stands in the sentence."""
        shown = surface.strip().replace(" ", "_").replace("@", AT)
        opens = follows_space or bool(self.within)
        return self.opens + shown if opens else CONTINUES + shown


def parts(section: Mapping[str, Any] | None, key: str) -> list[Mapping[str, Any]]:
    """The steps of a tokenizer's section, which may be a sequence of them."""
    if section is None:
        return []
    return list(section[key]) if section["type"] == "Sequence" else [section]


def join_names(names: Iterable[str]) -> str:
    """The tokens that the pieces make, joined by spaces."""
    return "".join(f" {name}" for name in names).replace(f" {CONTINUES}", "").strip(" ")
