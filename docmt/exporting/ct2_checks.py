"""What CTranslate2 can translate as docmt does; everything else is refused before anything is written.

CTranslate2 computes a plain Transformer over one sequence. Its search reads its own outputs, ends with the first
`</s>`, and divides scores by a power of the length. So an architecture with further attentions or gates, and a frame
whose inputs are not its outputs, cannot be exported.
"""

from collections.abc import Iterator
from typing import NamedTuple

from docmt.base.errors import UserError
from docmt.exporting.source import ExportedModel

SENTENCE_FRAMES = ("wrapped", "summarised", "unmarked", "fairseq")
"""The frames that CTranslate2 can search where a window is one sentence; the frame `joined` needs no such limit."""
PENALTIES = ("average", "none")


class Obstacle(NamedTuple):
    """A property of a model that CTranslate2 does not have, and what it has instead."""

    actual: str
    expected: str


def check_ctranslate2(source: ExportedModel) -> None:
    """Raise UserError, with the first obstacle, where CTranslate2 cannot translate as the model does."""
    for obstacle in _obstacles(source):
        raise UserError(
            "CTranslate2 cannot translate as this model does",
            where=str(source.folder),
            found=obstacle.actual,
            expected=obstacle.expected,
            remedy="--to huggingface exports every model",
        )


def _obstacles(source: ExportedModel) -> Iterator[Obstacle]:
    config, window = source.network.config, source.cut.window
    if config.kind != "transformer":
        yield Obstacle(f"architecture {config.kind}", "architecture transformer")
    if window is None:
        yield Obstacle(f"test view {source.cut.name}", "a test view of windows")
    if config.frame not in ("joined", *(SENTENCE_FRAMES if window == 1 else ())):
        several = "" if window == 1 else f" with windows of {window} sentences"
        yield Obstacle(f"frame {config.frame}{several}", _frames_for(window))
    if config.positions == "restarting" and window != 1:
        yield Obstacle("positions that restart in each sentence of a window", "running positions")
    if source.text.is_pretrained("source") or source.text.is_pretrained("target"):
        yield Obstacle("the pieces of a pretrained checkpoint", "pieces that docmt has learnt")
    if source.decode.length_penalty not in PENALTIES:
        yield Obstacle(f"--length-penalty {source.decode.length_penalty}", " or ".join(PENALTIES))


def _frames_for(window: int | None) -> str:
    return f"frame joined, {', '.join(SENTENCE_FRAMES)}" if window == 1 else "frame joined, or windows of one sentence"
