"""Moses' tokenizer and detokenizer: cases by hand, sacremoses as an oracle where it follows Moses, and the way back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacremoses import MosesTokenizer

from docmt.text.moses import Moses

LANGUAGES = ("en", "de", "fr", "ru")
MARKS = "abS57'',,..- \t\"()%:;?!_²éи«@\x01\u2005"
PARTS = st.sampled_from([*MARKS, "...", " '", "' ", "Mr", "No", "etc", "U.S", "usw"])
TEXTS = st.lists(PARTS, max_size=14).map("".join)


@pytest.mark.parametrize(
    ("language", "sentence", "tokens"),
    [
        ("en", "The dog's bone, isn't it?", "The dog 's bone , isn 't it ?"),
        ("en", "In the 1990's 'old' dogs' 1,000 bones,", "In the 1990 's ' old ' dogs ' 1,000 bones ,"),
        ("en", "Mr. Smith met Nos. 5 and U.S. men at 5 p.m.", "Mr. Smith met Nos. 5 and U.S. men at 5 p.m ."),
        ("en", "No. 5 is no. Bob said no.", "No. 5 is no . Bob said no ."),
        ("en", "Wait... what?.. ok", "Wait ... what ? .. ok"),
        ("en", "He wrote 'the end.'", "He wrote ' the end . '"),
        ("en", "'Tis 5, 6,7 and ,8", "'Tis 5 , 6,7 and , 8"),
        ("en", "x² = ½\u3000ok\u200bay\x01!", "x ² = ½ ok \u200b ay !"),
        ("en", "\x1fa\x1c b\x85c", "a b c"),
        ("de", "Usw. und z.B. Nr. 5, S. 12 ff.", "Usw. und z.B. Nr. 5 , S. 12 ff ."),
        ("de", "Wie geht's Hans' Hund?", "Wie geht ' s Hans ' Hund ?"),
        ("fr", "L'ami d'aujourd'hui, qu'est-ce?", "L' ami d' aujourd' hui , qu' est-ce ?"),
        ("fi", "EU:ssa on 5:n a:B", "EU:ssa on 5:n a : B"),
        ("xx", "Mr. Smith's", "Mr. Smith ' s"),
    ],
)
def test_tokens_are_as_moses_cuts_them(language, sentence, tokens):
    assert " ".join(Moses(language).tokenize(sentence)) == tokens


@pytest.mark.parametrize("aggressive", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
@given(text=TEXTS)
def test_tokens_are_those_of_sacremoses_in_all_but_the_last_word(language, aggressive, text):
    """sacremoses keeps the stop of a last word that is an abbreviation, which Moses parts."""
    sentence = f"{text} end"
    theirs = MOSES[language].tokenize(sentence, aggressive_dash_splits=aggressive, escape=False)
    assert OURS[language, aggressive].tokenize(sentence) == theirs


MOSES = {language: MosesTokenizer(language) for language in LANGUAGES}
OURS = {(language, way): Moses(language, aggressive=way) for language in LANGUAGES for way in (False, True)}


def test_aggressive_cuts_hyphens_between_letters_and_digits():
    sentence = "A well-known, semi-well-known 3-1 -- x- and -y."
    tokens = Moses("en", aggressive=True).tokenize(sentence)
    assert " ".join(tokens) == "A well @-@ known , semi @-@ well @-@ known 3 @-@ 1 -- x- and -y ."


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=TEXTS)
def test_cut_hyphens_leave_no_trace_in_plain_text(language, text):
    plain, cut = OURS[language, False], OURS[language, True]
    assert cut.detokenize(cut.tokenize(text)) == plain.detokenize(plain.tokenize(text))


WORDS = st.sampled_from(["cat", "U.S.", "well-known", "Ming's", "isn't", "3.50", "1,000", "AT", "naïve", "didn't"])
PHRASES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
CLAUSES = st.one_of(PHRASES, PHRASES.map("({})".format), PHRASES.map('"{}"'.format), PHRASES.map("[{}]".format))
SENTENCES = st.builds(
    lambda clauses, mark, end: mark.join(clauses) + end,
    st.lists(CLAUSES, min_size=1, max_size=4),
    st.sampled_from([", ", "; ", ": ", " - ", "! "]),
    st.sampled_from([" end.", " end?", " end!", " end...", ""]),
)


@pytest.mark.parametrize("aggressive", [False, True])
@given(sentence=SENTENCES)
def test_english_sentences_come_back(aggressive, sentence):
    tokenizer = OURS["en", aggressive]
    assert tokenizer.detokenize(tokenizer.tokenize(sentence)) == sentence
