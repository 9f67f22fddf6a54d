"""What `docmt import-fairseq` refuses: code in checkpoints, and what cannot be said or does not fit."""

import os
import pickle
from argparse import Namespace
from pathlib import Path

import pytest
import torch
from helpers.fairseq_files import G_TRANSFORMER, PIECES, FairseqTraining, write_dictionary
from helpers.support import docmt

from docmt.base.errors import USER_MISTAKE, UserError


@pytest.fixture
def plain(tmp_path) -> FairseqTraining:
    return FairseqTraining(tmp_path, {})


class Hostile:
    """Makes a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self):
        return os.mkdir, (str(self.file),)


@pytest.mark.parametrize("place", ["args", "model", "extra_state"])
def test_a_hostile_checkpoint_is_refused_and_not_run(plain, place):
    marker = plain.root / "made"
    torch.save({"args": None, "model": {}, "extra_state": {}, place: Hostile(marker)}, plain.checkpoint)
    done = docmt("import-fairseq", *plain.options(), cwd=plain.root)
    assert done.returncode == USER_MISTAKE
    assert "not a checkpoint that can be read as weights alone" in done.stderr
    assert "mkdir, which might run code" in done.stderr and "Traceback" not in done.stderr
    assert not marker.exists() and not plain.output.exists()
    torch.load(plain.checkpoint, weights_only=False)
    assert marker.is_dir()


@pytest.mark.parametrize("content", [b"", b"no pickle", pickle.dumps({"model": 1}, protocol=2)[:-3]])
def test_a_damaged_checkpoint_is_refused(plain, content):
    plain.checkpoint.write_bytes(content)
    assert "best.pt: not a checkpoint that can be read as weights alone" in plain.refused()


def test_a_missing_checkpoint_is_named(plain):
    plain.checkpoint.unlink()
    assert plain.refused() == f"{plain.checkpoint}: file not found\n  check the path"


@pytest.mark.parametrize(
    "content", [{"state_dict": {}}, [1], {"args": {"arch": "a"}, "model": {}}, {"args": Namespace(), "model": {"a": 1}}]
)
def test_what_is_no_checkpoint_of_fairseq_is_refused(plain, content):
    torch.save(content, plain.checkpoint)
    assert "not a checkpoint of fairseq" in plain.refused()


REFUSED_ARGUMENTS = [
    ({"arch": "lstm"}, "checkpoint of another architecture\n  found lstm"),
    (
        {"adaptive_softmax_cutoff": "10,20"},
        "the checkpoint needs options that docmt lacks\n  found adaptive_softmax_cutoff = 10",
    ),
    ({"activation_fn": "swish"}, "found activation_fn = swish"),
    ({"decoder_embed_dim": 16}, "found encoder_embed_dim = 8 beside decoder_embed_dim = 16"),
    ({"encoder_learned_pos": True}, "encoder_learned_pos = True beside decoder_learned_pos = False"),
    (
        {"encoder_learned_pos": True, "decoder_learned_pos": True, "max_target_positions": 30},
        "max_source_positions = 20 beside max_target_positions = 30",
    ),
    ({"encoder_layers": "two"}, "not the settings of a fairseq Transformer\n  found encoder_layers = two"),
    ({"encoder_attention_heads": 3, "decoder_attention_heads": 3}, "found 3; expected heads: a divisor of width 8"),
    ({**G_TRANSFORMER, "langs": None}, "found langs = None; expected a text"),
]


@pytest.mark.parametrize("more, message", REFUSED_ARGUMENTS)
def test_settings_that_cannot_be_said_are_refused(plain, more, message):
    plain.args = {**plain.args, "decoder_learned_pos": False, **more}
    plain.write()
    assert message in plain.refused()


def test_a_tensor_without_a_place_is_named(plain):
    plain.weights["decoder.layers.0.c_attn"] = torch.ones(2)
    plain.write()
    assert "decoder.layers.0.c_attn: a tensor has no place in the model\n  found shape (2,)" in plain.refused()


def test_a_missing_tensor_is_named(plain):
    del plain.weights["encoder.layers.1.fc1.bias"]
    plain.write()
    assert "found without encoder.1.feed_forward.inner.bias" in plain.refused()


def test_a_tensor_of_another_shape_is_named(plain):
    plain.weights["encoder.layers.1.fc1.bias"] = torch.ones(3)
    plain.write()
    assert "encoder.1.feed_forward.inner.bias: checkpoint of another shape" in plain.refused()


def test_tied_tables_that_differ_are_refused(plain):
    plain.weights["decoder.output_projection.weight"] = plain.weights["encoder.embed_tokens.weight"] + 1
    plain.write()
    assert "decoder.output_projection.weight: tables that are tied differ" in plain.refused()


@pytest.mark.parametrize(
    "pieces, message",
    [
        (PIECES[:-1], "dictionary of another checkpoint\n  found 19 entries; expected 20"),
        ([*PIECES[:-1], "a"], "source dictionary: a piece occurs twice\n  found a"),
        ([*PIECES[:-1], "</s>"], "source dictionary: a piece occurs twice\n  found </s>"),
        ([*PIECES[:-1], "<sep>"], "source dictionary: a piece has the name of a symbol of docmt\n  found <sep>"),
        (
            [*PIECES[:-1], "x y\n"],
            "dict.txt:16: not an entry of a fairseq dictionary\n  found 'x y'; expected piece count",
        ),
    ],
)
def test_dictionaries_that_do_not_fit_are_refused(plain, pieces, message):
    write_dictionary(plain.dictionary, pieces)
    assert message in plain.refused()


def test_dictionaries_that_cannot_be_read_are_named(plain):
    plain.dictionary.write_bytes(b"\xff 1\n")
    assert "dict.txt:1: not valid UTF-8" in plain.refused()
    plain.dictionary.unlink()
    assert "dict.txt: file not found" in plain.refused()


def test_one_table_needs_one_dictionary(plain):
    other = write_dictionary(plain.root / "other.txt", PIECES[::-1])
    assert "one table of embeddings needs one dictionary" in plain.refused("--target-dictionary", other)


def test_codes_are_given_for_both_sides_or_for_none(plain):
    assert "codes of one side only" in plain.refused("--source-codes", plain.dictionary)


def test_a_folder_that_is_there_is_not_replaced(plain):
    (plain.output / "text").mkdir(parents=True)
    with pytest.raises(UserError, match="the output is there already"):
        plain.imported()
    assert list(plain.output.iterdir()) == [plain.output / "text"]
