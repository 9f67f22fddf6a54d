"""The stage from a corpus folder to ids: its laws, its files, its messages."""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from helpers.recipes import write_recipe
from helpers.sealed import check_reader, outputs_of
from helpers.small_corpus import ITEM, PAIRS, document_rows, small_rows, write_corpus

from docmt.base.columns import CONTRASTIVE_TOKENS, REFERENCE_TOKENS, TOKENS
from docmt.base.errors import UserError
from docmt.base.tables import read_arrow
from docmt.base.vocabulary import SPECIALS, UNK, Vocabulary
from docmt.cli.main import main
from docmt.settings.data import TextConfig
from docmt.text.encode import reference_tokens
from docmt.text.pipeline import TextPipeline, TokensSettings
from docmt.text.process import process_corpus

CHOICES = [
    TextConfig(case=case, bpe=bpe, vocabulary=vocabulary, chinese=chinese, merges=merges)
    for case, bpe, vocabulary, chinese, merges in (
        ("keep", "joint", "shared", "jieba", 60),
        ("lower", "separate", "separate", "characters", 20),
        ("truecase", "joint", "separate", "jieba", 0),
    )
]


def processed(folder: Path, text: TextConfig = CHOICES[0], **corpus) -> Path:
    settings = TokensSettings(1, "small", "zh", "en", text)
    output = folder / "tokens"
    process_corpus(settings, write_corpus(folder / "corpus", **corpus), output)
    return output


def rows_of(output: Path) -> list[dict]:
    return read_arrow(output / "tokens.arrow", TOKENS).to_pylist()


@pytest.mark.parametrize("text", CHOICES, ids=lambda text: text.case)
def test_ids_pieces_and_tokens_say_the_same(tmp_path, text):
    output = processed(tmp_path, text)
    rows = rows_of(output)
    keys = ("split", "document", "sentence")
    assert [[row[key] for key in keys] for row in rows] == [[row[key] for key in keys] for row in small_rows()]
    for side in ("source", "target"):
        vocabulary = Vocabulary.load(output / "text" / f"vocabulary.{side}.txt")
        for row in rows:
            pieces = row[f"{side}_pieces"]
            assert " ".join(vocabulary.decode(row[f"{side}_ids"])) == pieces
            assert pieces.replace("@@ ", "") == row[f"{side}_tokens"]


def test_case_is_as_chosen(tmp_path):
    tokens = {text.case: rows_of(processed(tmp_path / text.case, text))[3]["target_tokens"] for text in CHOICES}
    assert tokens == {
        "keep": "The teacher reads a book at school .",
        "lower": "the teacher reads a book at school .",
        "truecase": "the teacher reads a book at school .",  # as in "Is the weather good today?"
    }


def test_further_references_are_treated_as_the_target(tmp_path):
    rows = small_rows()
    targets = [row["target"] for row in rows]
    for row in rows:
        row["references"] = [row["target"], PAIRS[0][1]] if row["split"] == "test" else []
    output = processed(tmp_path, CHOICES[2], rows=rows)
    references = read_arrow(output / "references.arrow", REFERENCE_TOKENS).to_pylist()
    tokens = {targets[n]: row["target_tokens"] for n, row in enumerate(rows_of(output))}
    assert [row["reference_tokens"] for row in references] == [
        [tokens[row["target"]], tokens[PAIRS[0][1]]] for row in rows if row["split"] == "test"
    ]
    processed(tmp_path)
    assert not (output / "references.arrow").exists()


