"""What is told of text that looks tokenised or escaped: the same as sacreBLEU tells, and of short files too."""

import logging

import pytest
import sacrebleu

from docmt.scoring.plain_text import text_warnings, texts_of

PLAIN = ["The cat's here.", "It is 5 p.m. & late.", "Well-known."]
TOKENISED = ["The cat 's here .", "It is 5 p.m. .", "A dog ."]
ESCAPED = ["The cat &apos;s here.", "Well @-@ known.", "R &amp; D."]


@pytest.mark.parametrize("lines", [100, 99])
def test_a_hundred_lines_are_told_as_by_sacrebleu(lines, caplog):
    texts = [TOKENISED[0]] * lines + [PLAIN[0]] * 1500
    with caplog.at_level(logging.WARNING, logger="sacrebleu"):
        sacrebleu.BLEU().corpus_score(texts, [[PLAIN[0]] * len(texts)])
    assert bool(text_warnings({"hypotheses": texts})) == ("forgot to detokenize" in caplog.text) == (lines == 100)


@pytest.mark.parametrize(
    ("lines", "sign"), [(TOKENISED, "end in a full stop after a space"), (ESCAPED, "have escapes")]
)
def test_a_tenth_of_a_short_text_is_told(lines, sign):
    tenth, eleventh = (lines[:1] + PLAIN[:1] * others for others in (9, 10))
    (warning,) = text_warnings({"ours.txt": tenth})
    assert warning.startswith(f"ours.txt: 1 of 10 lines {sign}")
    assert text_warnings({"ours.txt": eleventh}) == []


def test_plain_text_blank_lines_and_references_that_are_not_there_are_not_told():
    assert text_warnings({"plain": [*PLAIN, "", " ", None], "nothing": [None, ""], "": []}) == []
    (warning,) = text_warnings({"few": [TOKENISED[0], None, ""]})
    assert "1 of 1 lines" in warning


def test_each_text_and_each_sign_is_told():
    both = [f"{line} ." for line in ESCAPED]
    told = text_warnings({"ours": both, **texts_of("reference", (PLAIN, TOKENISED))})
    assert [text.split(":")[0] for text in told] == ["ours", "ours", "reference 2"]
