"""SentencePiece learnt on raw text: text returns exactly, the same text gives the same bytes, nothing is unknown."""

import io
import random
import re

import pytest
from helpers.small_corpus import small_rows, write_corpus
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from docmt.base.artifacts import read_json
from docmt.base.checks import BadValue
from docmt.base.columns import TOKENS
from docmt.base.errors import UserError
from docmt.base.tables import read_arrow
from docmt.base.vocabulary import SPECIALS, UNK, Vocabulary
from docmt.chains.segments import words_of_ids
from docmt.settings.data import TextConfig
from docmt.text.casing import KeepCase
from docmt.text.others import restore_line
from docmt.text.pipeline import TextPipeline, TokensSettings
from docmt.text.process import process_corpus
from docmt.text.sentencepiece_learning import learn_pieces
from docmt.text.sentencepieces import RawText, SentencePieces
from docmt.text.side import Side

# Seven scripts, with marks and joiners; then white space, and signs that docmt or the library uses.
SCRIPTS = ["aéßŁ.,’“-", "αΰΩ;", "жЁї«»", "مدرسة\u200c،", "हिन्दी\u200dक्ष।", "我们。「」々", "かナー"]
HOSTILE = "  \t\xa0\u3000\u2028\x85▁␠￭@@<>|▅&\u0301\u2060\ufeff\ufe0f😀👩\u200d🚀0x41\U0010fffd"
LINES = [
    "The cat can’t sit.\xa0“It’s 3.5 cm,” she said — e-mail me: a@b.org @@ <s> <0x41> ▁ ␠a",
    "Η γάτα κάθεται.  Όλοι οι άνθρωποι.",
    "Все люди рождаются свободными.",
    "می\u200cآیند و با هم برابرند.",
    "सभी मनुष्यों को गौरव प्राप्त है।",
    "人人生而自由，在尊严和权利上一律平等。他在New York见面。",
    "すべての人間は、生まれながらにして自由である。",
]
SETTINGS = {"sentencepiece": 420, "merges": 0}


@pytest.fixture(scope="module")
def side() -> Side:
    tokenizer = RawText()
    counts = {token: 2 for line in LINES for token in tokenizer.tokenize(line)}
    model = learn_pieces(counts, 520, "corpus")
    return Side(tokenizer, KeepCase(), model, Vocabulary(SPECIALS + tuple(model.names())))


def processed(tmp_path, rows=None, name="tokens", workers=None, **text):
    settings = TokensSettings(1, "small", "zh", "en", TextConfig(**{**SETTINGS, **text}))
    corpus = write_corpus(tmp_path / f"corpus.{name}", rows)
    process_corpus(settings, corpus, tmp_path / name, *([workers] if workers else []))
    return tmp_path / name


@given(st.text(st.sampled_from("".join(SCRIPTS) + HOSTILE) | st.characters(exclude_categories=["Cs"]), max_size=40))
def test_text_comes_back_exactly_with_no_unknown_piece(side, sentence):
    sentence = sentence.replace("\n", " ").replace("\r", " ")
    ids = side.encode(sentence)
    assert UNK not in ids
    tokens, text = side.restore(ids)
    if ids:
        assert side.rejoined(sentence) == sentence
        assert tokens.split() == side.tokens(sentence)
        assert text == sentence
    else:
        assert not re.search(r"[^\s\x00-\x1f\x7f-\x9f]", sentence)


def test_outputs_that_no_text_has_are_lines_too(side):
    numbers = {piece: number for number, piece in enumerate(side.vocabulary.pieces)}
    broken = [numbers[f"@@<0x{byte}>"] for byte in ("0A", "E4", "20")]
    assert side.restore([*broken, UNK, *side.encode("a@@")]) == ("▁� ▁<unk> ▁a@\u2060@\u2060", "� <unk> a@@")


@pytest.mark.parametrize("script", SCRIPTS)
def test_random_text_of_a_script_comes_back(side, script):
    draw = random.Random(script)
    for _ in range(200):
        sentence = "".join(draw.choices(script + " \xa0", k=30))
        assert side.restore(side.encode(sentence))[1] == sentence == side.rejoined(sentence)


def test_pieces_are_those_of_the_library_on_plain_text(side):
    model = SentencePieceProcessor(model_proto=side.segmenter.content)
    for line in LINES[2:]:
        expected = [piece if piece.startswith("▁") else f"@@{piece}" for piece in model.encode(line, out_type=str)]
        assert side.vocabulary.decode(side.encode(line)) == expected


