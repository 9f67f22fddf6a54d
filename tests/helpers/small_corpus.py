"""A folder of stage 1 with a few documents of Chinese and English, for the tests of the stages after it."""

from pathlib import Path

import pyarrow as pa

from docmt.base.columns import CONTRASTIVE, DOCUMENTS
from docmt.base.tables import write_parquet

OF_MINE = {
    "corpus": "mine",
    "source_language": "zh",
    "target_language": "en",
    "licence": "CC0",
    "citation": "me",
}
"""What settings of a corpus of one's own have in all tests."""
PAIRS = [
    ("小明有一只猫。", "Ming has a cat."),
    ("它很喜欢鱼，也喜欢牛奶。", "It likes fish a lot, and milk too."),
    ("他的妹妹说：“我不喜欢猫！”", 'His sister says: "I don\'t like cats!"'),
    ("老师在学校里看书。", "The teacher reads a book at school."),
    ("我们明天去北京。", "We are going to Beijing tomorrow."),
    ("你的书很好。", "Your book is very good."),
    ("今天天气好吗？", "Is the weather good today?"),
]


def document_rows(split: str, document: str, pairs: list[tuple[str, str]]) -> list[dict]:
    return [
        {"split": split, "document": document, "sentence": number, "source": source, "target": target, "references": []}
        for number, (source, target) in enumerate(pairs)
    ]


def small_rows() -> list[dict]:
    """Ten documents for training, of 4 to 7 sentences, and one each for dev and test."""
    train = [document_rows("train", f"d{n}", PAIRS[n % 4 :] + PAIRS[: n % 2]) for n in range(10)]
    held_out = document_rows("dev", "d0", PAIRS[:3]), document_rows("test", "d0", PAIRS[2:6])
    return [row for rows in (*train, *held_out) for row in rows]


ITEM = {
    "set": "pronoun",
    "item": 0,
    "distance": 1,
    "source": [PAIRS[3][0], PAIRS[0][0], PAIRS[1][0]],
    "target_context": [PAIRS[3][1], PAIRS[0][1]],
    "variants": ["It likes fish.", "She likes fish a lot, and milk too."],
    "correct": 0,
}


def write_corpus(folder: Path, rows: list[dict] | None = None, items: list[dict] | None = None) -> Path:
    """`rows`, `items`: of documents.parquet and contrastive.parquet; no items, no such file."""
    write_parquet(folder / "documents.parquet", pa.Table.from_pylist(small_rows() if rows is None else rows, DOCUMENTS))
    if items:
        write_parquet(folder / "contrastive.parquet", pa.Table.from_pylist(items, CONTRASTIVE))
    return folder
