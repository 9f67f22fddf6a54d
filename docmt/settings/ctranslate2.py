"""What CTranslate2 can translate as docmt does, by settings alone: plans and jobs refuse everything else.

CTranslate2 computes a plain Transformer over one sequence. Its search reads its own outputs, ends with the first
`</s>`, and divides scores by a power of the length. So an architecture with further attentions or gates, and a frame
whose inputs are not its outputs, cannot be computed.
"""

from collections.abc import Iterator
from typing import NamedTuple

from docmt.settings.data import CutConfig, TextConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import TransformerConfig

SENTENCE_FRAMES = ("wrapped", "summarised", "unmarked", "fairseq")
"""The frames that CTranslate2 can search."""
PENALTIES = ("average", "none")


class Obstacle(NamedTuple):
    """A property of a model, or of its search, that CTranslate2 does not have, and what it has instead."""

    actual: str
    expected: str


def engine_obstacles(
    model: TransformerConfig, cut: CutConfig, text: TextConfig, decode: DecodeConfig
) -> Iterator[Obstacle]:
    """Yield what keeps CTranslate2 from being the engine of a model; `cut` says how test documents are cut."""
    if cut.window != 1:
        yield Obstacle(f"test view {cut.name}", "a test view of single sentences (window: 1)")
    if model.frame not in SENTENCE_FRAMES:
        several = ", which may give several sentences" if model.frame == "joined" else ""
        yield Obstacle(f"frame {model.frame}{several}", f"frame {', '.join(SENTENCE_FRAMES)}")
    if model.kind != "transformer":
        yield Obstacle(f"architecture {model.kind}", "architecture transformer")
    if cut.partial_copy is not None:
        yield Obstacle(f"test view {cut.name}", "a test view whose windows are not filled")
    if text.is_pretrained("source") or text.is_pretrained("target"):
        yield Obstacle("the pieces of a pretrained checkpoint", "pieces that docmt has learnt")
    if decode.length_penalty not in PENALTIES:
        yield Obstacle(f"length penalty {decode.length_penalty}", " or ".join(PENALTIES))
