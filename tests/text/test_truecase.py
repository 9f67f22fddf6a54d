"""The truecaser's rules one by one, and the way back; `test_moses_parity.py` has it beside Moses' scripts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.text.casing import Truecaser


def test_words_that_open_a_sentence_show_no_case():
    line = '" Here we go : The end . Then US troops ( Ming ) left'
    truecaser = Truecaser.train([line.split()])
    assert truecaser.counts == {"Ming": 1, "US": 1, "end": 1, "go": 1, "left": 1, "troops": 1, "we": 1}


@pytest.mark.parametrize(
    ("tokens", "cased"),
    [
        ("The cat", "the cat"),
        ('" The cat', '" the cat'),
        ("Said : THE cat ! Ming", "Said : the cat ! Ming"),
        ("a CAT and The US", "a cat and The US"),
        ("us Unseen", "us Unseen"),
    ],
)
def test_first_words_get_their_usual_case_and_others_only_where_unknown(tokens, cased):
    truecaser = Truecaser({"the": 5, "The": 1, "cat": 2, "US": 1, "us": 2, "Ming": 3})
    assert " ".join(truecaser.apply(tokens.split())) == cased


def test_of_equally_frequent_cases_the_smaller_letters_win():
    assert Truecaser({"The": 2, "the": 2, "THE": 2}).apply(["THE"]) == ["the"]


WORDS = st.sampled_from(["the", "cat", "Ming", "US", "3.5", "-", ",", "élan"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=6).map(lambda words: [*Truecaser({}).restore(words), "."])


@given(sentences=st.lists(SENTENCES, max_size=3))
def test_sentences_in_their_usual_case_come_back(sentences):
    usual = Truecaser({"the": 3, "cat": 2, "Ming": 2, "US": 2, "us": 1, "élan": 1})
    line = [word for sentence in sentences for word in sentence]
    assert usual.restore(usual.apply(line)) == line


def test_a_damaged_model_is_refused(tmp_path):
    (tmp_path / "truecase.source.json").write_text('{"the": "often"}')
    with pytest.raises(UserError, match=r"truecase\.source\.json: not a truecase model of docmt"):
        Truecaser.load(tmp_path / "truecase.source.json")


def test_a_greek_word_in_capitals_has_its_spelling_with_a_final_sigma():
    assert Truecaser({"οδος": 1}).cased("ΟΔΟΣ", opens=False) == "οδος"
