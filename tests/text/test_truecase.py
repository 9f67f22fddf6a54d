"""Our truecaser against the outputs of Moses' scripts, and its rules one by one."""

import re
from pathlib import Path

import pytest

from docmt.core.errors import UserError
from docmt.text.truecase import Truecaser, detruecase

ESCAPES = {
    "&#124;": "|",
    "&lt;": "<",
    "&gt;": ">",
    "&apos;": "'",
    "&quot;": '"',
    "&#91;": "[",
    "&#93;": "]",
    "&amp;": "&",
}


def lines(folder: Path, name: str) -> list[list[str]]:
    """Tokenised lines of Moses without its escapes, which docmt does not use."""
    text = (folder / "golden" / name).read_text(encoding="utf-8")
    return [re.sub("&[a-z0-9#]+;", lambda found: ESCAPES[found[0]], line).split() for line in text.split("\n")[:-1]]


def moses_counts(folder: Path, language: str) -> dict[str, int]:
    """A model of train-truecaser.perl: `best (count/total) other (count) ...`, the best of equals by hash order."""
    counts = {}
    for fields in lines(folder, f"truecase-model.{language}"):
        found = {word: int(re.findall(r"\d+", count)[0]) for word, count in zip(fields[::2], fields[1::2], strict=True)}
        best = max(found.values())
        # A half more than its equals makes Moses' choice ours.
        counts.update({word: n + 0.5 * (n == best and word == fields[0]) for word, n in found.items()})
    return counts


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_every_line_is_truecased_as_by_moses(shared, language):
    truecaser = Truecaser(moses_counts(shared, language))
    ours = [truecaser.apply(tokens) for tokens in lines(shared, f"tok.{language}")]
    assert ours == lines(shared, f"truecased.{language}")


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_every_line_is_detruecased_as_by_moses(shared, language):
    ours = [detruecase(tokens) for tokens in lines(shared, f"truecased.{language}")]
    assert ours == lines(shared, f"detruecased.{language}")


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_the_learnt_counts_are_those_of_moses(shared, language):
    ours = Truecaser.train(lines(shared, f"tok.{language}")).counts
    # Its escapes of quotes and the like have letters, and so it counts them as words.
    theirs = {w: int(n) for w, n in moses_counts(shared, language).items() if w not in ESCAPES.values()}
    assert ours == theirs


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


def test_a_damaged_model_is_refused(tmp_path):
    (tmp_path / "truecase.source.json").write_text('{"the": "often"}')
    with pytest.raises(UserError, match=r"truecase\.source\.json: not a truecase model of docmt"):
        Truecaser.load(tmp_path / "truecase.source.json")
