"""Tokenizers: what they may not give, what they give back, and how they agree with Moses' own scripts."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.core.vocabulary import CONTINUES, SPECIALS
from docmt.text.tokenizers import tokenizer_for

TOKENIZERS = [
    tokenizer_for(*kind) for kind in (("en", "jieba"), ("fr", "jieba"), ("zh", "jieba"), ("zh", "characters"))
]
MARKS = st.sampled_from(
    [*SPECIALS, CONTINUES, "<", ">", "@", "</w>", " ", "\u3000", "\n", "a", "B.", "'s", "中国", "3.5", "é"]
)


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=["en", "fr", "jieba", "characters"])
@given(parts=st.lists(MARKS | st.characters(codec="utf-8"), max_size=12))
def test_no_token_is_a_symbol_of_ours_or_holds_white_space(tokenizer, parts):
    for token in tokenizer.tokenize("".join(parts)):
        assert token not in SPECIALS
        assert not token.endswith(CONTINUES)
        assert token.split() == [token]


@pytest.mark.parametrize(
    ("chinese", "tokens"),
    [
        ("jieba", ["我用", "Google", "Translate", "，", "花", "了", "3.5", "元", "。"]),
        ("characters", ["我", "用", "Google", "Translate", "，", "花", "了", "3", ".", "5", "元", "。"]),
    ],
)
def test_chinese_is_joined_without_spaces_except_between_latin_words(chinese, tokens):
    sentence = "我用Google Translate，花了3.5元。"
    tokenizer = tokenizer_for("zh", chinese)
    assert tokenizer.tokenize(sentence) == tokens
    assert tokenizer.detokenize(tokens) == sentence


def test_moses_keeps_hyphens_and_escapes_nothing():
    tokenizer = tokenizer_for("en", "jieba")
    sentence = 'A well-known "R&D" firm (didn\'t) cost $3.50 [1].'
    tokens = tokenizer.tokenize(sentence)
    assert " ".join(tokens) == 'A well-known " R & D " firm ( didn \'t ) cost $ 3.50 [ 1 ] .'
    assert tokenizer.detokenize(tokens) == sentence.replace("R&D", "R & D")


def lines(folder: Path, name: str) -> list[str]:
    return (folder / "golden" / name).read_text(encoding="utf-8").split("\n")[:-1]


def share_equal(ours: list, theirs: list) -> float:
    return sum(a == b for a, b in zip(ours, theirs, strict=True)) / len(theirs)


@pytest.mark.parametrize(("language", "share"), [("en", 0.999), ("de", 0.996), ("fr", 1.0)])
def test_tokens_are_those_of_moses(shared, language, share):
    tokenizer = tokenizer_for(language, "jieba")
    ours = [tokenizer.tokenize(line) for line in lines(shared, f"raw.{language}")]
    assert share_equal(ours, [line.split() for line in lines(shared, f"tok-noescape.{language}")]) >= share


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_detokenized_text_is_that_of_moses(shared, language):
    tokenizer = tokenizer_for(language, "jieba")
    ours = [tokenizer.detokenize(line.split()) for line in lines(shared, f"tok-noescape.{language}")]
    assert share_equal(ours, lines(shared, f"detok.{language}")) == 1.0
