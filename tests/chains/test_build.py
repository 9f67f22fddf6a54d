"""The stage's two products: what their tables hold, beside which rows they stand, their cards and messages."""

import json
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.recipes import write_recipe
from helpers.sealed import outputs_of
from helpers.small_corpus import ITEM, PAIRS, document_rows, small_rows, write_corpus

from docmt.base.chains import chains_of
from docmt.base.columns import CHAINS_WORDS, CONTRASTIVE_SEGMENTS, SEGMENT_CHAINS, SEGMENTS, TOKENS
from docmt.base.errors import UserError
from docmt.base.tables import read_arrow, write_arrow
from docmt.base.vocabulary import UNK
from docmt.chains.documents import WordsSettings, build_words
from docmt.chains.segments import SegmentsSettings, build_segments
from docmt.cli.main import main
from docmt.settings.data import CutConfig, TextConfig, ViewConfig
from docmt.text.pipeline import TextPipeline, TokensSettings
from docmt.text.process import process_corpus
from docmt.views.build import ViewsSettings, build_view

CUTS = [CutConfig(window=1), CutConfig(window=3), CutConfig(max_tokens=60), CutConfig(max_sentences=4)]
REPEATED = {**ITEM, "source": [PAIRS[3][0], PAIRS[0][0], PAIRS[3][0] + PAIRS[2][0]]}
"""A contrastive item that says 老师 and more twice."""


@pytest.fixture(scope="module")
def tokens(tmp_path_factory) -> Path:
    """Stage 2 of the small corpus, cut into few merges, so that words have several pieces."""
    folder = tmp_path_factory.mktemp("corpus")
    rows = [*small_rows(), *document_rows("test", "d1", [PAIRS[0], PAIRS[1], PAIRS[0], PAIRS[2]])]
    corpus = write_corpus(folder / "corpus", rows, [REPEATED])
    settings = TokensSettings(1, "small", "zh", "en", TextConfig(bpe="separate", vocabulary="separate", merges=3))
    process_corpus(settings, corpus, folder / "tokens")
    return folder / "tokens"


@pytest.fixture
def words(tokens, tmp_path) -> Path:
    build_words(WordsSettings(1, 2), tokens, tmp_path / "words")
    return tmp_path / "words"


def token_rows(tokens: Path, split: str) -> dict[tuple[str, int], dict]:
    rows = read_arrow(tokens / "tokens.arrow", TOKENS).to_pylist()
    return {(row["document"], row["sentence"]): row for row in rows if row["split"] == split}


def stop_words(words: Path) -> frozenset[str]:
    return frozenset((words / "stop_words.txt").read_text(encoding="utf-8").split("\n")[:-1])


def test_the_stop_list_is_of_the_training_split(tokens, words):
    assert len(stop_words(words)) == 2
    training = " ".join(row["source_tokens"] for row in token_rows(tokens, "train").values()).split(" ")
    least = min(training.count(word) for word in stop_words(words))
    assert least >= max(training.count(word) for word in set(training) - stop_words(words))


def built(tokens: Path, words: Path, cut: CutConfig, folder: Path) -> tuple[Path, Path]:
    """The view and its chains."""
    view = ViewConfig(cut, cut)
    build_view(ViewsSettings(1, view), tokens, folder / "view")
    build_segments(SegmentsSettings(1, view), tokens, words, folder / "view", folder / "chains")
    return folder / "view", folder / "chains"


def test_cards_have_the_columns_of_table_5_and_those_of_whole_documents_agree(tokens, words, tmp_path):
    _, chains = built(tokens, words, CutConfig(max_sentences=9), tmp_path)
    cards = [json.loads((folder / "card.json").read_text())["splits"] for folder in (words, chains)]
    assert cards[0] == cards[1]
    card, rows = cards[0]["test"], read_arrow(words / "chains.arrow", CHAINS_WORDS).to_pylist()
    lengths = [len(row["words"]) for row in rows if row["split"] == "test"]
    total = sum(len(row["source_tokens"].split(" ")) for row in token_rows(tokens, "test").values())
    assert card["perc"] == pytest.approx(100 * sum(lengths) / total)
    assert card["avg_k"] == pytest.approx(sum(lengths) / len(lengths))
    assert card["avg_m"] == pytest.approx(len(lengths) / 2)
    assert cards[0]["dev"]["words"] > 0


