"""The same bytes from one process, from several, and from the jobs that take a part each."""

from pathlib import Path

import pytest
from helpers.small_corpus import ITEM, small_rows, write_corpus

from docmt.base import shards
from docmt.base.columns import TOKENS
from docmt.base.part import Part
from docmt.base.tables import ArrowFile
from docmt.base.workers import Workers
from docmt.settings.data import TextConfig
from docmt.text.pipeline import TokensSettings
from docmt.text.process import encode_part, join_parts, learn_parts, process_corpus, tokenise_part

TEXTS = [
    TextConfig(case="truecase", bpe="joint", merges=60),
    TextConfig(case="lower", bpe="separate", vocabulary="separate", chinese="characters", merges=20, threshold=3),
]


def settings(text: TextConfig) -> TokensSettings:
    return TokensSettings(1, "small", "zh", "en", text)


@pytest.fixture
def corpus(tmp_path, monkeypatch) -> Path:
    """Twelve documents in six shards; the test set has further references."""
    monkeypatch.setattr(shards, "SHARD_PAIRS", 9)
    rows = [row | {"references": ["Another one."] if row["split"] == "test" else []} for row in small_rows()]
    return write_corpus(tmp_path / "corpus", rows, [ITEM])


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def in_parts(text: TextConfig, corpus: Path, folder: Path, of: int) -> Path:
    parts = [folder / str(number) for number in range(1, of + 1)]
    for number, part in enumerate(parts, start=1):
        tokenise_part(settings(text), corpus, Part(number, of), part / "tokenised")
    learn_parts(settings(text), corpus, [part / "tokenised" for part in parts], folder / "learnt")
    for part in parts:
        encode_part(part / "tokenised", folder / "learnt" / "text", part / "encoded")
    join_parts([part / "encoded" for part in parts], folder / "learnt", corpus, folder / "out")
    return folder / "out"


@pytest.mark.some(1)
@pytest.mark.parametrize(("text", "of"), [*zip(TEXTS, (3, 8), strict=True)], ids=["3 parts", "more parts than shards"])
def test_one_process_several_and_parts_give_the_same_bytes(corpus, tmp_path, text, of):
    process_corpus(settings(text), corpus, tmp_path / "one")
    expected = files(tmp_path / "one")
    assert len(ArrowFile(tmp_path / "one" / "tokens.arrow", TOKENS)) == 6
    process_corpus(settings(text), corpus, tmp_path / "several", Workers(3))
    assert files(tmp_path / "several") == expected
    assert files(in_parts(text, corpus, tmp_path / "parts", of)) == expected


def test_shards_change_nothing_but_the_record_batches(corpus, tmp_path, monkeypatch):
    process_corpus(settings(TEXTS[0]), corpus, tmp_path / "six")
    monkeypatch.undo()
    process_corpus(settings(TEXTS[0]), corpus, tmp_path / "one")
    six, whole = files(tmp_path / "six"), files(tmp_path / "one")
    assert {name for name in six if six[name] != whole[name]} == {"tokens.arrow"}
    rows = [
        [row for shard in ArrowFile(tmp_path / name / "tokens.arrow", TOKENS) for row in shard.to_pylist()]
        for name in ("six", "one")
    ]
    assert rows[0] == rows[1]


def test_what_a_killed_job_left_is_cleared_away(corpus, tmp_path):
    (tmp_path / ".out.shards").mkdir()
    (tmp_path / ".out.shards" / "tokens.arrow").write_text("half")
    process_corpus(settings(TEXTS[0]), corpus, tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"corpus", "out"}
