"""`discevalmt`: anaphora and lexical choice, Bawden et al. (2018), "Evaluating Discourse Phenomena in NMT".

A file is an object of blocks. In a block of lexical choice `examples` are the items, each with its own `src`; in one
of anaphora `trg` are the items, which have the block's `src` in common. An item is a pair: the context, and a sentence
that is right after it (`correct`; `semi-correct`: right after a context that is not) or wrong (`incorrect`). The same
two sentences are right and wrong equally often, so that a model without context is right in half of the items.

`type` of the item or of its block, such as `f.sg` or `repet`, and whether the right one is `correct`, name the part
of the set: `anaphora/f.sg/semi-correct`, `lexical_choice/repet`.
"""

from collections.abc import Iterator
from typing import Any

from docmt.core.contrastive_readers import DiscEvalMtConfig
from docmt.core.errors import UserError
from docmt.corpus.inputs import ContrastiveItem, Inputs, Reading, place
from docmt.corpus.readers.contrastive_items import field, item_of, read_json, sentences_of

DISTANCE = 1
"""The sets have one sentence of context, and it decides."""


def read_discevalmt(config: DiscEvalMtConfig, inputs: Inputs) -> Reading:
    """Raises UserError for a file that is missing or no such set, and for an item without its fields."""
    return Reading((), _items(config, inputs))


def _items(config: DiscEvalMtConfig, inputs: Inputs) -> Iterator[ContrastiveItem]:
    for name, file in config.sets.items():
        for number, block in read_json(inputs, config.archive, file, dict).items():
            where = f"{place(config.archive, file)}, block {number}"
            if isinstance(block, dict) and "examples" in block:
                yield from _lexical_choice(name, block, where)
            else:
                yield from _anaphora(name, block, where)


def _lexical_choice(name: str, block: dict[str, Any], where: str) -> Iterator[ContrastiveItem]:
    part = _part(name, block.get("type"))
    for example in field(block, "examples", list, where):
        source, pair = sentences_of(example, "src", where), field(example, "trg", dict, where)
        yield _item(part, source, pair, "correct", where)


def _anaphora(name: str, block: Any, where: str) -> Iterator[ContrastiveItem]:
    source = sentences_of(block, "src", where)
    for pair in field(block, "trg", list, where):
        if not isinstance(pair, dict):
            raise UserError("not a contrastive item", where=where, found=pair, expected="correct and incorrect")
        right = "semi-correct" if "semi-correct" in pair else "correct"
        yield _item(_part(name, pair.get("type"), right), source, pair, right, where)


def _part(*names: str | None) -> str:
    return "/".join(filter(None, names))


def _item(name: str, source: tuple[str, ...], pair: Any, right: str, where: str) -> ContrastiveItem:
    targets = [sentences_of(pair, key, where) for key in (right, "incorrect")]
    return item_of(name, DISTANCE, source, targets, 0, where)
