"""A study with as many test documents and systems as the largest test sets: what lists of documents must carry."""

from typing import Any

DOCUMENTS, SENTENCES, SYSTEMS = 200, 14, tuple(f"system_{n}" for n in range(12))


def fill(world: Any, entry: Any) -> None:
    """Give a made-up study 200 documents of 14 sentences, and their translations and scores by twelve systems."""
    names = [f"talk{number:03d}" for number in range(DOCUMENTS)]
    target = "the committee has looked at this proposal for a long time and agrees with most of what it says now ."
    sentences = [(name, n, "委员会 看 过 这 项 提案", target) for name in names for n in range(SENTENCES)]
    world.corpus(sentences)
    world.settings["entries"] = [entry(name) for name in SYSTEMS]
    world.settings["systems"] = [{"system": name, "label": f"A system, variant {name}"} for name in SYSTEMS]
    world.table("table1", [{"system": name} for name in SYSTEMS], ["s-BLEU"], baseline=SYSTEMS[0])
    for number, system in enumerate(SYSTEMS):
        words = target.split()
        del words[number]
        world.translate(system, [" ".join(words)] * len(sentences))
        scores = {f"d-BLEU@document.{name}": 20 + number + place / 7 for place, name in enumerate(names)}
        world.score(system, bleu=20.0 + number, scores=scores)