def test_contrastive_chains_are_those_of_the_words_behind_the_ids(tokens, words, tmp_path):
    view, chains = built(tokens, words, CutConfig(max_sentences=9), tmp_path)
    assert len(read_arrow(view / "contrastive.arrow", CONTRASTIVE_SEGMENTS)) == 2
    side = TextPipeline.load(tokens / "text").source
    texts = [side.casing.apply(side.tokenizer.tokenize(sentence)) for sentence in REPEATED["source"]]
    pieces = [[len(side.lookup(word)[1]) for word in text] for text in texts]
    members, lengths = chains_of(texts, pieces, stop_words(words))
    assert lengths
    rows = read_arrow(chains / "contrastive.arrow", SEGMENT_CHAINS).to_pylist()
    assert rows == [{"members": members, "lengths": lengths}] * 2


def test_a_word_with_an_unknown_piece_is_in_no_chain(tokens, words, tmp_path):
    view, _ = built(tokens, words, CutConfig(max_sentences=9), tmp_path)
    variants = read_arrow(view / "contrastive.arrow", CONTRASTIVE_SEGMENTS)
    row = {**variants.to_pylist()[0], "source_ids": [UNK, UNK], "source_lengths": [1, 1]}
    write_arrow(view / "contrastive.arrow", pa.Table.from_pylist([row], CONTRASTIVE_SEGMENTS))
    settings = SegmentsSettings(1, ViewConfig(CUTS[3], CUTS[3]))
    build_segments(settings, tokens, words, view, tmp_path / "chains")
    assert read_arrow(tmp_path / "chains" / "contrastive.arrow", SEGMENT_CHAINS).to_pylist() == [
        {"members": [], "lengths": []}
    ]


@pytest.mark.parametrize(
    "damage",
    [{"document": "other"}, {"first": 2}, {"source_lengths": [99]}],
    ids=["document", "first", "lengths"],
)
def test_a_view_of_other_tokens_is_refused(tokens, words, damage, tmp_path):
    view, _ = built(tokens, words, CutConfig(max_sentences=4), tmp_path)
    rows = read_arrow(view / "test.arrow", SEGMENTS).to_pylist()
    write_arrow(view / "test.arrow", pa.Table.from_pylist([rows[0] | damage, *rows[1:]], SEGMENTS))
    settings = SegmentsSettings(1, ViewConfig(CUTS[3], CUTS[3]))
    with pytest.raises(
        UserError, match=r"test\.arrow: row 0: the segment was cut from different tokens\n(.|\n)*build the view again"
    ):
        build_segments(settings, tokens, words, view, tmp_path / "chains")


def test_the_commands_write_the_stages_files(tokens, tmp_path, monkeypatch):
    cut = {"window": 3, "max_tokens": None, "max_sentences": None}
    build_view(ViewsSettings(1, ViewConfig(CUTS[1], CUTS[1])), tokens, tmp_path / "view")

    def outputs(step: str, settings: dict, inputs: dict[str, Path]) -> Path:
        words = write_recipe(tmp_path / step, step, settings, inputs)
        monkeypatch.setattr(sys, "argv", ["docmt", *words])
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 0
        return Path(words[-1])

    words = outputs("chain_words", {"stop_words": 2}, {"tokens": tokens})
    inputs = {"tokens": tokens, "words": words, "view": tmp_path / "view"}
    chains = outputs("chain_segments", {"view": cut}, inputs)
    assert outputs_of(words) == {"chains.arrow", "stop_words.txt", "card.json"}
    expected = {"train.arrow", "dev.arrow", "test.arrow", "contrastive.arrow", "card.json", "stop_words.txt"}
    assert outputs_of(chains) == expected
