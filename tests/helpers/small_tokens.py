"""A folder of stage 2 with a few documents of random ids, and views of it, for the tests of stage 3."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from docmt.base.columns import CONTRASTIVE_TOKENS, TOKENS
from docmt.base.tables import write_arrow
from docmt.settings.data import CutConfig, ViewConfig
from docmt.views.build import ViewsSettings, build_view

SENTENCES = {"train": [7, 2, 1, 12], "dev": [3], "test": [5, 1]}
"""How many sentences each document has."""


def token_rows() -> list[dict]:
    numbers = np.random.default_rng(1)
    return [
        {
            "split": split,
            "document": f"{split}{document}",
            "sentence": sentence,
            **{
                f"{side}_ids": numbers.integers(7, 99, numbers.integers(1, 12)).tolist()
                for side in ("source", "target")
            },
        }
        for split, counts in SENTENCES.items()
        for document, count in enumerate(counts)
        for sentence in range(count)
    ]


def write_tokens(folder: Path, rows: list[dict] | None = None, items: list[dict] | None = None) -> Path:
    table = pa.Table.from_pylist(token_rows() if rows is None else rows, TOKENS)
    write_arrow(folder / "tokens.arrow", table)
    if items:
        write_arrow(folder / "contrastive.arrow", pa.Table.from_pylist(items, CONTRASTIVE_TOKENS))
    return folder


def built(folder: Path, train: CutConfig, test: CutConfig | None = None, **tokens) -> Path:
    settings = ViewsSettings(1, ViewConfig(train, test or train))
    build_view(settings, write_tokens(folder / "tokens", **tokens), folder / "view")
    return folder / "view"


def sentences_in(row: dict, side: str) -> list[list[int]]:
    ends = np.cumsum(row[f"{side}_lengths"])
    return [part.tolist() for part in np.split(np.array(row[f"{side}_ids"]), ends)[:-1]]
