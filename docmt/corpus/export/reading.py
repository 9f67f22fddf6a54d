"""What an export contains: the text of stage 1, the tokens of stage 2 and the contrastive items of a corpus."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.artifacts import read_object
from docmt.base.columns import CONTRASTIVE, DOCUMENTS, REFERENCE_TOKENS, TOKENS, only
from docmt.base.errors import UserError, check_known
from docmt.base.names import SPLITS
from docmt.base.shards import document_shards
from docmt.base.tables import ArrowFile, read_arrow, read_parquet
from docmt.corpus.inputs import ContrastiveItem

PLACE = ("split", "document", "sentence")  # The columns that identify a sentence in the tables of stages 1 and 2
TOKENS_OF = {"source": "source_tokens", "target": "target_tokens"}
"""The columns of the tokens in the tables of stage 2 and in exports, by the side."""
CARD = ("corpus", "source_language", "target_language", "licence", "citation", "splits", "contrastive")
"""The keys of card.json that an export needs."""

Texts = dict[str, list[str | None]]
"""The columns of some sentences, by their names; a missing further reference is None."""


@dataclass(frozen=True)
class ExportedCorpus:
    """The corpus that an export reads.

    `folder` is its folder of stage 1. `tokens` is its folder of stage 2, or None for an export without tokens. `chosen`
    has the names of splits; no name stands for all splits.
    """

    folder: Path
    tokens: Path | None = None
    chosen: tuple[str, ...] = ()

    @cached_property
    def card(self) -> dict[str, Any]:
        """The card of stage 1: languages, licence, citation and counts."""
        return read_object(self.folder / "card.json", *CARD)

    @cached_property
    def splits(self) -> tuple[str, ...]:
        """The splits of the export, train first; raises UserError for a split that the corpus lacks."""
        for split in self.chosen:
            check_known("split", split, self.card["splits"], str(self.folder / "card.json"))
        return tuple(split for split in SPLITS if split in (self.chosen or self.card["splits"]))

    def columns(self, splits: Sequence[str]) -> list[str]:
        """Return the names of the columns of some splits.

        There are as many columns `reference_2`, `reference_3` and so on as a sentence of these splits has at most.
        """
        texts = ["source", "target", *(f"reference_{number}" for number in self._further(splits))]
        tokens = [] if self.tokens is None else [f"{name}_tokens" for name in texts]
        return ["document", *texts, *tokens]

    def _further(self, splits: Sequence[str]) -> range:
        most = max((self.card["splits"][split]["references"]["max"] for split in splits), default=1)
        # The target is the first reference.
        return range(2, most + 1)

    def parts(self) -> Iterator[tuple[str, Texts]]:
        """Yield the sentences in the order of the corpus, some thousand at a time: their split, and their columns.

        Raises UserError where a file is missing or damaged, and where the tokens are not those of this corpus.
        """
        shards, _ = document_shards(self.folder / "documents.parquet", DOCUMENTS)
        columns = self.columns(self.splits)
        for shard, tokens in self._with_tokens(shards):
            for split in self.splits:
                rows = pc.equal(shard["split"], split)
                if pc.any(rows).as_py():
                    yield (
                        split,
                        self._texts(columns, shard.filter(rows), None if tokens is None else tokens.filter(rows)),
                    )

    def _with_tokens(self, shards: Iterator[pa.Table]) -> Iterator[tuple[pa.Table, pa.Table | None]]:
        if self.tokens is None:
            yield from ((shard, None) for shard in shards)
            return
        path = self.tokens / "tokens.arrow"
        for shard, tokens in zip_longest(shards, ArrowFile(path, only(TOKENS, *PLACE, *TOKENS_OF.values()))):
            if shard is None or tokens is None or not shard.select(PLACE).equals(tokens.select(PLACE)):
                raise UserError(
                    "the tokens belong to other sentences than the corpus has",
                    where=str(path),
                    expected=f"those of {self.folder / 'documents.parquet'}, in the same order",
                    remedy="make the tokens again from this corpus",
                )
            yield shard, tokens

    def _texts(self, columns: list[str], rows: pa.Table, tokens: pa.Table | None) -> Texts:
        texts: Texts = {name: rows[name].to_pylist() for name in ("document", "source", "target")}
        further = rows["references"].to_pylist()
        further_tokens: list[list[str]] = [[] for _ in further]
        if tokens is not None:
            texts |= {name: tokens[name].to_pylist() for name in TOKENS_OF.values()}
            places = zip(*(rows[name].to_pylist() for name in PLACE), strict=True)
            further_tokens = [self._reference_tokens.get(place, []) for place in places]
        for number in self._further(self.splits):
            texts[f"reference_{number}"] = _of_each(further, number - 2)
            texts[f"reference_{number}_tokens"] = _of_each(further_tokens, number - 2)
        return {name: texts[name] for name in columns}

    @cached_property
    def _reference_tokens(self) -> dict[tuple[str, str, int], list[str]]:
        path = self.tokens / "references.arrow"
        if not path.exists():
            return {}
        rows = read_arrow(path, REFERENCE_TOKENS)
        places = zip(*(rows[name].to_pylist() for name in PLACE), strict=True)
        return dict(zip(places, rows["reference_tokens"].to_pylist(), strict=True))

    @cached_property
    def items(self) -> list[ContrastiveItem]:
        """The contrastive items of the corpus, which belong to no split; none where it has no contrastive sets."""
        if not self.card["contrastive"]:
            return []
        rows = read_parquet(self.folder / "contrastive.parquet", CONTRASTIVE).to_pylist()
        return [_item(**row) for row in rows]


def _item(
    set: str, distance: int, source: list[str], target_context: list[str], variants: list[str], correct: int, item: int
) -> ContrastiveItem:
    return ContrastiveItem(
        set, distance, tuple(source), tuple(target_context), tuple(variants), correct, f"item {item}"
    )


def _of_each(lists: list[list[str]], index: int) -> list[str | None]:
    return [texts[index] if index < len(texts) else None for texts in lists]
