"""The arguments of a fairseq checkpoint as settings of a docmt model, and the dictionaries of the checkpoint.

A dictionary has a line for each piece, with the piece and its count, in the order of the numbers of the pieces.
"""

from argparse import Namespace
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_text
from docmt.base.checks import BadValue
from docmt.base.errors import UserError
from docmt.settings.models import GTransformerConfig, TransformerConfig

OFF = (None, False, "", 0)  # Values of an argument that switch it off
ONLY_OFF = (
    "adaptive_input",
    "adaptive_softmax_cutoff",
    "base_layers",
    "char_inputs",
    "cross_self_attention",
    "decoder_layers_to_keep",
    "encoder_layers_to_keep",
    "no_cross_attention",
    "no_decoder_final_norm",
    "no_token_positional_embeddings",
)
"""Arguments that must be off, since they change a model in ways that no setting of docmt can express."""

EQUAL = (
    ("encoder_embed_dim", "decoder_embed_dim"),
    ("encoder_ffn_embed_dim", "decoder_ffn_embed_dim"),
    ("encoder_attention_heads", "decoder_attention_heads"),
    ("encoder_normalize_before", "decoder_normalize_before"),
    ("encoder_learned_pos", "decoder_learned_pos"),
    ("decoder_embed_dim", "decoder_input_dim"),
    ("decoder_embed_dim", "decoder_output_dim"),
)
"""Pairs of arguments that must be equal, since docmt has a single setting for both."""

CONTEXT_LAYERS = 2
"""The number of layers with combined attention where the arguments do not state it, as in the authors' script."""


def is_g_transformer(args: Namespace) -> bool:
    """Return whether the arguments describe a model of G-Transformer's code."""
    return _architecture(args).startswith("gtransformer")


def config_of(args: Namespace, where: str) -> TransformerConfig:
    """Return the settings of the model that the arguments describe; `where` names the checkpoint in messages.

    Raises UserError for another architecture, and for arguments that no setting of docmt can express.
    """
    if not _architecture(args).startswith(("transformer", "gtransformer")):
        expected = "transformer, gtransformer, or a variant of them"
        raise UserError("checkpoint of another architecture", where=where, found=_architecture(args), expected=expected)
    _check_supported(args, where)
    try:
        if is_g_transformer(args) and vars(args).get("doc_mode") == "partial":
            return GTransformerConfig(**_shared_settings(args, where), **_combined_layers(args, where))
        # A model of G-Transformer's code with `--doc-mode full` is a Transformer.
        return TransformerConfig(**_shared_settings(args, where))
    except BadValue as problem:
        expected = f"{problem.name}: {problem.expected}"
        message = "the checkpoint's settings are not allowed"
        raise UserError(message, where=where, found=problem.value, expected=expected) from None


def _architecture(args: Namespace) -> str:
    # fairseq 0.12 may store the name as `_name`.
    return str(vars(args).get("arch") or vars(args).get("_name"))


def _check_supported(args: Namespace, where: str) -> None:
    known = vars(args)
    wrong = [f"{name} = {known[name]}" for name in ONLY_OFF if known.get(name) not in OFF]
    if known.get("activation_fn", "relu") not in ("relu", "gelu"):
        wrong.append(f"activation_fn = {known['activation_fn']}")
    # Numbers of positions matter only where the tables of positions are trained.
    equal = EQUAL + ((("max_source_positions", "max_target_positions"),) if known.get("encoder_learned_pos") else ())
    for first, second in equal:
        if {first, second} <= known.keys() and (known[first] or 0) != (known[second] or 0):
            wrong.append(f"{first} = {known[first]} beside {second} = {known[second]}")
    if wrong:
        raise UserError("the checkpoint needs options that docmt lacks", where=where, found="; ".join(wrong))


def _shared_settings(args: Namespace, where: str) -> dict[str, Any]:
    known = vars(args)
    embeddings = "target" if known.get("share_decoder_input_output_embed") else "separate"
    learned = bool(known.get("encoder_learned_pos"))
    return {
        "encoder_layers": read_argument(args, "encoder_layers", int, where),
        "decoder_layers": read_argument(args, "decoder_layers", int, where),
        "width": read_argument(args, "encoder_embed_dim", int, where),
        "inner": read_argument(args, "encoder_ffn_embed_dim", int, where),
        "heads": read_argument(args, "encoder_attention_heads", int, where),
        **{name: float(known.get(name) or 0) for name in ("dropout", "attention_dropout", "activation_dropout")},
        "activation": known.get("activation_fn", "relu"),
        "norm": "pre" if known.get("encoder_normalize_before") else "post",
        "embeddings": "shared" if known.get("share_all_embeddings") else embeddings,
        "embedding_scale": not known.get("no_scale_embedding"),
        "embedding_norm": bool(known.get("layernorm_embedding")),
        "position_table": "learned" if learned else "sinusoidal",
        **({"max_positions": read_argument(args, "max_source_positions", int, where)} if learned else {}),
        # The symbols that G-Transformer's code, or fairseq, puts around sentences.
        "frame": "closed" if is_g_transformer(args) else "fairseq",
    }


def _combined_layers(args: Namespace, where: str) -> dict[str, int]:
    known, combined = vars(args), {}
    for role, our_role in (("encoder", "encoder_self"), ("decoder", "decoder_self"), ("cross", "cross")):
        layers = read_argument(args, f"{'encoder' if role == 'encoder' else 'decoder'}_layers", int, where)
        # The number in the checkpoint may be larger than that of all layers.
        combined[f"{our_role}_combined_layers"] = min(int(known.get(f"{role}_ctxlayers", CONTEXT_LAYERS)), layers)
    return combined


def read_argument(args: Namespace, name: str, kind: type, where: str) -> Any:
    """Return the argument `name`, whose type is `kind`: a text or a whole number.

    Raises UserError where the argument is missing or of another type.
    """
    value = vars(args).get(name)
    if not isinstance(value, kind):
        argument_text, expected = f"{name} = {value}", "a text" if kind is str else "a whole number"
        raise UserError(
            "not the settings of a fairseq Transformer", where=where, found=argument_text, expected=expected
        )
    return value


def read_dictionary(path: Path | str) -> tuple[str, ...]:
    """Return the pieces of a file `dict.<language>.txt`, in order.

    Raises UserError where the file is missing, empty or not UTF-8, or has a line that is not a piece with its count.
    """
    text = read_text(path)
    if not text:
        raise UserError("an empty dictionary", where=str(path), expected="a piece and its count a line")
    lines = text.removesuffix("\n").split("\n")
    return tuple(_piece(line, f"{path}:{number}") for number, line in enumerate(lines, start=1))


def _piece(line: str, where: str) -> str:
    # The last word of a line is the count of its piece.
    piece, _, count = line.rstrip().rpartition(" ")
    if not piece or not count.isdecimal():
        raise UserError("not an entry of a fairseq dictionary", where=where, found=repr(line), expected="piece count")
    return piece
