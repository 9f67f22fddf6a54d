"""The records of ContraPro's JSON (Müller et al. 2018), which several forms read: one record for each item of a set."""

from typing import Any

from docmt.corpus.contrastive_items import field
from docmt.corpus.inputs import ContrastiveItem


def document_of(record: Any, where: str) -> str:
    """Return the name of the document of an item. Raises UserError where the record lacks it."""
    return field(record, "document id", str, where)


def pronouns_of(record: Any, where: str) -> str:
    """Return the pronouns of an item in lower case, as in `it:er`; the authors' evaluation has this as the category.

    Raises UserError where the record lacks one of them.
    """
    return ":".join(field(record, f"{side} pronoun", str, where).lower() for side in ("src", "ref"))


def distance_of(record: dict[str, Any]) -> int:
    """Return the number of sentences from the antecedent to the pronoun; 0 = in the same sentence, or not stated."""
    distance = record.get("ante distance")
    return max(distance, 0) if isinstance(distance, int) else 0


def wrong_variants(record: dict[str, Any], where: str) -> list[str]:
    """Return the wrong variants of an item, each once. Raises UserError where there is none, or one lacks its text."""
    errors = record.get("errors")
    # A wrong variant may stand alone, without a list.
    errors = [errors] if isinstance(errors, dict) else field(record, "errors", list, where)
    # dict.fromkeys drops repeated variants and does not change their order.
    return list(dict.fromkeys(field(error, "contrastive", str, where).strip() for error in errors))


def record_of(item: ContrastiveItem, document: str, segment: int) -> dict[str, Any]:
    """Return the record of an item of a fixture, whose right variant is the first and whose part is its pronouns."""
    source, reference = item.set.split("/")[-1].split(":")
    right, *wrong = item.variants
    return {
        "document id": document,
        "segment id": segment,
        "src segment": item.source[-1],
        "ref segment": right,
        "src pronoun": source,
        "ref pronoun": reference,
        "ante distance": item.distance,
        "errors": [{"contrastive": text, "type": "pronominal coreference"} for text in wrong],
    }
