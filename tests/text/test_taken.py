"""A text that another corpus has learnt: the same pieces under the same numbers on both."""

import dataclasses
from pathlib import Path

import pytest
from helpers.recipes import write_recipe
from helpers.small_corpus import ITEM, PAIRS, document_rows, write_corpus

from docmt.base.columns import CONTRASTIVE_TOKENS, TOKENS
from docmt.base.errors import UserError
from docmt.base.tables import read_arrow
from docmt.cli.main import main
from docmt.settings.data import TextConfig
from docmt.steps.tokens import LEARNT
from docmt.text.pipeline import TextPipeline, TokensSettings
from docmt.text.process import process_corpus

PRESETS = {
    "truecase": TextConfig(case="truecase", bpe="joint", merges=60, learnt_on="large"),
    "lower": TextConfig(
        case="lower",
        bpe="separate",
        vocabulary="separate",
        chinese="characters",
        merges=20,
        threshold=2,
        learnt_on="large",
    ),
}
STRANGE = ("鑫龘喜欢猫。", "Zyzzyva likes cats.")


def settings(corpus: str, text: TextConfig) -> TokensSettings:
    return TokensSettings(1, corpus, "zh", "en", text)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def large(tmp_path) -> Path:
    return write_corpus(tmp_path / "large")


@pytest.fixture
def other(tmp_path) -> Path:
    """A corpus that has sentences in common with the large one, and words that are unknown to it."""
    rows = document_rows("train", "strange", [STRANGE, PAIRS[5], STRANGE]) + document_rows("test", "known", PAIRS[:3])
    return write_corpus(tmp_path / "other", rows, [ITEM])


def learnt_on_large(large: Path, text: TextConfig) -> Path:
    process_corpus(settings("large", text), large, large.parent / "large tokens")
    return large.parent / "large tokens" / "text"


def rows_of(output: Path) -> list[dict]:
    return read_arrow(output / "tokens.arrow", TOKENS).to_pylist()


@pytest.mark.parametrize("preset", PRESETS)
def test_the_corpus_itself_learns_as_if_nothing_were_said(large, tmp_path, preset):
    process_corpus(settings("large", PRESETS[preset]), large, tmp_path / "named")
    process_corpus(settings("large", dataclasses.replace(PRESETS[preset], learnt_on=None)), large, tmp_path / "unnamed")
    named, unnamed = (files(tmp_path / name) for name in ("named", "unnamed"))
    told = {"card.json", "text/text.json"}
    assert {name for name in named if named[name] != unnamed[name]} == told
    assert named.keys() == unnamed.keys()
    for name in told:
        assert named[name].replace(b'"large"', b"null") == unnamed[name]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_corpus_that_takes_the_text_cuts_sentences_as_the_other_one_does(large, other, tmp_path, preset):
    learnt = learnt_on_large(large, PRESETS[preset])
    process_corpus(settings("other", PRESETS[preset]), other, tmp_path / "out", learnt=learnt)
    assert files(tmp_path / "out" / "text") == files(learnt)
    pipeline, rows = TextPipeline.load(learnt), rows_of(tmp_path / "out")
    known = [(row["source_ids"], row["target_ids"]) for row in rows if row["split"] == "test"]
    assert known == [(pipeline.source.encode(source), pipeline.target.encode(target)) for source, target in PAIRS[:3]]
    by_text = {(row["source_pieces"], row["target_pieces"]): row for row in rows_of(learnt.parent)}
    for row in rows[-3:]:
        same = by_text[row["source_pieces"], row["target_pieces"]]
        assert (row["source_ids"], row["target_ids"]) == (same["source_ids"], same["target_ids"])
    (item,) = read_arrow(tmp_path / "out" / "contrastive.arrow", CONTRASTIVE_TOKENS).to_pylist()
    assert item["source_ids"] == [pipeline.source.encode(sentence) for sentence in ITEM["source"]]


@pytest.mark.parametrize(
    ("corpus", "text", "is_given", "message"),
    [
        ("large", PRESETS["lower"], True, "a text folder is given, but this text learns its own pieces"),
        ("other", PRESETS["lower"], False, "no text folder is given, but .*\n  expected .* has on large"),
        (
            "other",
            dataclasses.replace(PRESETS["lower"], merges=21),
            True,
            "the text folder was learnt with different settings\n  found merges 20; expected merges 21",
        ),
    ],
)
def test_refused(large, other, tmp_path, corpus, text, is_given, message):
    learnt = learnt_on_large(large, PRESETS["lower"]) if is_given else None
    with pytest.raises(UserError, match=message):
        process_corpus(settings(corpus, text), other, tmp_path / "out", learnt=learnt)
    assert not (tmp_path / "out").exists()


def test_the_commands_take_a_text(large, other, tmp_path, monkeypatch):
    learnt = learnt_on_large(large, PRESETS["lower"])
    text = dataclasses.asdict(PRESETS["lower"])
    told = {"corpus": "other", "source_language": "zh", "target_language": "en", "text": text}
    inputs = {"corpus": other, "learnt": learnt.parent}
    whole, parts = (write_recipe(tmp_path / name, "tokens", told, inputs) for name in ("one", "parts"))
    divided = [[*parts, "--part", f"{name}.1of1"] for name in ("tokenised", "learnt", "encoded", "joined")]
    for arguments in (whole, *divided):
        monkeypatch.setattr("sys.argv", ["docmt", *arguments, "--threads", "1"])
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 0
    undivided, several = Path(whole[-1]), Path(parts[-1])
    assert files(several / "text") == files(several / LEARNT / "text") == files(undivided / "text") == files(learnt)
