"""Signs of what the text of a corpus is like: found where they are, and told where they are not known."""

import json
from pathlib import Path
from typing import get_args

import pytest
from helpers.reader_files import write_files
from helpers.small_corpus import OF_MINE

from docmt.base.parse import parse
from docmt.catalogue.corpus import CorpusSettings, KnownSign
from docmt.corpus.inputs import Document, Problems, SideText
from docmt.corpus.read import Statistics, read_corpus
from docmt.corpus.scripts import letters_by_script, scripts_of
from docmt.corpus.signs import OTHER_SCRIPT, SIGNS, warn_of_signs

GOOD = [
    *("Der Müller sagt: „Nein.“", "R&D kostet 1.000,50 € – für <b>uns</b>.", "«Où est l'eau ?» … À demain !"),
    *(
        "NÃO. SÃO PAULO, MAÇÃ» e Ärger",
        "Ðe ÂNGELO Ñandú",
        "我觉得猫在这里，他说。",
        "می\u200cخواهم",
        "हिन्दी है।",
        "❤\ufe0f 👍🏽",
    ),
    *("안녕하세요", "A < B and C > D", "...", "x < 5 &c.", "İstanbul’da"),
]
"""Text without a sign."""

BAD = {
    "moses_escaped": ("He &apos;s here.", "R &amp; D", "&#91; x", "well @-@ known"),
    "tokenised": ("It is .", "Yes , no"),
    "mojibake": ("CafÃ© noir", "Itâ€™s late", "5 Â°C", "ÐŸÑ€Ð¸Ð²ÐµÑ‚"),
    "only_a_tag": ("<seg id=1>", "</p>"),
    "replacement_character": ("caf\ufffd",),
    "invisible_characters": ("zero\u200bwidth", "one\u2060two", "left\u200e", "tag\U000e0041"),
    "bidi_controls": ("a\u202eb\u202c", "\u2066a\u2069"),
    "private_use": ("a\ue000", "b\U000f0000"),
    "soft_hyphens": ("weich\xadtrenn",),
    "not_nfc": ("Mu\u0308ller", "\u1112\u1161", "\u212b"),
    "nothing_visible": ("\u200b", "\u3164", "\u2800 \u2800", "\u00ad"),
}


def signs(source: list[str], target: list[str] = (), languages: tuple[str, str] = ("xx", "yy")) -> dict:
    """Return the signs of both sides of documents of two sentences."""
    statistics = Statistics()
    sides = (source, target or ["good"] * len(source))
    for start in range(0, len(source), 2):
        texts = (SideText(side[start : start + 2], "f", range(start + 1, start + 3)) for side in sides)
        statistics.add(Document("train", f"d{start}", *texts, "f"))
    return statistics.signs(languages)


def test_good_text_has_no_sign():
    assert signs(GOOD) == {"source": {}, "target": {}}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in BAD.items() for text in texts])
@pytest.mark.parametrize("side", ["source", "target"])
def test_each_sign_is_found_at_its_line(name, text, side):
    lines = [*GOOD, text, *GOOD, text]
    other = ["good"] * len(lines)
    found = signs(*((lines, other) if side == "source" else (other, lines)))[side]
    first = [f"f:{len(GOOD) + 1}", f"f:{len(lines)}"]
    assert found[name] == {"count": 2, "of": len(lines), "first": first}
    assert set(found) - {name} <= {"invisible_characters", "soft_hyphens"}


def test_the_table_has_each_name_that_a_corpus_can_state():
    assert set(get_args(KnownSign)) == {*(sign.name for sign in SIGNS), OTHER_SCRIPT} == {*BAD, OTHER_SCRIPT}


@pytest.mark.parametrize(("bad", "told"), [(1, False), (2, False), (5, True)])
def test_what_good_text_may_have_is_told_from_a_share_on(bad, told):
    text = signs(["Yes , no"] * bad + ["good"] * (100 - bad))
    problems = Problems()
    warn_of_signs({"train": text}, (), "mine", problems)
    assert text["source"]["tokenised"]["count"] == bad
    assert bool(problems.warnings) == told


LANGUAGES = {
    "ru": "Привет, мир",
    "el": "Γειά σου",
    "zh": "我觉得猫在这里",
    "ja": "これは猫です",
    "ko": "고양이입니다",
    "he": "שלום עולם",
}


@pytest.mark.parametrize(("language", "text"), LANGUAGES.items())
def test_a_script_is_that_of_most_letters(language, text):
    lines = [text, "ab"] * 100
    english = ["the cat"] * len(lines)
    assert signs(lines, english, (language, "en")) == {"source": {}, "target": {}}
    swapped = signs(english, lines, (language, "en"))
    assert swapped["source"][OTHER_SCRIPT] == {"count": 1200, "of": 1200, "script": "Latin"}
    problems = Problems()
    warn_of_signs({"train": swapped}, (), "mine", problems)
    (warning,) = problems.warnings.values()
    assert warning.examples[0] == "mine train source: found 1,200 of 1,200 letters, most of them Latin"
    assert swapped["target"][OTHER_SCRIPT]["script"] == letters_by_script(text).most_common(1)[0][0]


def test_a_short_text_or_an_unknown_language_has_no_script():
    assert signs(["the cat"] * 10, ["the cat"] * 10, ("zh", "en"))["source"] == {}
    assert scripts_of("xx") == []
    assert signs(["the cat"] * 100, ["the cat"] * 100, ("xx", "en"))["source"] == {}


MINE = {
    "version": 1,
    **OF_MINE,
    "files": [{"name": "t.tsv"}],
    "reader": {"kind": "table", "splits": {"train": "t.tsv"}},
    "expected": {},
}
WARNING = "text has soft hyphens (U+00AD) (soft_hyphens) (1): mine train target: found 1 of 2 sentences, first t.tsv:3"


def card(folder: Path, **changes: object) -> dict:
    """Run stage 1 on two rows; return the card."""
    write_files(folder, {"downloads/t.tsv": "document\tsource\ttarget\na\t一\tone\na\t二\ttw\u00ado\n"})
    settings = parse(CorpusSettings, {**MINE, **changes}, "settings.json")
    read_corpus(settings, folder / "downloads", folder / "out")
    return json.loads((folder / "out/card.json").read_text())


def test_the_card_has_the_signs_and_warns_of_those_that_are_not_known(tmp_path):
    found = {"train": {"source": {}, "target": {"soft_hyphens": {"count": 1, "of": 2, "first": ["t.tsv:3"]}}}}
    told = card(tmp_path)
    assert (told["signs"], told["warnings"]) == (found, [WARNING])
    known = card(tmp_path, known=["soft_hyphens"])
    assert (known["signs"], known["warnings"]) == (found, [])
