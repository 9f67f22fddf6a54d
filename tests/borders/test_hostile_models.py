"""Models and checkpoints that somebody made to harm whoever opens them: one message, in seconds and in little memory,
and no file changed."""

import math
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from helpers.damage import content_of
from helpers.hostile_models import (
    BEST,
    PICKLED,
    SAFE,
    again,
    archive,
    argument,
    called,
    cast,
    expand,
    field,
    lexicon,
    link,
    listed,
    little_memory,
    many_views,
    nested_lists,
    nested_tuples,
    opcodes,
    pickled,
    pipe,
    put,
    state_of,
    tensors_in_header,
    text,
    tokenizer,
    weights,
    zeros,
)
from helpers.opened_models import MAKERS, opened, prepared, refused

from docmt.base.artifacts import write_json

CARD, CHECKPOINT = "model.json", "checkpoints/model.ckpt"
TYPE, INFINITE, LARGER = "not a weight", "a weight that is no finite number", "weights that are larger than"
PIPE, TWICE, SIZE = "not a plain file", "occurs twice", "not a size"
ROOM, SHAPE, SETTING = "checkpoint of another architecture", "checkpoint of another shape", "value not allowed"
REFUSED = "refused: a pickle of weights that is damaged, or would run code"
FAIRSEQ = "not a checkpoint that can be read as weights alone"
LEXICON, JUMPS = "not the lexicon of an aligner", "not the jumps of an aligner"
HUGE, TRILLION = 10**9, 2**40


