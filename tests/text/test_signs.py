"""Signs of text that is not what is stated of it: each is found where it was made, and none in plain text."""

import io
import re
import shlex
import subprocess
from collections.abc import Callable

import pytest
import sacremoses
from helpers.real_files import members
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from docmt.settings.data import TextConfig
from docmt.text.casing import Truecaser
from docmt.text.signs import signs_of, text_warnings
from docmt.text.tokenizers import tokenizer_for

Lines = list[str]

ALL = frozenset({"words", "plain", "cased", "openings"})
"""What is stated of plain text."""

TEXTS = {
    "en": [
        "The cat's here, I think.",
        "It is 5 p.m. & late.",
        'He said: "It is well-known."',
        "Anna came, and Bob went.",
        "Who knows?",
        "We left (at last).",
        "Mr. Smith's dog doesn't bark, he said.",
        "It cost 1,000.50 dollars.",
    ],
    "de": [
        "Die Katze ist da, denke ich.",
        "Es ist 17 Uhr & spät, d.h. dunkel.",
        "Er sagte: „Das ist bekannt.“",
        "Anna kam, und Bob ging.",
        "Wer weiß?",
        "Wir gingen (endlich).",
        "Herrn Müllers' Hund bellt nicht, sagte er.",
        "Es kostete 1.000,50 Euro.",
    ],
    "fr": [
        "Le chat est là, je crois.",
        "Qu'est-ce que c'est ?",
        "Il a dit : « C'est connu. »",
        "Anna vint, et Bob partit.",
        "Qui le sait ?",
        "Nous partîmes (enfin) !",
        "L'eau d'aujourd'hui n'est pas l'eau d'hier.",
        "Cela coûta 1 000,50 euros.",
    ],
    "zh": ["我觉得猫在这里，他说。", "谁知道？", "他说：“大家都知道。”", "安娜来了，鲍勃走了。", "NBA 比赛五点开始。"],
}
"""Plain text, by language."""


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("aggressive", [False, True])
def test_what_our_stages_restore_has_no_sign(language, aggressive):
    lines = TEXTS[language]
    tokenizer = tokenizer_for(language, TextConfig(aggressive=aggressive))
    tokens = [tokenizer.tokenize(line) for line in lines]
    casing = Truecaser.train(tokens)
    for cased in (tokens, [casing.restore(casing.apply(line)) for line in tokens]):
        restored = [tokenizer.detokenize(line) for line in cased]
        assert text_warnings({"ours": lines, "restored": restored}, {"reference": lines}, ALL) == []
        assert text_warnings({"ours": lines}, {"reference": restored}, ALL) == []


def moses(language: str, lines: Lines, escape: bool) -> Lines:
    cut = sacremoses.MosesTokenizer(lang=language).tokenize
    return [cut(line, escape=escape, return_str=True) for line in lines]


def bpe(language: str, lines: Lines) -> Lines:
    tokens, codes = moses(language, lines, False), io.StringIO()
    learn_bpe(io.StringIO("\n".join(tokens)), codes, 500 if len(lines) > 500 else 20, min_frequency=2)
    codes.seek(0)
    apply = BPE(codes)
    return [apply.process_line(line) for line in tokens]


def sentencepiece(language: str, lines: Lines) -> Lines:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=500, show_progress=False))
    return [" ".join(tokenizer.encode(line).tokens) for line in lines]


def wordpiece(language: str, lines: Lines) -> Lines:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=1000 if len(lines) > 500 else 120, show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    return [" ".join(tokenizer.encode(line).tokens) for line in lines]


def truecased(language: str, lines: Lines) -> Lines:
    tokenizer = tokenizer_for(language, TextConfig())
    tokens = [tokenizer.tokenize(line) for line in lines]
    # Names stay as they are; other words that open a sentence are never capital inside one.
    small = {word for line in tokens for word in line[1:] if word.islower()}
    first = re.compile(r"^(\W*)(\w+)")
    return [
        first.sub(lambda match: match[1] + (match[2].lower() if match[2].lower() in small else match[2]), line)
        for line in lines
    ]


