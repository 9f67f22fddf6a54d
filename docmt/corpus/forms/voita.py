"""The form `voita`: contrastive sets of deixis, lexical cohesion and ellipsis, in JSON.

Paper: Voita et al. (2019), "When a Good Translation is Wrong in Context".

A file is a JSON list of instances. An instance has a source of four sentences (`src`), which are joined by `_eos`
between spaces; several translations, which differ in the last sentence (`dst`); the index of the right translation
(`true_ind`); and the distance of the deciding sentence in sentences (`ctx_dist`).
"""

from collections import Counter
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
    items_of_list,
    joined_sentences,
    json_text,
    split_sentences,
    texts_of,
)
from docmt.corpus.inputs import ContrastiveItem, FixtureFiles, ReaderInputs
from docmt.corpus.stock import Stock

Translation = tuple[str, ...]  # The sentences of a translation


@dataclass(frozen=True)
class VoitaConfig(ContrastiveReaderConfig):
    """The settings of the form `voita`."""

    kind: Literal["voita"] = needed(KIND)


def items(config: VoitaConfig, inputs: ReaderInputs) -> Iterator[ContrastiveItem]:
    """Yield the items of all sets; the text is unchanged, tokenised and cased as in the files.

    Reports an instance that lacks a field, and translations that differ before the last sentence. Raises UserError for
    a file that is missing or is no JSON list.
    """
    for name, file in config.sets.items():
        yield from items_of_list(inputs, file, "instance", partial(_item, name, inputs.changed))


def _item(name: str, changed: Counter[str], instance: Any, where: str) -> ContrastiveItem:
    source = split_sentences(field(instance, "src", str, where))
    translations = [split_sentences(text) for text in texts_of(instance, "dst", where)]
    right, distance = (field(instance, key, int, where) for key in ("true_ind", "ctx_dist"))
    if not 0 <= right < len(translations) or len(translations) < 2:
        counts = f"{len(translations)} translations, true_ind {right}"
        raise UserError("not a contrastive item", where=where, found=counts, expected="2 or more, one of them right")
    variants = _different(translations, translations[right], changed)
    return item_of(name, distance, source, variants, variants.index(translations[right]), where)


def _different(translations: list[Translation], right: Translation, changed: Counter[str]) -> list[Translation]:
    # Some instances have a translation twice (13 in each ellipsis set): one of the equal translations is kept. A wrong
    # translation that equals the right one is dropped too: the published evaluation counts such an instance as if the
    # equal translation were not there, since it puts the right translation first and takes the first of equal scores.
    # Where no wrong translation is left (one instance of ellipsis_infl), the item has the right translation twice; it
    # is a tie, which scoring counts as wrong.
    variants = list(dict.fromkeys(translations))
    variants = variants if len(variants) > 1 else [right, right]
    equal = translations.count(right) - variants.count(right)
    changed["variants dropped: equal to the right one"] += equal
    changed["variants dropped: given twice"] += len(translations) - len(variants) - equal
    return variants


def write(config: VoitaConfig, stock: Stock) -> FixtureFiles:
    """Yield the file of each set of a fixture."""
    for name, path in config.sets.items():
        items = stock.draw_set_items(name, path)
        stock.remember_items(items)
        yield path, json_text([_instance(item) for item in items])


def _instance(item: ContrastiveItem) -> dict:
    return {
        "src": joined_sentences(item.source),
        "dst": [joined_sentences((*item.target_context, variant)) for variant in item.variants],
        "true_ind": item.correct,
        "ctx_dist": item.distance,
    }
