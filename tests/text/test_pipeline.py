"""The way to ids and back, as models carry it with them."""

import pytest
from helpers.small_corpus import PAIRS, document_rows, write_corpus

from docmt.base.artifacts import read_json
from docmt.base.columns import TOKENS
from docmt.base.errors import UserError
from docmt.base.tables import read_arrow
from docmt.base.vocabulary import BOS, EOS, SEP, UNK
from docmt.settings.data import TextConfig
from docmt.text.pipeline import TextPipeline, TokensSettings
from docmt.text.process import process_corpus

CASES = ("keep", "lower", "truecase")


def chosen(segmenter: str) -> TextConfig:
    return TextConfig(case="truecase", chinese=segmenter, bpe="separate", vocabulary="separate", merges=30)


def process_pairs(folder, source: str, target: str, text: TextConfig):
    rows = [(zh, en) if source == "zh" else (en, zh) for zh, en in PAIRS]
    corpus = [
        {"split": "train", "document": "d", "sentence": number, "source": pair[0], "target": pair[1]}
        for number, pair in enumerate(rows)
    ]
    process_corpus(TokensSettings(1, "small", source, target, text), write_corpus(folder / "corpus", corpus), folder)
    return folder


@pytest.fixture(scope="module", params=CASES)
def english(request, tmp_path_factory):
    """Chinese to English, in each case."""
    return process_pairs(tmp_path_factory.mktemp("en"), "zh", "en", TextConfig(case=request.param, merges=50))


@pytest.fixture(scope="module", params=["jieba", "characters"])
def chinese(request, tmp_path_factory):
    """English to Chinese, with each segmenter."""
    return process_pairs(tmp_path_factory.mktemp("zh"), "en", "zh", chosen(request.param))


def test_english_comes_back_as_it_was_but_for_a_case_that_was_lowered(english):
    pipeline = TextPipeline.load(english / "text")
    lowered = pipeline.config.case == "lower"
    for _, sentence in PAIRS:
        ids = pipeline.target.encode(sentence)
        assert pipeline.target.restore(ids)[1] == (sentence.lower() if lowered else sentence)


def test_cut_hyphens_come_back_and_punctuation_stays_normalised(tmp_path):
    sentences = ["He is a well-known man.", "“Re-elected,” he said – “in 2010-2012…”"]
    rows = document_rows("train", "d", [("好。", sentence) for sentence in sentences] * 3)
    text = TextConfig(case="truecase", normalise=True, aggressive=True, merges=30)
    corpus = write_corpus(tmp_path / "corpus", rows)
    process_corpus(TokensSettings(1, "small", "zh", "en", text), corpus, tmp_path / "tokens")
    pipeline = TextPipeline.load(tmp_path / "tokens" / "text")
    restored = [pipeline.target.restore(ids) for ids in list(map(pipeline.target.encode, sentences))]
    assert restored == [
        ("he is a well @-@ known man .", "He is a well-known man."),
        ('" Re @-@ elected , " he said - " in 2010 @-@ 2012 ... "', '"Re-elected," he said - "in 2010-2012..."'),
    ]


def test_a_loaded_pipeline_gives_the_stages_ids_and_tokens(english):
    pipeline = TextPipeline.load(english / "text")
    rows = read_arrow(english / "tokens.arrow", TOKENS).to_pylist()
    assert list(map(pipeline.source.encode, [source for source, _ in PAIRS])) == [row["source_ids"] for row in rows]
    assert list(map(pipeline.target.encode, [target for _, target in PAIRS])) == [row["target_ids"] for row in rows]
    assert [pipeline.target.restore(row["target_ids"])[0] for row in rows] == [row["target_tokens"] for row in rows]


def test_special_symbols_are_left_out_of_a_translation_and_unknown_pieces_are_not(english):
    pipeline = TextPipeline.load(english / "text")
    ids = pipeline.target.encode("a cat")
    tokens, text = pipeline.target.restore([BOS, *ids, SEP, UNK, EOS])
    assert tokens == "a cat <unk>"
    assert text.lower() == "a cat <unk>"


def test_nothing_is_restored_to_nothing(english):
    pipeline = TextPipeline.load(english / "text")
    assert pipeline.source.encode(" ") == []
    assert pipeline.target.restore([]) == ("", "")


def test_saving_a_loaded_pipeline_gives_the_same_files(english, tmp_path):
    TextPipeline.load(english / "text").save(tmp_path / "copy")
    files = sorted(path.name for path in (english / "text").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "copy").iterdir())
    assert all((english / "text" / name).read_bytes() == (tmp_path / "copy" / name).read_bytes() for name in files)


def test_the_folder_says_how_it_was_made(chinese):
    card = read_json(chinese / "text" / "text.json")
    languages = {"source_language": "en", "target_language": "zh"}
    assert card == chosen(card["chinese"]).stated() | languages | {"input": "text"}
    # The Chinese side has no case to learn.
    assert {path.name for path in (chinese / "text").glob("truecase*")} == {"truecase.source.json"}


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("text.json", r"text\.json: file not found"),
        ("truecase.source.json", r"truecase\.source\.json: file not found"),
    ],
)
def test_a_missing_file_is_named(chinese, tmp_path, file, message):
    TextPipeline.load(chinese / "text").save(tmp_path / "text")
    (tmp_path / "text" / file).unlink()
    with pytest.raises(UserError, match=message):
        TextPipeline.load(tmp_path / "text")