LEFT_BY_OTHERS: dict[str, tuple[Callable[[str, Lines], Lines], str]] = {
    "BPE of subword-nmt": (bpe, "end words in @@"),
    "BPE of words with ends": (lambda _, lines: [re.sub(r"(\S)(?= |$)", r"\1</w>", line) for line in lines], "</w>"),
    "SentencePiece": (sentencepiece, "begin words with ▁"),
    "joiners of OpenNMT": (lambda _, lines: [re.sub(r"([,.])", r" ￭\1", line) for line in lines], "have the joiner ￭"),
    "WordPiece of BERT": (wordpiece, "begin words with ##"),
    "joined sentences": (lambda _, lines: [f"{line} _eos {line}" for line in lines], "have symbols of a model"),
    "ends of sentences": (lambda _, lines: [f"{line} </s>" for line in lines], "have symbols of a model"),
    "tokens": (lambda language, lines: moses(language, lines, False), "have a space before a full stop"),
    "tokens with escapes": (lambda language, lines: moses(language, lines, True), "have escapes of Moses"),
    "lower case": (lambda _, lines: [line.lower() for line in lines], "have no capital letter"),
    "truecased": (truecased, "begin with a small letter"),
}
"""What others leave in text, as functions of a language and its lines, with the sign."""


@pytest.mark.parametrize(
    "what", ["BPE of subword-nmt", "BPE of words with ends", "SentencePiece", "joiners of OpenNMT", "WordPiece of BERT"]
)
def test_the_command_of_the_advice_joins_the_pieces(what):
    make, sign = LEFT_BY_OTHERS[what]
    pieces = make("en", TEXTS["en"])
    (seen,) = [seen for seen in signs_of(pieces, {"words"}) if sign in seen.text]
    command = shlex.split(seen.sign.advice.partition(": ")[2])
    joined = subprocess.run(command, input="\n".join(pieces), capture_output=True, text=True, check=True).stdout
    assert [*signs_of(joined.split("\n"), {"words"})] == []
    without_spaces = [line.replace(" ", "") for line in joined.split("\n")]
    assert without_spaces == [line.replace(" ", "") for line in TEXTS["en"]]
    if what not in ("BPE of subword-nmt", "WordPiece of BERT"):
        assert [line.rstrip(" ") for line in joined.split("\n")] == TEXTS["en"]


SCRIPTS = {
    "zh": "请把灯关了，然后去睡觉吧。",
    "th": "เขาไปโรงเรียนทุกวันตอนเช้า",
}


@pytest.mark.parametrize("language", SCRIPTS)
def test_a_script_without_spaces_is_told_where_words_are_cut_at_spaces(language):
    (text,) = text_warnings({"theirs": [SCRIPTS[language]] * 3}, {}, ALL | {"spaced"})
    assert text.startswith("theirs: 3 of 3 lines are in a script without spaces between words")
    assert text_warnings({"theirs": [SCRIPTS[language]] * 3}, {}, ALL) == []
    in_words = " ".join(SCRIPTS[language][place : place + 4] for place in range(0, len(SCRIPTS[language]), 4))
    assert text_warnings({"theirs": [in_words] * 3, "english": TEXTS["en"]}, {}, {"spaced"}) == []


FEW = {
    "one mail": (["Mail me@@home or a@@ b.", *TEXTS["en"] * 3], "words"),
    "a heading of Markdown": (["## The end", "## A start"], "words"),
    "one escape": (["R&amp;D is late.", *TEXTS["en"] * 3], "plain"),
    "Chinese without case": (TEXTS["zh"], "cased"),
    "blank lines": (["", None, " "], "plain"),
}


@pytest.mark.parametrize("what", FEW)
def test_few_lines_and_what_is_like_a_sign_are_not_told(what):
    lines, stated = FEW[what]
    references = TEXTS["zh"] if stated == "cased" and "Chinese" in what else TEXTS["en"]
    assert text_warnings({"theirs": lines}, {"reference": references}, {stated}) == []


