"""`voita`: the contrastive sets of Voita et al. (2019), "When a Good Translation is Wrong in Context".

An instance is a group of four sentences joined by ` _eos `, several translations of it that differ in the last
sentence, which of them is right (`true_ind`), and how far back the deciding sentence stands (`ctx_dist`).
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from docmt.core.errors import UserError
from docmt.core.readers import VoitaConfig
from docmt.corpus.inputs import ContrastiveItem, Inputs, Reading, place

EOS = re.compile(r"(?<!\S)_eos(?!\S)")
FIELDS: dict[str, type] = {"src": str, "dst": list, "true_ind": int, "ctx_dist": int}


def read_voita(config: VoitaConfig, inputs: Inputs) -> Reading:
    """Text is taken as it is: tokenised and cased.

    Some instances have a translation twice (13 of each ellipsis set); of equal ones one is kept, and the others are
    counted. One that equals the right one is no wrong one, so it goes too: the published evaluation, which takes the
    first of equal scores, and puts the right one first, counts these instances as if it were not there. Where nothing
    else is left (one instance of ellipsis_infl) the right one stands there twice: a tie, which scoring counts as wrong.
    Reports an instance without its fields, and translations that differ before the last sentence.
    Raises UserError for a file that is missing or no JSON list.
    """
    return Reading(contrastive=_items(config, inputs))


def _items(config: VoitaConfig, inputs: Inputs) -> Iterator[ContrastiveItem]:
    for name, file in config.sets.items():
        shown = place(config.archive, file)
        for number, instance in enumerate(_instances(inputs.text(config.archive, file), shown), 1):
            where = f"{shown}, instance {number}"
            if _is_whole(instance):
                item = _item(name, instance, where, inputs)
                if item is not None:
                    yield item
            else:
                found = ", ".join(instance) if isinstance(instance, dict) else type(instance).__name__
                inputs.problems.report("not an instance", where=where, found=found, expected=", ".join(FIELDS))


def _instances(text: str, shown: str) -> list[Any]:
    try:
        instances = json.loads(text)
    except json.JSONDecodeError as problem:
        raise UserError("not JSON", where=f"{shown}:{problem.lineno}", found=problem.msg) from None
    if not isinstance(instances, list):
        raise UserError("not a list of instances", where=f"{shown}:1", found=type(instances).__name__)
    return instances


def _is_whole(instance: object) -> bool:
    return (
        isinstance(instance, dict)
        and all(isinstance(instance.get(name), type_) for name, type_ in FIELDS.items())
        and all(isinstance(text, str) for text in instance["dst"])
        and 0 <= instance["true_ind"] < len(instance["dst"])
        and len(instance["dst"]) > 1
    )


def _item(name: str, instance: dict[str, Any], where: str, inputs: Inputs) -> ContrastiveItem | None:
    source = _sentences(instance["src"])
    translations = [_sentences(text) for text in instance["dst"]]
    contexts = {tuple(sentences[:-1]) for sentences in translations}
    if len(contexts) > 1:
        inputs.problems.report("translations differ before the last sentence", where=where)
        return None
    right = translations[instance["true_ind"]][-1]
    texts = [sentences[-1] for sentences in translations]
    kept = list(dict.fromkeys(texts))
    kept = kept if len(kept) > 1 else [right, right]
    equal = texts.count(right) - kept.count(right)
    inputs.changed["variants dropped: equal to the right one"] += equal
    inputs.changed["variants dropped: given twice"] += len(texts) - len(kept) - equal
    distance, correct = instance["ctx_dist"], kept.index(right)
    return ContrastiveItem(name, distance, source, contexts.pop(), tuple(kept), correct, where)


def _sentences(text: str) -> tuple[str, ...]:
    return tuple(sentence.strip() for sentence in EOS.split(text))
