"""The form `voita`: contrastive sets of deixis, lexical cohesion and ellipsis, in JSON.

Voita et al. (2019), "When a Good Translation is Wrong in Context". An instance is a group of four sentences joined by
`_eos` between spaces, several translations of it that differ in the last sentence, the index of the right translation
(`true_ind`), and the distance of the deciding sentence (`ctx_dist`).
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from docmt.base.errors import UserError
from docmt.corpus.contrastive_items import (
    ContrastiveReaderConfig,
    field,
    item_of,
    items_of_list,
    split_sentences,
    texts_of,
)
from docmt.corpus.inputs import ContrastiveItem, FixtureFiles, ReaderInputs
from docmt.corpus.stock import Stock

Translation = tuple[str, ...]
"""The sentences of a translation."""


@dataclass(frozen=True)
class VoitaConfig(ContrastiveReaderConfig):
    """The settings of `voita`."""

    kind: Literal["voita"]


def items(config: VoitaConfig, inputs: ReaderInputs) -> Iterator[ContrastiveItem]:
    """Yield the items of all sets; text is left as it is in the files, tokenised and cased.

    Some instances have a translation twice (13 of each ellipsis set); one of the equal translations stays, and the
    others are counted. A wrong translation that equals the right one is dropped too: the published evaluation puts the
    right translation first and takes the first of equal scores, so that it counts these instances as if that
    translation were not there. Where no wrong translation is left (one instance of ellipsis_infl), the right one is
    there twice: a tie, which scoring counts as wrong.

    Reports an instance without its fields, and translations that differ before the last sentence. Raises UserError for
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
    """Return the translations without repetitions; at least two, the right one twice where no other is left."""
    variants = list(dict.fromkeys(translations))
    variants = variants if len(variants) > 1 else [right, right]
    equal = translations.count(right) - variants.count(right)
    changed["variants dropped: equal to the right one"] += equal
    changed["variants dropped: given twice"] += len(translations) - len(variants) - equal
    return variants


def write(config: VoitaConfig, stock: Stock) -> FixtureFiles:
    """Yield the file of each set."""
    for name, path in config.sets.items():
        instances = [_instance(item) for item in stock.draw_set_items(name, path)]
        yield path, json.dumps(instances, ensure_ascii=False, indent=1)


def _instance(item: ContrastiveItem) -> dict:
    return {
        "src": " _eos ".join(item.source),
        "dst": [" _eos ".join((*item.target_context, variant)) for variant in item.variants],
        "true_ind": item.correct,
        "ctx_dist": item.distance,
    }
