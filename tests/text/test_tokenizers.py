"""Tokenizers: what none of them may give, which one a text gets, and Chinese there and back."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.vocabulary import CONTINUES, SPECIALS
from docmt.settings.data import TextConfig
from docmt.text.tokenizers import tokenizer_for

TEXTS = {
    "en": ("en", TextConfig()),
    "aggressive": ("en", TextConfig(normalise=True, aggressive=True)),
    "fr": ("fr", TextConfig()),
    "jieba": ("zh", TextConfig()),
    "characters": ("zh", TextConfig(chinese="characters")),
    "reversible": ("en", TextConfig(join="reversible")),
    "reversible Chinese": ("zh", TextConfig(join="reversible")),
}
TOKENIZERS = [tokenizer_for(*text) for text in TEXTS.values()]
MARKS = st.sampled_from(
    [*SPECIALS, CONTINUES, "<", ">", "@", "</w>", " ", "\u3000", "\n", "a", "B.", "'s", "中国", "3.5", "é"]
)


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=TEXTS)
@given(parts=st.lists(MARKS | st.characters(codec="utf-8"), max_size=12))
def test_no_token_is_a_symbol_of_ours_or_holds_white_space(tokenizer, parts):
    for token in tokenizer.tokenize("".join(parts)):
        assert token not in SPECIALS
        assert not token.endswith(CONTINUES)
        assert token.split() == [token]


@pytest.mark.parametrize("language", ["en", "zh"])
@given(
    st.lists(st.text("aZ9é.,’“-/ \u3000中国かナ。！☺\u0301\u200d\u094d्क", max_size=4) | st.text(max_size=4), max_size=8)
)
def test_reversible_tokens_are_joined_to_the_text(language, parts):
    """Whatever the text is, but for white space, control characters and the two marks."""
    text = "".join(
        char for char in "".join(parts) if unicodedata.category(char) not in ("Cc", "Cs") and char not in "￭▁"
    )
    tokenizer = tokenizer_for(language, TextConfig(join="reversible"))
    assert tokenizer.detokenize(tokenizer.tokenize(text)) == " ".join(text.split())


@pytest.mark.parametrize(
    ("language", "sentence", "tokens"),
    [
        (
            "en",
            "“Anna can’t wait,” she said (for 3.5 km).",
            "“￭ Anna can ￭’￭ t wait ￭, ￭” she said (￭ for 3.5 km ￭) ￭.",
        ),
        ("hi", "क्या हिन्दी में ज़रूर।", "क्या हिन्दी में ज़रूर ￭।"),
        ("fa", "می\u200cخواهم بروم.", "می\u200cخواهم بروم ￭."),
        ("cs", unicodedata.normalize("NFD", "Řekl včera."), unicodedata.normalize("NFD", "Řekl včera ￭.")),
        ("zh", "我们去New York。 好 ", "我们 去 New York 。 ▁ 好"),
        ("ja", "彼は学校に。Ja!", "彼 は 学校 に 。 Ja ￭!"),
    ],
)
def test_marks_are_beside_what_is_no_word(language, sentence, tokens):
    assert " ".join(tokenizer_for(language, TextConfig(join="reversible")).tokenize(sentence)) == tokens


@pytest.mark.parametrize(
    ("chinese", "tokens"),
    [
        ("jieba", ["我用", "Google", "Translate", "，", "花", "了", "3.5", "元", "。"]),
        ("characters", ["我", "用", "Google", "Translate", "，", "花", "了", "3", ".", "5", "元", "。"]),
    ],
)
def test_chinese_is_joined_without_spaces_except_between_latin_words(chinese, tokens):
    sentence = "我用Google Translate，花了3.5元。"
    tokenizer = tokenizer_for("zh", TextConfig(chinese=chinese))
    assert tokenizer.tokenize(sentence) == tokens
    assert tokenizer.detokenize(tokens) == sentence


def test_a_text_of_words_is_tokenised_as_it_says():
    sentence = "A “well-known” firm (didn't) cost $3.50 [1]."
    tokens = "A “ well-known ” firm ( didn 't ) cost $ 3.50 [ 1 ] ."
    cut = tokens.replace("-", " @-@ ")
    assert " ".join(tokenizer_for("en", TextConfig()).tokenize(sentence)) == tokens
    assert " ".join(tokenizer_for("en", TextConfig(aggressive=True)).tokenize(sentence)) == cut
    normalised = tokenizer_for("en", TextConfig(normalise=True)).tokenize(sentence)
    assert " ".join(normalised) == tokens.replace("“", '"').replace("”", '"')


def test_punctuation_and_hyphens_of_chinese_stay():
    plain, other = (tokenizer_for("zh", text) for text in (TextConfig(), TextConfig(normalise=True, aggressive=True)))
    sentence = "他说：“well-known（好）…”"
    assert other.tokenize(sentence) == plain.tokenize(sentence)
