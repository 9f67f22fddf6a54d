"""Pieces of pretrained checkpoints: names, ids, rows, and the way back."""

from itertools import chain, islice

import numpy as np
import pyarrow as pa
import pytest
from helpers.pieces import BERT_SPECIALS, LANGUAGE_CODES, TOKENIZERS, write_tokenizer
from helpers.sealed import check_reader
from helpers.small_corpus import ITEM, PAIRS, small_rows, write_corpus
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from docmt.base.artifacts import read_json
from docmt.base.chains import count_pieces
from docmt.base.columns import TOKENS
from docmt.base.errors import UserError
from docmt.base.tables import read_arrow
from docmt.base.vocabulary import BOS, CLS, EOS, MASK, PAD, SEP, SPECIALS, UNK, Vocabulary
from docmt.chains.segments import words_of_ids
from docmt.settings.data import TextConfig
from docmt.text.pipeline import TextPipeline, TokensSettings
from docmt.text.pretrained import PretrainedTokenizer, Spelling
from docmt.text.process import process_corpus

KINDS = list(TOKENIZERS)
SEPARATE = {"bpe": "separate", "vocabulary": "separate"}


def processed(folder, kind: str, items=None, **text):
    write_tokenizer(kind, folder / "checkpoint")
    config = TextConfig(**{"pretrained": str(folder / "checkpoint"), **text})
    output = folder / "tokens"
    process_corpus(TokensSettings(1, "small", "zh", "en", config), write_corpus(folder / "corpus", items=items), output)
    return output


@pytest.fixture(scope="module", params=KINDS)
def processed_text(request, tmp_path_factory):
    """The kind, and a folder of stage 2 with the checkpoint beside it."""
    folder = tmp_path_factory.mktemp(request.param)
    return request.param, processed(folder, request.param, [ITEM]), folder / "checkpoint"


def rows_of(output) -> list[dict]:
    return read_arrow(output / "tokens.arrow", TOKENS).to_pylist()


def test_the_tokenizers_own_ids_come_out_when_rows_are_looked_up(processed_text):
    _, output, checkpoint = processed_text
    tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
    tokenizer.no_truncation()
    for row, document in zip(rows_of(output), small_rows(), strict=True):
        for side in ("source", "target"):
            rows = read_json(output / "text" / f"rows.{side}.json")
            expected = tokenizer.encode(document[side], add_special_tokens=False).ids
            assert [rows[number] for number in row[f"{side}_ids"]] == expected


def test_stage_4_finds_the_same_words_in_tokens_and_in_ids(processed_text):
    _, output, _ = processed_text
    vocabulary = Vocabulary.load(output / "text" / "vocabulary.source.txt")
    rows = rows_of(output)
    pieces = [row["source_pieces"].split(" ") for row in rows]
    of_all = iter(
        count_pieces(pa.array(chain.from_iterable(pieces)), np.array([len(names) for names in pieces])).tolist()
    )
    for row in rows:
        words = row["source_tokens"].split(" ")
        counts = list(islice(of_all, len(words)))
        assert words_of_ids(row["source_ids"], vocabulary) == (words, counts)
        assert sum(counts) == len(row["source_ids"])
    assert not list(of_all)


def test_plain_text_comes_back_as_it_was(processed_text):
    kind, output, _ = processed_text
    pipeline = TextPipeline.load(output / "text")
    for _, sentence in PAIRS:
        ids = pipeline.target.encode(sentence)
        text = pipeline.target.restore(ids)[1]
        # WordPiece does not know where there were no spaces.
        assert (text.replace(" ", "") == sentence.replace(" ", "")) if kind == "bert" else text == sentence
        assert pipeline.target.encode(f"  {sentence} ") == ids


def test_special_symbols_have_the_rows_of_their_roles(processed_text):
    kind, output, checkpoint = processed_text
    tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
    rows = read_json(output / "text" / "rows.target.json")
    names = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]") if kind == "bert" else (*SPECIALS[:4], "<mask>")
    assert [rows[role] for role in (PAD, BOS, EOS, UNK, MASK)] == [tokenizer.token_to_id(name) for name in names]
    assert rows[CLS] is None
    assert rows[SEP] == (tokenizer.token_to_id("en_XX") if kind == "mbart" else None)
    assert None not in rows[len(SPECIALS) :]