def test_a_statement_of_tokens_or_of_lower_case_is_denied_too():
    for stated, sign in (("tokens", "end in a full stop"), ("lower", "have capital letters")):
        (seen,) = signs_of(TEXTS["en"], {stated}, [TEXTS["en"]])
        assert sign in seen.text and seen.sign.is_certain
    assert [*signs_of(moses("en", [line.lower() for line in TEXTS["en"]], True), {"tokens", "lower"})] == []


def test_counts_and_the_first_line_are_told():
    (text,) = text_warnings({"a.txt": ["I know.", "", "Is@@ it?", "N@@ o."]}, {}, {"words"})
    assert text.startswith("a.txt: 2 of 3 lines end words in @@, first: 'Is@@ it?'. Join the pieces of BPE")
    (seen,) = signs_of(["x@@ " * 90], {"words"})
    assert len(seen.text) < 100


def test_a_lower_cased_reference_of_cased_text_is_told():
    lower = [line.lower() for line in TEXTS["en"]]
    (text,) = text_warnings({"ours": TEXTS["en"]}, {"reference": lower}, ALL)
    assert text.startswith(f"reference: {len(lower)} of {len(lower)} lines have no capital letter")
    assert text_warnings({"ours": lower}, {"reference": lower}, ALL) == []


def told(lines: Lines, references: Lines) -> list[str]:
    return text_warnings({"theirs": lines}, {"reference": references}, ALL)


@pytest.mark.parametrize("what", [what for what in LEFT_BY_OTHERS if what != "truecased"])
@pytest.mark.parametrize("language", ["en", "fr"])
def test_each_sign_is_found_and_a_reference_with_it_takes_it_away(what, language):
    make, sign = LEFT_BY_OTHERS[what]
    theirs = make(language, TEXTS[language])
    seen_signs = told(theirs, TEXTS[language])
    assert any(sign in text for text in seen_signs), (theirs, seen_signs)
    assert not [text for text in told(theirs, theirs) if text.startswith("theirs")]


@pytest.fixture(scope="module")
def real_texts(shared) -> dict[str, Lines]:
    """Text of the mirror that is plain; a name begins with the language."""
    texts = {}
    for path, content in members(shared / "mirror/maruf_en-de.tar.gz").items():
        if "concatenated" in path and "test" in path:
            texts[f"{path[-6:-4]} {path}"] = [line for line in content.decode().split("\n") if line.strip() != "<d>"]
    bible = members(shared / "mirror/bible_pd.tar.gz")
    for language in ("en", "de", "fr", "zh"):
        verses = bible[f"verses.{language}.tsv"].decode().split("\n")
        texts[f"{language} bible"] = [verse.rpartition("\t")[2] for verse in verses[:6000]]
    subtitles = members(shared / "mirror/tvsub_zh-en.tar.gz")
    for language in ("en", "zh"):
        episodes = [subtitles[f"train/{number}.{language}"] for number in range(1, 9)]
        texts[f"{language} subtitles"] = b"".join(episodes).decode().split("\n")
    return texts


def test_real_plain_text_has_no_sign(real_texts):
    warnings = {name: text_warnings({"ours": lines}, {"r": lines[::2]}, ALL) for name, lines in real_texts.items()}
    assert not [*filter(None, warnings.values())], warnings


@pytest.mark.some(4)
@pytest.mark.parametrize("what", LEFT_BY_OTHERS)
def test_text_of_others_has_its_sign_where_real_references_are_plain(what, real_texts):
    make, sign = LEFT_BY_OTHERS[what]
    for name, references in real_texts.items():
        lines = [line for line in references if line][:250]
        if not name.startswith("zh"):
            theirs = make(name[:2], lines)
            has_none = what == "tokens with escapes" and sum("&" in line for line in theirs) < 5
            assert has_none or any(sign in text for text in told(theirs, references)), (name, theirs[:9])