ATTACKS = {
    # docmt's own folder
    "a whole weight": ("model", weights(cast("inner.weight", torch.int8)), TYPE),
    "complex weights": ("model", weights(cast("inner.weight", torch.complex64)), TYPE),
    "a weight that is no number": ("model", weights(put("inner.weight", math.nan)), INFINITE),
    "a bfloat16 that is no number": ("model", weights(put("qkv.weight", math.nan, torch.bfloat16)), INFINITE),
    "a right manifest of wrong weights": ("model", listed(weights(put("bias", math.nan)), SAFE), INFINITE),
    "a header of 2^60 bytes": ("model", tensors_in_header((), 1 << 60), "not a safetensors file"),
    "a tensor beyond the file": (
        "model",
        tensors_in_header([("a", {"dtype": "F32", "shape": [TRILLION], "data_offsets": [0, 4 * TRILLION]})]),
        "not a safetensors file",
    ),
    "a million tensors": (
        "model",
        tensors_in_header((f"a{n}", {"data_offsets": [0, 0]}) for n in range(400_000)),
        SAFE,
    ),
    "2^40 pieces": ("model", field(CARD, "source_size", TRILLION), "not the description of a model"),
    "a number of pieces with many digits": (
        "model",
        field(CARD, "source_size", 10**4000),
        "not the description of a model",
    ),
    "10^9 pieces": ("model", text(CARD, lambda card: re.sub(r'(_size": )\d+', rf"\g<1>{HUGE}", card)), ROOM),
    "a thousand layers": ("model", field(CARD, "config/encoder_layers", 1000), ROOM),
    "2^40 layers": ("model", field(CARD, "config/encoder_layers", TRILLION), SETTING),
    "many positions": ("model", field(CARD, "config/max_positions", 10_000_000), SHAPE),
    "a width that is no number": ("model", field(CARD, "config/norm_epsilon", math.nan), "not a finite number"),
    "an unknown setting": ("model", field(CARD, "config/code", "import os"), "unknown key"),
    "a kind that is a list": ("model", field(CARD, "kind", ["transformer"]), "unknown model"),
    "absent pieces beyond all": ("model", field(CARD, "config/absent_pieces", [HUGE]), "ids of no piece"),
    "wide latent variables": ("chains", field(CARD, "config/latent_inner", 1_000_000), SHAPE),
    "a window of 2^70": ("model", field(CARD, "provenance/view/test/window", 2**70), "too large"),
    "a provenance that is a list": ("model", field(CARD, "provenance", [1]), "the JSON is not an object"),
    "a piece twice": ("model", text("text/vocabulary.source.txt", again(9)), TWICE),
    "a merge twice": ("model", text("text/codes.source", lambda codes: codes + "a b\na b\n"), TWICE),
    "a case counted below 0": (
        "model",
        lambda folder: [
            field("text/text.json", "case", "truecase")(folder),
            field("text/truecase.source.json", "ab", -1)(folder),
        ],
        "not a truecase model",
    ),
    "a language that is a path": ("model", field("text/text.json", "source_language", "../../etc/passwd"), SETTING),
    "a pipe as card": ("model", pipe(CARD), PIPE),
    "a pipe as weights": ("model", pipe(SAFE), PIPE),
    "a pipe as vocabulary": ("model", pipe("text/vocabulary.source.txt"), PIPE),
    "a pipe as stop words": ("chains", pipe("stop_words.txt"), PIPE),
    "zeros without end as weights": ("model", link(SAFE, "/dev/zero"), PIPE),
    "a pipe as tokenizer": ("wordpiece", pipe("tokenizer.json"), PIPE),
    # checkpoints of Hugging Face
    "a number 2^38 times": ("bart", pickled(expand("fc1.weight")), LARGER),
    "many views of a tensor": ("bart", pickled(many_views), LARGER),
    "compressed storages": ("bart", archive(zeros, zipfile.ZIP_DEFLATED), REFUSED),
    "a function that allocates": ("bart", opcodes(called("builtins bytearray", 1 << 40)), REFUSED),
    "a function that takes hours": ("bart", opcodes(called("_codecs encode", "\u4e00" * 100_000, "punycode")), REFUSED),
    "a million numbers": ("bart", opcodes(b"(" + b"K\x01" * 5_000_000 + b"t"), REFUSED),
    "a tuple in tuples": ("bart", opcodes(nested_tuples(60)), REFUSED),
    "tensors of no file": ("bart", opcodes(called("torch FloatTensor", 1 << 28)), LARGER),
    "a function of the system": ("bart", opcodes(called("posix system", "touch ran")), REFUSED),
    "whole weights of BART": ("bart", pickled(cast("fc1.weight", torch.int8)), TYPE),
    "a BART that is no number": ("bart", pickled(put("fc1.bias", math.nan)), INFINITE),
    "2^40 wide": ("bart", field("config.json", "d_model", TRILLION), SIZE),
    "a width of text": ("bart", field("config.json", "d_model", "16"), SIZE),
    "a model type that is a list": ("bart", field("config.json", "model_type", ["bart"]), "unknown model_type"),
    "a pipe as config": ("bart", pipe("config.json"), "file not found"),
    "a pipe as pickle": ("bart", pipe(PICKLED), "no weights of a pretrained model"),
}
OF_INDEX = ("../bart/pytorch_model.bin", "/etc/passwd", "a\0b")
ATTACKS |= {
    f"an index of {name!r}": (
        "bart",
        lambda folder, name=name: write_json(folder / "model.safetensors.index.json", {"weight_map": {"a": name}}),
        "leads out of its folder",
    )
    for name in OF_INDEX
}
ATTACKS |= {
    # checkpoints of fairseq
    "a number of fairseq 2^38 times": ("fairseq", pickled(expand("fc1.weight"), BEST, "model"), LARGER),
    "whole weights of fairseq": ("fairseq", pickled(cast("fc1.weight", torch.int32), BEST, "model"), TYPE),
    "a fairseq that is no number": ("fairseq", pickled(put("fc1.bias", math.nan), BEST, "model"), INFINITE),
    "compressed storages of fairseq": ("fairseq", archive(zeros, zipfile.ZIP_DEFLATED, BEST), FAIRSEQ),
    "a width of fairseq below 0": (
        "fairseq",
        lambda folder: [argument(f"{side}_embed_dim", -8)(folder) for side in ("encoder", "decoder")],
        "settings are not allowed",
    ),
    "a list in lists for layers": ("fairseq", argument("encoder_layers", nested_lists(60)), "not the settings of"),
    "dropout that is no number": ("fairseq", argument("dropout", math.nan), "settings are not allowed"),
    "a piece of fairseq twice": ("fairseq", text("dict.txt", again(3)), TWICE),
    "a pipe as dictionary": ("fairseq", pipe("dict.txt"), PIPE),
    "zeros without end as checkpoint": ("fairseq", link(BEST, "/dev/zero"), PIPE),
    # aligners
    "a BERT that is no number": ("awesome", pickled(put("query.weight", math.nan)), INFINITE),
    "a BERT of whole numbers": ("awesome", pickled(cast("query.weight", torch.int8)), TYPE),
    "a BERT that runs code": ("awesome", opcodes(called("posix system", "touch ran")), REFUSED),
    "a wide BERT": ("awesome", field("config.json", "hidden_size", 65_536), ROOM),
    "2^40 pieces of a BERT": ("awesome", field("config.json", "vocab_size", TRILLION), SIZE),
    "more pieces of a BERT": ("awesome", field("config.json", "vocab_size", 900), SHAPE),
    "a small number that is none": ("awesome", field("config.json", "layer_norm_eps", math.nan), "not a finite number"),
    "a piece of a BERT twice": ("awesome", text("vocab.txt", again(5)), TWICE),
    "a piece without embedding": ("awesome", text("vocab.txt", lambda pieces: pieces + "one\n"), "the vocabulary of"),
    "a pipe as vocab.txt": ("awesome", pipe("vocab.txt"), "file not found"),
    "links that are no numbers": (
        "aligner",
        lexicon(source=["a", "a", None], target=["b", None, "b"], links=[math.nan, 1, 1]),
        LEXICON,
    ),
    "a word that has no row": ("aligner", lexicon(source=["a", None], target=["b", "b"], links=[1, 1]), LEXICON),
    "jumps that are no numbers": ("aligner", field("jumps.json", "0/7", math.nan), JUMPS),
    "no jumps at all": ("aligner", text("jumps.json", lambda jumps: re.sub(r"\d[\d.e-]*", "0.0", jumps)), JUMPS),
    "a pipe as lexicon": ("aligner", pipe("lexicon.arrow"), PIPE),
    # exports, which may go to the public
    "a link out of the text": ("export", link("text/notes.txt", "../../source"), "leads out of its folder"),
    "a pipe beside the text": ("export", pipe("text/notes.txt"), PIPE),
    # trainings that were stopped
    "weights beside the state": ("state", state_of(weights=[f"../x-{'0' * 16}.pt"]), "leads out of its folder"),
    # other judges
    "a COMET that runs code": ("comet", opcodes(called("posix system", "touch ran"), CHECKPOINT), REFUSED),
    "a COMET that is no number": ("comet", pickled(put("weight", math.nan), CHECKPOINT, "state_dict"), INFINITE),
    "a COMET without weights": ("comet", pickled(lambda parts: parts.clear(), CHECKPOINT), REFUSED),
    "a pipe as COMET": ("comet", pipe(CHECKPOINT), "file not found"),
    "a pipe as vectors": ("vectors", pipe("vectors.txt"), PIPE),
    "10^12 dimensions": ("vectors", text("vectors.txt", lambda _: f"2 {10**12}\nthe 1 2\n"), "not a file of word"),
    "a vector that goes on": (
        "vectors",
        text("vectors.txt", lambda _: f"2 2\nthe {'0 ' * 1_000_000}\n"),
        "not a word vector",
    ),
    # tokenizers
    "two pieces of one number": ("wordpiece", tokenizer(lambda m: m["vocab"].update(a=m["vocab"]["b"])), "piece twice"),
    "a key of JSON twice": (
        "wordpiece",
        text("tokenizer.json", lambda content: content.replace('"vocab": {', '"vocab": {"a": 3,')),
        "piece or key twice",
    ),
    "a piece of SentencePiece twice": (
        "sentencepiece",
        tokenizer(lambda m: m["vocab"].append(m["vocab"][20])),
        "a piece twice",
    ),
    "a merge of bytes twice": ("byte_level", tokenizer(lambda m: m["merges"].append(m["merges"][0])), "a merge twice"),
    "a table of characters that ends": (
        "wordpiece",
        field("tokenizer.json", "normalizer", {"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
        "not a tokenizer of the tokenizers library",
    ),
    "a table of characters that lies": (
        "wordpiece",
        field("tokenizer.json", "normalizer", {"type": "Precompiled", "precompiled_charsmap": "BAAAAP////8AAAAA"}),
        "a tokenizer that fails",
    ),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Callable[[str], Path]:
    """The folder of a kind of model, made once."""
    root = tmp_path_factory.mktemp("whole")

    def folder_of(kind: str) -> Path:
        if not (root / kind).exists():
            MAKERS[kind](root / kind)
        return root / kind

    return folder_of


@pytest.mark.some(4)
@pytest.mark.parametrize("kind", MAKERS)
def test_a_whole_model_is_opened(whole, tmp_path, monkeypatch, kind):
    if kind == "awesome":
        pytest.importorskip("awesome_align", reason="needs awesome-align, to align")
    monkeypatch.chdir(prepared(whole(kind), tmp_path))
    opened(kind)


@pytest.mark.some(30)
@pytest.mark.timeout(60)
@pytest.mark.parametrize("case", ATTACKS)
def test_a_hostile_model_is_refused_and_touches_nothing(whole, tmp_path, monkeypatch, capsys, case):
    kind, attack, message = ATTACKS[case]
    monkeypatch.chdir(prepared(whole(kind), tmp_path))
    attack(tmp_path / "made")
    before = content_of(tmp_path)
    with little_memory():
        said = refused(kind, monkeypatch, capsys)
    assert message in said and len(said) < 1000
    assert content_of(tmp_path) == before
