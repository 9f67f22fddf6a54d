"""`docmt import-fairseq` on checkpoints and dictionaries that the tests make themselves."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from helpers.command_line import output
from helpers.fairseq_files import G_TRANSFORMER, PIECES, FairseqTraining, write_dictionary
from helpers.oracle_parts import parts_of
from helpers.support import run

import docmt
from docmt.base.digests import sha256_file
from docmt.base.errors import UserError
from docmt.base.vocabulary import CLS, MASK, SEP, SPECIALS, Vocabulary
from docmt.models.store import load_model
from docmt.nn.frames import frame_batch
from docmt.nn.rows import Rows
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import GTransformerConfig, TransformerConfig
from docmt.text.pipeline import TextPipeline
from docmt.trained.model import TrainedModel

CODES = "#version: 0.2\n"
CASES = {
    "transformer": {},
    "pre-norm, gelu, no scale": {
        "encoder_normalize_before": True,
        "decoder_normalize_before": True,
        "activation_fn": "gelu",
        "no_scale_embedding": True,
    },
    "target tied": {"share_all_embeddings": False},
    "nothing tied": {"share_all_embeddings": False, "share_decoder_input_output_embed": False},
    "learned positions, normed embeddings": {
        "encoder_learned_pos": True,
        "decoder_learned_pos": True,
        "layernorm_embedding": True,
    },
    "g_transformer": G_TRANSFORMER,
    "g_transformer, full": {**G_TRANSFORMER, "doc_mode": "full"},
}


@pytest.fixture(params=CASES)
def training(request, tmp_path) -> FairseqTraining:
    return FairseqTraining(tmp_path, CASES[request.param])


@pytest.fixture
def plain(tmp_path) -> FairseqTraining:
    return FairseqTraining(tmp_path, {})


@pytest.fixture
def grouped(tmp_path) -> FairseqTraining:
    return FairseqTraining(tmp_path, G_TRANSFORMER)


def test_every_piece_keeps_its_row(training):
    model = load_model(training.imported())
    pieces = Vocabulary.load(training.output / "text" / "vocabulary.target.txt").pieces
    names = {"[de]": "<sep>"} if training.grouped else {}
    tables = {
        "encoder.embed_tokens.weight": model.source_embedding.weight,
        "decoder.embed_tokens.weight": model.target_embedding.weight,
        "decoder.output_projection.weight": model.output.weight,
    }
    for name, table in tables.items():
        for row, symbol in enumerate(training.symbols):
            assert torch.equal(table[pieces.index(names.get(symbol, symbol))], training.weights[name][row])
    absent = {CLS} if training.grouped else {CLS, SEP, MASK}
    assert set(model.config.absent_pieces) == absent
    assert all(table[list(absent)].abs().max() == 0 for table in tables.values())
    known = [names.get(symbol, symbol) for symbol in training.symbols]
    assert pieces == SPECIALS + tuple(piece for piece in known if piece not in SPECIALS)


def test_all_other_tensors_are_taken_as_they_are(training):
    """Each by its values, whatever its name here; two rows of trained positions are never used."""
    model = load_model(training.imported())
    tables = {id(module.weight) for module in (model.source_embedding, model.target_embedding, model.output)}
    parameters = [
        part
        for name, tensor in model.named_parameters()
        if id(tensor) not in tables
        for _, part in parts_of(name, tensor)
    ]
    for name, tensor in training.weights.items():
        if not name.endswith(("version", "_float_tensor", "embed_tokens.weight", "output_projection.weight")):
            expected = tensor[2:] if "embed_positions" in name else tensor
            same = [number for number, parameter in enumerate(parameters) if torch.equal(parameter, expected)]
            assert len(same) == 1, name
            parameters.pop(same[0])
    assert parameters == []


def test_the_settings_are_those_of_the_arguments(training):
    config, args = load_model(training.imported()).config, training.args
    partial = args.get("doc_mode") == "partial"
    assert isinstance(config, GTransformerConfig if partial else TransformerConfig)
    assert not partial or list(config.combined().values()) == [1, 1, 0]
    assert config.frame == ("closed" if training.grouped else "fairseq")
    assert (config.encoder_layers, config.decoder_layers, config.width, config.inner, config.heads) == (2, 1, 8, 12, 2)
    assert (config.dropout, config.attention_dropout, config.activation) == (0.3, 0, args["activation_fn"])
    assert config.norm == ("pre" if args.get("encoder_normalize_before") else "post")
    assert config.embedding_scale is not args.get("no_scale_embedding", False)
    assert config.embedding_norm is args.get("layernorm_embedding", False)
    assert config.position_table == ("learned" if args.get("encoder_learned_pos") else "sinusoidal")
    tied = ("share_all_embeddings", "shared"), ("share_decoder_input_output_embed", "target")
    assert config.embeddings == next((ours for theirs, ours in tied if args[theirs]), "separate")


def test_the_model_computes(training):
    model = load_model(training.imported())
    batch = frame_batch(Rows.from_lists([[[8, 9], [10]]], [[[11], [12, 13]]]), model.config.frame)
    with torch.no_grad():
        logits = model.logits(model.decode(batch.target_in, model.encode(batch.source)))
    known = logits.log_softmax(-1).isfinite()
    assert known.sum(1).tolist() == [len(training.symbols)] * len(batch.target_out)


@pytest.mark.parametrize("form, zipped", [("cfg", True), ("args", False)])
def test_both_forms_of_checkpoints_and_of_pickles_are_read(tmp_path, form, zipped):
    first, second = (
        FairseqTraining(tmp_path / name, {}, *how) for name, how in folders(tmp_path, ((), (form, zipped)))
    )
    states = [load_model(training.imported()).state_dict() for training in (first, second)]
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def folders(root: Path, kinds: tuple) -> list:
    for name in "ab":
        (root / name).mkdir()
    return list(zip("ab", kinds, strict=True))


def test_names_of_older_versions_and_places_of_newer_ones(tmp_path):
    training = FairseqTraining(tmp_path, CASES["nothing tied"])
    output = training.weights.pop("decoder.output_projection.weight")
    training.weights["decoder.embed_out"] = output
    training.weights["encoder.layers.0.in_proj_weight"] = torch.zeros(24, 8)
    training.weights["encoder.layers.1.fc2_bias"] = torch.zeros(8)
    training.write()
    assert torch.equal(load_model(training.imported()).output.weight[-1], output[-1])


def test_half_precision_becomes_single(plain):
    plain.weights = {name: tensor.half() for name, tensor in plain.weights.items()}
    plain.write()
    assert {tensor.dtype for tensor in load_model(plain.imported()).parameters()} == {torch.float32}


def test_the_card_says_where_the_model_came_from(training):
    card = json.loads((training.imported() / "model.json").read_text())["provenance"]
    budget = 512 if training.grouped else None
    assert card["view"]["test"]["max_tokens"] == budget and card["view"]["test"]["window"] == (None if budget else 1)
    assert (card["source_language"], card["target_language"], card["architecture"]) == (
        "en",
        "de",
        training.args["arch"],
    )
    assert card["checkpoint_sha256"] == sha256_file(training.checkpoint) and card["checkpoint"] == "best.pt"


def test_a_checkpoint_for_sentences_may_be_cut_into_them(grouped):
    card = json.loads((grouped.imported("--max-tokens", 1) / "model.json").read_text())
    assert card["provenance"]["view"]["train"]["max_tokens"] == 1


TEXT = "ab c\nh\n\nde fg\n"


def test_without_codes_lines_are_pieces(grouped):
    """As the tools of the training cut them; what comes out are words, and blank lines stay."""
    folder = grouped.imported()
    pipeline = TextPipeline.load(folder / "text")
    pieces = pipeline.source.vocabulary.pieces
    ids = list(map(pipeline.source.encode, ["a@@ b c", "a@@ q </s>", " "]))
    assert [[pieces[number] for number in line] for line in ids] == [["a@@", "b", "c"], ["a@@", "<unk>", "<unk>"], []]
    assert pipeline.target.restore(ids[0]) == ("ab c", "ab c")
    lines = output("translate", "--model", folder, "--beam", "2", text="a@@ b c\nh\n\nd@@ e f@@ g\n").split("\n")
    assert [bool(line) for line in lines] == [True, True, False, True, False]


def test_a_model_of_fairseq_takes_the_longest_source_of_a_batch_and_options_replace_its_settings(plain):
    folder = plain.imported()
    model = TrainedModel.open(folder, "cpu", 1)
    default = DecodeConfig(max_length_of="batch")
    assert (model.decode_config(), model.decode_config(max_length_a=None)) == (default, default)
    assert model.decode_config(beam=2, max_length_a=0.0) == replace(default, beam=2, max_length_a=0.0)
    short = output("translate", "--model", folder, "--max-length-a", "0", "--max-length-b", "1", text="a@@ b c\nh\n")
    assert [len(line) for line in short.splitlines()] == [1, 1], "a piece is a letter"


def test_a_value_that_a_setting_of_decoding_cannot_have_is_refused(plain):
    with pytest.raises(UserError, match=r"^max_length_b: value not allowed\n  found 0; expected 1 or more"):
        docmt.open_model(plain.imported()).translate([["a"]], max_length_b=0)


def test_a_model_of_g_transformer_counts_each_sentence_as_its_code_does(grouped):
    assert TrainedModel.open(grouped.imported(), "cpu", 1).decode_config() == DecodeConfig()


def test_a_wrong_setting_of_decoding_in_a_model_is_refused(plain):
    card = plain.imported() / "model.json"
    content = json.loads(card.read_text())
    content["provenance"]["decode"] = {"max_length_of": "window"}
    card.write_text(json.dumps(content))
    with pytest.raises(UserError, match=r"model.json provenance.decode.max_length_of: .*\n  found .?window"):
        TrainedModel.open(plain.output, "cpu", 1).decode_config()


def test_with_codes_lines_are_text(plain):
    codes = plain.root / "codes"
    codes.write_text(CODES + "a b</w>\n", encoding="utf-8")
    write_dictionary(plain.dictionary, [*PIECES[:-1], "ab"])
    folder = plain.imported("--source-codes", codes, "--target-codes", codes, "--case", "lower")
    pipeline = TextPipeline.load(folder / "text")
    pieces = pipeline.source.vocabulary.pieces
    assert [pieces[number] for number in pipeline.source.encode("AB, ca")] == ["ab", "<unk>", "c@@", "a"]
    assert (pipeline.config.case, pipeline.config.merges, pipeline.config.input) == ("lower", 1, "text")
    printed = output("translate", "--model", folder, "--beam", "2", text=TEXT)
    assert [bool(line) for line in printed.split("\n")] == [bool(line) for line in TEXT.split("\n")]


def test_the_command_as_it_is_called(plain):
    done = run([sys.executable, "-c", MAIN, "import-fairseq", *plain.options()], cwd=plain.root)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(file.name for file in plain.output.iterdir()) == ["model.json", "model.safetensors", "text"]


MAIN = "from docmt.cli.main import main; main()"
