"""Checkpoints and dictionaries as fairseq leaves them, and the command that takes them in."""

from argparse import Namespace
from collections import OrderedDict
from pathlib import Path

import pytest
import torch
from helpers.command_line import succeed
from torch import Tensor

from docmt.base.errors import UserError

FIRST_SYMBOLS = ["<s>", "<pad>", "</s>", "<unk>"]
PIECES = [letter + ending for letter in "abcdefgh" for ending in ("", "@@")]
ARGUMENTS = {
    "arch": "transformer",
    "encoder_layers": 2,
    "decoder_layers": 1,
    "encoder_embed_dim": 8,
    "decoder_embed_dim": 8,
    "encoder_ffn_embed_dim": 12,
    "decoder_ffn_embed_dim": 12,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "activation_fn": "relu",
    "dropout": 0.3,
    "max_source_positions": 20,
    "max_target_positions": 20,
    "share_all_embeddings": True,
    "share_decoder_input_output_embed": True,
}
APPENDED = ["[en]", "[de]", "<mask>"]
"""Entries that G-Transformer's task puts at the end of its dictionaries."""

G_TRANSFORMER = {
    "arch": "gtransformer_base",
    "doc_mode": "partial",
    "encoder_ctxlayers": 1,
    "decoder_ctxlayers": 1,
    "cross_ctxlayers": 0,
    "langs": "en,de",
    "target_lang": "de",
}


def write_dictionary(path: Path, pieces: list[str]) -> Path:
    path.write_text("".join(f"{piece} {100 - number}\n" for number, piece in enumerate(pieces)), encoding="utf-8")
    return path


def write_checkpoint(
    path: Path, args: dict, weights: dict[str, Tensor], form: str = "args", zipped: bool = True
) -> Path:
    """`form`: where the arguments stand, `args` (0.9) or `cfg` (0.12)."""
    settings = Namespace(**args)
    parts = {"args": settings} if form == "args" else {"args": None, "cfg": {"_name": None, "model": settings}}
    content = {
        **parts,
        "model": OrderedDict(weights),
        "extra_state": {"epoch": 3},
        "optimizer_history": [{"best": 1.5}],
    }
    torch.save(content, path, _use_new_zipfile_serialization=zipped)
    return path


def random_weights(args: dict, rows: int, seed: int = 1) -> dict[str, Tensor]:
    """All tensors of a model with these arguments, named as the toolkit names them."""
    generator = torch.Generator().manual_seed(seed)
    width, inner = args["encoder_embed_dim"], args["encoder_ffn_embed_dim"]
    shapes: dict[str, tuple[int, ...]] = {}

    def linear(name: str, outputs: int, inputs: int) -> None:
        shapes.update({f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)})

    def norm(name: str) -> None:
        shapes.update({f"{name}.weight": (width,), f"{name}.bias": (width,)})

    def attention(at: str, name: str, combined: bool) -> None:
        kinds = ("_local", "_global") if combined else ("_local",)
        for kind in kinds if args["arch"].startswith("g") else ("",):
            for part in ("k_proj", "v_proj", "q_proj", "out_proj"):
                linear(f"{at}.{name}{kind}.{part}", width, width)
        if combined:
            linear(f"{at}.{name}_gate.0", width, 2 * width)
        norm(f"{at}.{name}_layer_norm")

    for side in ("encoder", "decoder"):
        shapes[f"{side}.version"] = (1,)
        shapes[f"{side}.embed_tokens.weight"] = (rows, width)
        learned = (args["max_source_positions"] + 2, width)
        positions = {"weight": learned} if args.get("encoder_learned_pos") else {"_float_tensor": (1,)}
        shapes.update({f"{side}.embed_positions.{name}": shape for name, shape in positions.items()})
        if args.get("layernorm_embedding"):
            norm(f"{side}.layernorm_embedding")
        for layer in range(args[f"{side}_layers"]):
            at, top = f"{side}.layers.{layer}", args[f"{side}_layers"] - layer
            attention(at, "self_attn", top <= args.get(f"{side}_ctxlayers", 0) and args.get("doc_mode") == "partial")
            if side == "decoder":
                attention(
                    at, "encoder_attn", top <= args.get("cross_ctxlayers", 0) and args.get("doc_mode") == "partial"
                )
            linear(f"{at}.fc1", inner, width)
            linear(f"{at}.fc2", width, inner)
            norm(f"{at}.final_layer_norm")
        if args.get("encoder_normalize_before"):
            norm(f"{side}.layer_norm")
    weights = {name: torch.randn(shape, generator=generator) * 0.5 for name, shape in shapes.items()}
    if args.get("share_all_embeddings"):
        weights["decoder.embed_tokens.weight"] = weights["encoder.embed_tokens.weight"]
    if args.get("share_decoder_input_output_embed"):
        weights["decoder.output_projection.weight"] = weights["decoder.embed_tokens.weight"]
    else:
        weights["decoder.output_projection.weight"] = torch.randn((rows, width), generator=generator)
    return weights


class FairseqTraining:
    """The files that a training with fairseq leaves, in a folder."""

    def __init__(self, root: Path, more: dict, form: str = "args", zipped: bool = True) -> None:
        self.root, self.args, self.output = root, {**ARGUMENTS, **more}, root / "model"
        self.grouped = self.args["arch"].startswith("g")
        self.symbols = [*FIRST_SYMBOLS, *PIECES, *(APPENDED if self.grouped else ())]
        self.weights = random_weights(self.args, len(self.symbols))
        self.dictionary = write_dictionary(root / "dict.txt", PIECES)
        self.write(form, zipped)

    def write(self, form: str = "args", zipped: bool = True) -> None:
        self.checkpoint = write_checkpoint(self.root / "best.pt", self.args, self.weights, form, zipped)

    def options(self, *more: object) -> list[str]:
        files = {
            "checkpoint": self.checkpoint,
            "source-dictionary": self.dictionary,
            "target-dictionary": self.dictionary,
        }
        named = {**files, "source-language": "en", "target-language": "de", "output": self.output}
        return [str(part) for name, value in named.items() for part in (f"--{name}", value)] + list(map(str, more))

    def imported(self, *more: object) -> Path:
        succeed("import-fairseq", *self.options(*more))
        return self.output

    def refused(self, *more: object) -> str:
        with pytest.raises(UserError) as problem:
            self.imported(*more)
        assert not self.output.exists() and not list(self.root.glob(".model*"))
        return str(problem.value)