def test_counts_of_tokens_teach_what_the_text_itself_teaches():
    lines = [line for number, line in enumerate(LINES[2:]) for _ in range(number + 1)]
    content = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=content,
        model_type="bpe",
        vocab_size=401,
        byte_fallback=True,
        normalization_rule_name="identity",
        bos_id=-1,
        eos_id=-1,
        unk_id=0,
        num_threads=4,
        minloglevel=2,
    )
    tokenizer, counts = RawText(), {}
    for token in (token for line in lines for token in tokenizer.tokenize(line)):
        counts[token] = counts.get(token, 0) + 1
    assert learn_pieces(counts, 400, "corpus").names() == SentencePieces(content.getvalue()).names()


@pytest.mark.parametrize("text", [{}, {"bpe": "separate", "vocabulary": "separate"}], ids=["joint", "separate"])
def test_stage_2_writes_the_same_bytes_again_and_nothing_is_unknown(tmp_path, text):
    first, again = (processed(tmp_path, name=name, **text) for name in ("first", "again"))
    files = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert [(first / file).read_bytes() for file in files] == [(again / file).read_bytes() for file in files]
    assert {"sentencepiece.source.model", "sentencepiece.target.model"} < {path.name for path in files}
    card = read_json(first / "card.json")
    assert card["round_trip"] == {
        "dev": {"sentences": 3, "differ": 0, "bleu": 100.0},
        "test": {"sentences": 4, "differ": 0, "bleu": 100.0},
    }
    assert card["tools"]["sentencepiece"]
    assert {split[side]["unknown"] for split in card["splits"].values() for side in ("source", "target")} == {0}
    assert card["merges"] == {"source": None, "target": None}
    assert card["vocabulary"]["source"] <= SETTINGS["sentencepiece"] + len(SPECIALS)


def test_tokens_of_the_table_are_those_that_pieces_join_to(tmp_path):
    output = processed(tmp_path)
    pipeline = TextPipeline.load(output / "text")
    for row, document in zip(read_arrow(output / "tokens.arrow", TOKENS).to_pylist(), small_rows(), strict=True):
        for name, side in pipeline.sides.items():
            assert side.restore(row[f"{name}_ids"]) == (row[f"{name}_tokens"], document[name])
        words, _ = words_of_ids(row["target_ids"], pipeline.target.vocabulary)
        assert " ".join(words) == row["target_tokens"]


def test_a_pipeline_of_others_is_cut_as_raw_text(tmp_path):
    side = TextPipeline.load(processed(tmp_path) / "text").target
    assert restore_line(side, "en", "Ming has a cat &apos;s .", is_tokenised=True) == (
        "▁Ming ▁has ▁a ▁cat's.",
        "Ming has a cat's.",
    )


def test_a_text_without_sentencepiece_does_not_have_the_key(tmp_path):
    output = processed(tmp_path, sentencepiece=None, merges=20)
    assert "sentencepiece" not in read_json(output / "text" / "text.json")
    card = read_json(output / "card.json")
    assert "sentencepiece" not in card["text"] and "sentencepiece" not in card["tools"]


def test_more_characters_than_pieces_are_one_message(tmp_path):
    with pytest.raises(UserError) as caught:
        processed(tmp_path, sentencepiece=260)
    message = str(caught.value)
    assert "SentencePiece cannot be learnt" in message and "documents.parquet" in message
    assert "found sentencepiece: 260" in message
    least = int(re.search(r"expected (\d+) or more", message)[1])
    with pytest.raises(UserError, match=f"expected {least} or more"):
        processed(tmp_path, name="less", sentencepiece=least - 1)
    assert read_json(processed(tmp_path, name="least", sentencepiece=least) / "card.json")


def test_a_small_corpus_has_fewer_pieces(tmp_path):
    card = read_json(processed(tmp_path, sentencepiece=8000) / "card.json")
    assert 256 + len(SPECIALS) < card["vocabulary"]["target"] < 8000


def test_a_damaged_model_is_one_message(tmp_path):
    output = processed(tmp_path)
    model = output / "text" / "sentencepiece.target.model"
    model.write_bytes(b"no model")
    with pytest.raises(UserError, match="not a model of SentencePiece"):
        TextPipeline.load(output / "text")
    model.unlink()
    with pytest.raises(UserError, match=r"sentencepiece\.target\.model"):
        TextPipeline.load(output / "text")


@pytest.mark.parametrize(
    "wrong",
    [
        {"case": "lower"},
        {"join": "reversible"},
        {"normalise": True},
        {"threshold": 5},
        {"vocabulary": "separate"},
        {"pretrained": "models/x"},
        {"sentencepiece": 256},
    ],
)
def test_settings_that_contradict_it_are_refused(wrong):
    with pytest.raises(BadValue):
        TextConfig(**{"sentencepiece": 8000, **wrong})