def test_special_symbols_and_language_codes_are_in_no_sentence(tmp_path):
    for kind in KINDS:
        write_tokenizer(kind, tmp_path / kind)
        tokenizer = PretrainedTokenizer.load(tmp_path / kind / "tokenizer.json")
        special = {"mbart": [*LANGUAGE_CODES, "<mask>"], "bart": SPECIALS, "bert": BERT_SPECIALS}[kind]
        for symbol in special:
            names = tokenizer.tokenize(f"We {symbol} go")
            assert symbol not in [name.removeprefix("@@") for name in names]
            assert not {tokenizer.row(name) for name in names} & {row for row in tokenizer.special_rows("en") if row}


def test_the_most_frequent_piece_comes_first_and_a_threshold_leaves_rare_ones_out(tmp_path):
    sizes = []
    for threshold in (0, 15):
        output = processed(tmp_path / str(threshold), "mbart", threshold=threshold)
        pieces = [
            p
            for row in rows_of(output)
            if row["split"] == "train"
            for side in ("source", "target")
            for p in row[f"{side}_pieces"].split(" ")
        ]
        vocabulary = Vocabulary.load(output / "text" / "vocabulary.source.txt").pieces[len(SPECIALS) :]
        counts = [pieces.count(piece) for piece in vocabulary]
        assert counts == sorted(counts, reverse=True)
        assert min(counts) >= threshold
        sizes.append(len(counts))
    assert sizes[0] > sizes[1] > 0


def test_sides_have_one_vocabulary_or_their_own(tmp_path):
    names = ("vocabulary.{}.txt", "rows.{}.json")
    for vocabulary in ("shared", "separate"):
        folder = processed(tmp_path / vocabulary, "mbart", vocabulary=vocabulary) / "text"
        for name in names:
            source, target = ((folder / name.format(side)).read_bytes() for side in ("source", "target"))
            assert (source == target) == (vocabulary == "shared")


def test_one_side_alone_may_have_pretrained_pieces(tmp_path):
    output = processed(tmp_path, "bert", pretrained_sides="source", **SEPARATE, merges=20, case="truecase")
    names = {path.name for path in (output / "text").iterdir()}
    sides = {"vocabulary.source.txt", "rows.source.json", "tokenizer.json"}
    assert names == sides | {"text.json", "vocabulary.target.txt", "codes.target", "truecase.target.json"}
    pipeline = TextPipeline.load(output / "text")
    ids = pipeline.target.encode(PAIRS[0][1])
    assert pipeline.target.restore(ids)[1] == PAIRS[0][1]
    assert read_json(output / "card.json")["merges"] == {"source": None, "target": 20}


def test_saving_a_loaded_pipeline_gives_the_same_files(processed_text, tmp_path):
    _, output, checkpoint = processed_text
    TextPipeline.load(output / "text").save(tmp_path / "copy")
    files = sorted(path.name for path in (output / "text").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "copy").iterdir())
    assert all((output / "text" / name).read_bytes() == (tmp_path / "copy" / name).read_bytes() for name in files)
    assert (output / "text" / "tokenizer.json").read_bytes() == (checkpoint / "tokenizer.json").read_bytes()


SPELLINGS = [Spelling(opens="▁"), Spelling(opens="Ġ"), Spelling(within="##")]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("text", ["a", "@", "@@", "a@@", "@@a", "b@c", "", "##", "▁", "Ġ", "#@"])
def test_every_piece_comes_back_from_its_name_and_no_name_is_like_bpe(spelling, text):
    for piece in (text, spelling.opens + text, spelling.within + text):
        name = spelling.name(piece)
        assert spelling.piece(name) == piece
        assert "@@" not in name.removeprefix("@@")


def damaged(tmp_path, content: bytes | None) -> str:
    if content is not None:
        (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(UserError) as refused:
        PretrainedTokenizer.load(tmp_path / "tokenizer.json")
    return str(refused.value)


def test_a_tokenizer_that_is_missing_or_damaged_is_named(tmp_path):
    assert "tokenizer.json: file not found" in damaged(tmp_path, None)
    assert "not a tokenizer of the tokenizers library" in damaged(tmp_path, b"{}")


def test_a_tokenizer_that_differs_from_its_manifest_is_refused(tmp_path):
    write_tokenizer("bart", tmp_path)
    check_reader(tmp_path / "tokenizer.json", lambda: PretrainedTokenizer.load(tmp_path / "tokenizer.json"))


@pytest.mark.parametrize("decoder", [None, decoders.Fuse()])
def test_a_tokenizer_that_does_not_mark_words_is_refused(tmp_path, decoder):
    tokenizer = Tokenizer(models.BPE({"a": 0}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    if decoder is not None:
        tokenizer.decoder = decoder
    message = damaged(tmp_path, tokenizer.to_str().encode())
    assert "does not say how pieces become words" in message
