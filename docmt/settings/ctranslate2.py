"""What CTranslate2 can translate as docmt does, by settings alone: exports and plans refuse everything else.

CTranslate2 computes a plain Transformer over one sequence. Its search reads its own outputs, ends with the first
`</s>`, and divides scores by a power of the length. So an architecture with further attentions or gates, and a frame
whose inputs are not its outputs, cannot be computed.
"""

from collections.abc import Iterator
from typing import NamedTuple

from docmt.settings.data import CutConfig, TextConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import TransformerConfig

# The frames that CTranslate2 can search where a window is one sentence; the frame `joined` needs no such limit.
SENTENCE_FRAMES = ("wrapped", "summarised", "unmarked", "fairseq")
PENALTIES = ("average", "none")


class Obstacle(NamedTuple):
    """A property of a model, or of its search, that CTranslate2 does not have, and what it has instead."""

    actual: str
    expected: str


def obstacles(model: TransformerConfig, cut: CutConfig, text: TextConfig, decode: DecodeConfig) -> Iterator[Obstacle]:
    """Yield what keeps CTranslate2 from translating as a model does; `cut` says how test documents are cut."""
    window = cut.window
    if model.kind != "transformer":
        yield Obstacle(f"architecture {model.kind}", "architecture transformer")
    if window is None:
        yield Obstacle(f"test view {cut.name}", "a test view of windows")
    if cut.partial_copy is not None:
        yield Obstacle(f"test view {cut.name}", "a test view whose windows are not filled")
    if model.frame not in ("joined", *(SENTENCE_FRAMES if window == 1 else ())):
        several = "" if window == 1 else f" with windows of {window} sentences"
        yield Obstacle(f"frame {model.frame}{several}", _frames_for(window))
    if model.positions == "restarting" and window != 1:
        yield Obstacle("positions that restart in each sentence of a window", "running positions")
    if text.is_pretrained("source") or text.is_pretrained("target"):
        yield Obstacle("the pieces of a pretrained checkpoint", "pieces that docmt has learnt")
    if decode.length_penalty not in PENALTIES:
        yield Obstacle(f"length penalty {decode.length_penalty}", " or ".join(PENALTIES))


def engine_obstacles(
    model: TransformerConfig, cut: CutConfig, text: TextConfig, decode: DecodeConfig
) -> Iterator[Obstacle]:
    """Yield what keeps CTranslate2 from being the engine of a model: also segments of several sentences.

    An export translates windows too. Outputs with another number of sentences are translated again there, and two
    nearly equal hypotheses change places more often, so that windows stay in docmt's own search.
    """
    if cut.window != 1:
        yield Obstacle(f"test view {cut.name}", "a test view of single sentences (window: 1)")
    if model.frame == "joined":
        yield Obstacle("frame joined, which may give several sentences", f"frame {', '.join(SENTENCE_FRAMES)}")
    yield from obstacles(model, cut, text, decode)


def _frames_for(window: int | None) -> str:
    return f"frame joined, {', '.join(SENTENCE_FRAMES)}" if window == 1 else "frame joined, or windows of one sentence"
