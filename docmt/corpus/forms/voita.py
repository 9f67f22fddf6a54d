"""`voita`: the contrastive sets of Voita et al. (2019), "When a Good Translation is Wrong in Context".

Deixis, lexical cohesion and ellipsis, in JSON. An instance is a group of four sentences joined by ` _eos `, several
translations of it that differ in the last sentence, which of them is right (`true_ind`), and how far back the deciding
sentence stands (`ctx_dist`).
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

Sentences = tuple[str, ...]


@dataclass(frozen=True)
class VoitaConfig(ContrastiveReaderConfig):
    kind: Literal["voita"]


def items(config: VoitaConfig, inputs: ReaderInputs) -> Iterator[ContrastiveItem]:
    """Text is taken as it is: tokenised and cased.

    Some instances have a translation twice (13 of each ellipsis set); of equal ones one is kept, and the others are
    counted. One that equals the right one is no wrong one, so it goes too: the published evaluation, which takes the
    first of equal scores, and puts the right one first, counts these instances as if it were not there. Where nothing
    else is left (one instance of ellipsis_infl) the right one stands there twice: a tie, which scoring counts as wrong.
    Reports an instance without its fields, and translations that differ before the last sentence.
    Raises UserError for a file that is missing or no JSON list.
    """
    for name, file in config.sets.items():
        yield from items_of_list(inputs, file, "instance", partial(_item, name, inputs.changed))


def _item(name: str, changed: Counter[str], instance: Any, where: str) -> ContrastiveItem:
    source = split_sentences(field(instance, "src", str, where))
    translations = [split_sentences(text) for text in texts_of(instance, "dst", where)]
    right, distance = (field(instance, key, int, where) for key in ("true_ind", "ctx_dist"))
    if not 0 <= right < len(translations) or len(translations) < 2:
        found = f"{len(translations)} translations, true_ind {right}"
        raise UserError("not a contrastive item", where=where, found=found, expected="2 or more, one of them right")
    kept = _different(translations, translations[right], changed)
    return item_of(name, distance, source, kept, kept.index(translations[right]), where)


def _different(translations: list[Sentences], right: Sentences, changed: Counter[str]) -> list[Sentences]:
    kept = list(dict.fromkeys(translations))
    kept = kept if len(kept) > 1 else [right, right]
    equal = translations.count(right) - kept.count(right)
    changed["variants dropped: equal to the right one"] += equal
    changed["variants dropped: given twice"] += len(translations) - len(kept) - equal
    return kept


def write(config: VoitaConfig, stock: Stock) -> FixtureFiles:
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
