"""Small random checkpoints as `transformers` writes them."""

from pathlib import Path

import pytest
import torch
from helpers.sizes import COMPUTED
from torch import nn

WIDTH, INNER, HEADS, POSITIONS = (*(COMPUTED[name] for name in ("width", "inner", "heads")), 30)
LAYERS = {"encoder_layers": 2, "decoder_layers": 3}
SHARED = {"attention_heads": HEADS, "ffn_dim": INNER}


def transformers():
    """The package, or a skipped test."""
    return pytest.importorskip("transformers", reason="needs transformers, to make checkpoints and compare with")


def reference_model(kind: str, vocabulary: int, seed: int = 1, **settings) -> nn.Module:
    """mBART or BART with its head, or BERT with its heads; every parameter, biases too, is far from its start."""
    hf = transformers()
    sizes = {"vocab_size": vocabulary, "max_position_embeddings": POSITIONS}
    if kind == "bert":
        sizes |= {"hidden_size": WIDTH, "intermediate_size": INNER, "num_attention_heads": HEADS}
        config = hf.BertConfig(**sizes, num_hidden_layers=LAYERS["encoder_layers"], **settings)
        model_class = hf.BertForPreTraining
    else:
        sides = {f"{side}_{name}": n for side in ("encoder", "decoder") for name, n in SHARED.items()}
        options = {"scale_embedding": kind == "mbart", **settings}
        model_class, form = {
            "mbart": (hf.MBartForConditionalGeneration, hf.MBartConfig),
            "bart": (hf.BartForConditionalGeneration, hf.BartConfig),
        }[kind]
        config = form(**sizes, d_model=WIDTH, **sides, **LAYERS, **options)
    torch.manual_seed(seed)
    model = model_class(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return model


def write_checkpoint(model: nn.Module, folder: Path, form: str = "safetensors") -> Path:
    """`form`: safetensors, shards or bin."""
    model.save_pretrained(folder, **({"max_shard_size": "8KB"} if form == "shards" else {}))
    if form == "bin":
        (folder / "model.safetensors").unlink()
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
    return folder


def fields(kind: str) -> dict:
    """The settings of a model of ours that such a checkpoint fits."""
    post = {"norm": "post", "embedding_scale": False}
    by_kind = {"mbart": {"norm": "pre", "embedding_scale": True}, "bart": post, "bert": {**post, "norm_epsilon": 1e-12}}
    return {
        **LAYERS,
        **by_kind[kind],
        "width": WIDTH,
        "inner": INNER,
        "heads": HEADS,
        "activation": "gelu",
        "embedding_norm": True,
        "position_table": "learned",
        "max_positions": POSITIONS,
    }