def test_further_references_that_differ_from_their_manifest_are_refused(tmp_path):
    """Also by the job that learns from parts, and reads nothing else of the corpus."""
    rows = [row | {"references": [row["target"]]} for row in small_rows()]
    text = TextPipeline.load(processed(tmp_path, rows=rows) / "text")
    path = tmp_path / "corpus" / "documents.parquet"
    check_reader(path, lambda: reference_tokens(path, text.target), path.stat().st_size // 2)


def test_the_same_corpus_gives_the_same_bytes(tmp_path):
    outputs = [processed(tmp_path / name, CHOICES[2], items=[ITEM]) for name in ("one", "two")]
    files = [sorted(path.relative_to(output) for path in output.rglob("*") if path.is_file()) for output in outputs]
    assert files[0] == files[1]
    assert len(files[0]) == 9
    assert all((outputs[0] / name).read_bytes() == (outputs[1] / name).read_bytes() for name in files[0])


def pieces_of_training(rows: list[dict], side: str) -> set[str]:
    return {piece for row in rows if row["split"] == "train" for piece in row[f"{side}_pieces"].split(" ")}


@pytest.mark.parametrize("text", CHOICES, ids=lambda text: f"{text.bpe}-{text.vocabulary}")
def test_joint_sides_have_one_set_of_merges_and_a_vocabulary_has_the_pieces_of_its_sides(tmp_path, text):
    output = processed(tmp_path, text)
    codes = {side: (output / "text" / f"codes.{side}").read_bytes() for side in ("source", "target")}
    assert (codes["source"] == codes["target"]) == (text.bpe == "joint")
    pieces = {side: pieces_of_training(rows_of(output), side) for side in codes}
    assert pieces["source"] != pieces["target"]
    for side in codes:
        vocabulary = Vocabulary.load(output / "text" / f"vocabulary.{side}.txt").pieces
        expected = pieces[side] if text.vocabulary == "separate" else pieces["source"] | pieces["target"]
        assert len(vocabulary) == len(set(vocabulary))
        assert set(vocabulary) == expected | set(SPECIALS)


def test_nothing_is_learnt_from_held_out_documents(tmp_path):
    strange = document_rows("dev", "strange", [("鑫龘。", "Zyzzyva ßß.")])
    plain, other = processed(tmp_path / "a"), processed(tmp_path / "b", rows=small_rows() + strange)
    for path in (plain / "text").iterdir():
        assert path.read_bytes() == (other / "text" / path.name).read_bytes()
    assert UNK in rows_of(other)[-1]["source_ids"]
    dev = json.loads((other / "card.json").read_text())["splits"]["dev"]
    assert dev["sentences"] == 4
    assert dev["target"]["unknown"] == sum(row["target_ids"].count(UNK) for row in rows_of(other)[-1:])


@pytest.mark.parametrize("vocabulary", ["shared", "separate"])
def test_pieces_below_the_threshold_are_cut_again(tmp_path, vocabulary):
    """No piece but characters is rarer in training, and what a loaded text cuts is what the stage has cut."""
    text = TextConfig(case="lower", vocabulary=vocabulary, merges=60, threshold=4)
    output = processed(tmp_path, text)
    rows, pipeline = rows_of(output), TextPipeline.load(output / "text")
    lines = {side: [row[f"{side}_pieces"] for row in rows if row["split"] == "train"] for side in pipeline.sides}
    counts = {side: Counter(piece for line in lines[side] for piece in line.split(" ")) for side in lines}
    if vocabulary == "shared":
        counts = dict.fromkeys(counts, counts["source"] + counts["target"])
    for side in lines:
        pieces = set(pipeline.sides[side].vocabulary.pieces) - set(SPECIALS)
        assert pieces == {piece for piece, count in counts[side].items() if count >= 4}
        assert all(len(piece.removesuffix("@@")) == 1 for piece in counts[side] if piece not in pieces)
        assert any(len(piece.removesuffix("@@")) > 1 for piece in pieces)
        for row, raw in zip(rows, small_rows(), strict=True):
            assert pipeline.sides[side].encode(raw[side]) == row[f"{side}_ids"]


def test_contrastive_sentences_go_the_way_of_the_corpus(tmp_path):
    output = processed(tmp_path, items=[ITEM])
    train = rows_of(output)[:4]
    (item,) = read_arrow(output / "contrastive.arrow", CONTRASTIVE_TOKENS).to_pylist()
    assert item["source_ids"] == [train[3]["source_ids"], train[0]["source_ids"], train[1]["source_ids"]]
    assert item["target_context_ids"] == [train[3]["target_ids"], train[0]["target_ids"]]
    assert [item[key] for key in ("set", "item", "distance", "correct")] == ["pronoun", 0, 1, 0]
    assert len(item["variant_ids"]) == 2
    assert item["variant_ids"][0] != item["variant_ids"][1]


def test_a_corpus_without_training_documents_is_refused(tmp_path):
    rows = [row for row in small_rows() if row["split"] != "train"]
    with pytest.raises(UserError, match=r"documents\.parquet: no training sentences to learn pieces from"):
        processed(tmp_path, rows=rows)
    assert not (tmp_path / "tokens").exists()


@pytest.mark.parametrize(("pair", "side"), [(("\u200a\u3000", "Hi."), "source"), (("你好。", "\x01 "), "target")])
def test_a_sentence_without_tokens_is_named(tmp_path, pair, side):
    rows = small_rows() + document_rows("test", "odd", [PAIRS[0], pair])
    with pytest.raises(UserError, match=f"test document 'odd' sentence 1: a {side} sentence without any token"):
        processed(tmp_path, rows=rows)
    assert not (tmp_path / "tokens").exists()


def command(monkeypatch, settings: dict, folder: Path) -> Path:
    words = write_recipe(folder / "out", "tokens", settings, {"corpus": folder})
    monkeypatch.setattr(sys, "argv", ["docmt", *words])
    return Path(words[-1])


CHOSEN = {"corpus": "small", "source_language": "zh", "target_language": "en", "text": {"merges": 30}}


def test_the_command_writes_the_stages_files(tmp_path, monkeypatch):
    output = command(monkeypatch, CHOSEN, write_corpus(tmp_path, items=[ITEM]))
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert outputs_of(output) == {"tokens.arrow", "contrastive.arrow", "text", "card.json"}
