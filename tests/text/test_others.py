"""Lines that another program wrote become tokens as references have them, and plain text."""

import pytest

from docmt.base.vocabulary import Vocabulary
from docmt.text.casing import KeepCase, LowerCase, Truecaser
from docmt.text.chinese import Chinese
from docmt.text.moses import Moses
from docmt.text.others import restore_line
from docmt.text.side import Side, WholeTokens

VOCABULARY = Vocabulary.from_counts({"a": 1}, 0)


def side(casing: KeepCase, tokenizer: object = None) -> Side:
    return Side(tokenizer or Moses("en"), casing, WholeTokens(), VOCABULARY)


@pytest.mark.parametrize(("casing", "tokens"), [(KeepCase(), "He came , once ."), (LowerCase(), "he came , once .")])
def test_plain_text_stays_and_tokens_are_those_of_the_references(casing, tokens):
    assert restore_line(side(casing), "en", "He came, once.", False) == (tokens, "He came, once.")


def test_tokens_stay_and_are_joined_to_plain_text():
    line = "He  came , once ."
    assert restore_line(side(KeepCase()), "en", line, True) == ("He came , once .", "He came, once.")
    assert restore_line(side(LowerCase()), "en", line, True) == ("he came , once .", "He came, once.")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("he came? it's (at 5 p.m.) late.", "He came? It's (at 5 p.m.) late."),
        ('"who  knows?" Anna asked: nobody.', '"Who  knows?" Anna asked: Nobody.'),
        ("ça va", "Ça va"),
        ("", ""),
        ("IBM left", "IBM left"),
    ],
)
def test_truecased_text_gets_the_capitals_of_sentences_as_our_own_text_does(line, text):
    assert restore_line(side(KeepCase()), "en", line, False, is_truecased=True)[1] == text
    tokens = Moses("en").tokenize(line)
    ours = Moses("en").detokenize(Truecaser({}).restore(tokens))
    assert restore_line(side(KeepCase()), "en", " ".join(tokens), True, is_truecased=True)[1] == ours
    assert restore_line(side(KeepCase()), "en", line, False)[1] == line


def test_chinese_tokens_are_joined_without_spaces():
    assert restore_line(side(KeepCase(), Chinese("characters")), "zh", "他 来了 。", True) == ("他 来了 。", "他来了。")


def test_escapes_of_tokens_are_characters_again():
    line = "he said , &quot; It &apos;s R &amp; D . &quot;"
    assert restore_line(side(KeepCase()), "en", line, True) == (
        'he said , " It \'s R & D . "',
        'he said, "It\'s R & D."',
    )
    assert restore_line(side(KeepCase()), "en", "R &amp;lt; D", True)[0] == "R &lt; D", "each escape is read once"
