"""The form `discevalmt`: contrastive sets of anaphora and lexical choice.

Paper: Bawden et al. (2018), "Evaluating Discourse Phenomena in NMT".

A file is a JSON object of blocks. In a block of lexical choice, `examples` is the list of the items, and each item has
its source `src`. In a block of anaphora, `trg` is the list of the items, which share the source `src` of the block. An
item has two translations, each with a context sentence and a judged sentence. The right translation is `correct`, or
`semi-correct` where its context is itself translated wrongly; the wrong translation is `incorrect`. The same two judged
sentences are right and wrong equally often, so that a model without context is right in half of the items.

The part of a set is named by the `type` of the item or block, such as `f.sg` or `repet`, and for anaphora by the key of
the right translation: `anaphora/f.sg/semi-correct`, `lexical_choice/repet`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from docmt.base.checks import needed
from docmt.base.errors import UserError
from docmt.catalogue.forms import KIND
from docmt.corpus.contrastive_items import (
    ContrastiveReaderConfig,
    field,
    item_of,
    items_of,
    json_text,
    numbered,
    read_json,
    texts_of,
)
from docmt.corpus.inputs import ContrastiveItem, FixtureFiles, ReaderInputs
from docmt.corpus.stock import Stock, in_parts, with_right_first

DISTANCE = 1
"""The distance of all items in sentences: an item has one sentence of context, which is the deciding sentence."""


@dataclass(frozen=True)
class DiscEvalMtConfig(ContrastiveReaderConfig):
    """The settings of the form `discevalmt`."""

    kind: Literal["discevalmt"] = needed(KIND)


def items(config: DiscEvalMtConfig, inputs: ReaderInputs) -> Iterator[ContrastiveItem]:
    """Yield the items of all sets.

    Reports a block or an item that lacks a field. Raises UserError for a file that is missing or is no JSON object.
    """
    for name, file in config.sets.items():
        for number, block in read_json(inputs, file, dict).items():
            where = f"{inputs.display_name(file)}, block {number}"
            key = next(
                (key for key in ITEM_READERS if isinstance(block, dict) and isinstance(block.get(key), list)), None
            )
            if key is None:
                contents = ", ".join(block) if isinstance(block, dict) else type(block).__name__
                expected = "'trg' or 'examples', a list"
                inputs.problems.report("not a block of items", where=where, found=contents, expected=expected)
                continue
            records = numbered(block[key], f"{where}, item")
            yield from items_of(records, partial(ITEM_READERS[key], name, block), inputs.problems)


def _lexical_choice(name: str, block: dict[str, Any], example: Any, where: str) -> ContrastiveItem:
    source, pair = texts_of(example, "src", where), field(example, "trg", dict, where)
    return _item(_part(name, block.get("type")), source, pair, "correct", where)


def _anaphora(name: str, block: dict[str, Any], pair: Any, where: str) -> ContrastiveItem:
    if not isinstance(pair, dict):
        actual, expected = type(pair).__name__, "an object with correct and incorrect"
        raise UserError("not a contrastive item", where=where, found=actual, expected=expected)
    right = "semi-correct" if "semi-correct" in pair else "correct"
    return _item(_part(name, pair.get("type"), right), texts_of(block, "src", where), pair, right, where)


def _part(*names: object) -> str:
    return "/".join(str(name) for name in names if name)


def _item(name: str, source: tuple[str, ...], pair: Any, right: str, where: str) -> ContrastiveItem:
    targets = [texts_of(pair, key, where) for key in (right, "incorrect")]
    return item_of(name, DISTANCE, source, targets, 0, where)


ITEM_READERS = {"examples": _lexical_choice, "trg": _anaphora}
"""The function that reads an item, by the field of the block in which the items are."""


def write(config: DiscEvalMtConfig, stock: Stock) -> FixtureFiles:
    """Yield the file of each set of a fixture: in turn a set of anaphora and a set of lexical choice."""
    for number, (name, path) in enumerate(config.sets.items()):
        parts, blocks_of = LAYOUTS[number % len(LAYOUTS)]
        items = with_right_first(stock.draw_set_items(name, path, DISTANCE + 1, (DISTANCE,)))
        items = in_parts(items, parts)
        stock.remember_items(items)
        yield path, json_text({str(place): block for place, block in enumerate(blocks_of(items), 1)})


def _anaphora_blocks(items: list[ContrastiveItem]) -> Iterator[dict[str, Any]]:
    # No two items of a fixture share their source.
    for item in items:
        *_, pronoun, right = item.set.split("/")
        yield {"src": item.source, "trg": [{**_pair(item, right), "type": pronoun}]}


def _lexical_blocks(items: list[ContrastiveItem]) -> Iterator[dict[str, Any]]:
    for twins in zip(items[::2], items[1::2], strict=True):
        examples = [{"src": item.source, "trg": _pair(item, "correct")} for item in twins]
        yield {"type": twins[0].set.split("/")[-1], "examples": examples}


def _pair(item: ContrastiveItem, right: str) -> dict[str, tuple[str, ...]]:
    return {key: (*item.target_context, text) for key, text in zip((right, "incorrect"), item.variants, strict=True)}


LAYOUTS = (
    (("f.sg/correct", "m.sg/semi-correct"), _anaphora_blocks),
    (("disambig", "disambig"), _lexical_blocks),
)
"""The parts of the sets of a fixture, and the function that builds the blocks: of anaphora, and of lexical choice."""
