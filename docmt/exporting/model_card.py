"""The card of an exported model: README.md, which begins with the fields that the Hugging Face Hub reads.

The fields are those of the Hub's template of a model card (`language`, `license`, `library_name`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from docmt.base.markdown import fenced, front_matter, table
from docmt.base.version import VERSION
from docmt.catalogue.licences import OPEN_LICENCES, is_open
from docmt.exporting.facts import architecture_text, corpus_card, record_of_training
from docmt.exporting.source import ExportedModel

RECORDED = (
    *("updates", "best_update", "stop_rule", "dev_loss", "dev_perplexity", "dev_bleu"),
    *("parameters", "source_tokens", "device", "device_hours"),
)
"""The values of a training's record that the card states; hosts and times are left out."""


def hub_fields(source: ExportedModel) -> dict[str, Any]:
    """Return the fields of the card for the Hub."""
    corpus = source.card.get("provenance", {}).get("corpus")
    return {
        "language": list(dict.fromkeys(source.languages)),
        **_licence_fields(corpus_card(source.folder)),
        "library_name": "transformers",
        "pipeline_tag": "translation",
        "tags": ["docmt", "document-level-translation", source.network.config.kind],
        **({"datasets": [corpus]} if corpus else {}),
    }


def hub_card(source: ExportedModel, loading: str) -> str:
    """Return README.md with the fields for the Hub; `loading` is the section on how to load the model."""
    return f"{front_matter(hub_fields(source))}\n{card_text(source, loading)}"


def card_text(source: ExportedModel, loading: str) -> str:
    """Return README.md without fields: what the model is, how it is loaded, its corpus and its training."""
    return "\n\n".join((*_what_it_is(source), loading, *_origin(source))) + "\n"


def model_name(source: ExportedModel) -> str:
    """Return the name of the model: its system and corpus, or the name of its folder."""
    provenance = source.card.get("provenance", {})
    names = [str(provenance[name]) for name in ("system", "corpus") if provenance.get(name)]
    return " ".join(names) or source.folder.resolve().name


def _what_it_is(source: ExportedModel) -> Iterator[str]:
    about, paper = architecture_text(source.network.config.kind)
    yield f"# {model_name(source)}"
    yield (
        f"A model of docmt {VERSION} that translates documents from `{source.languages[0]}` to "
        f"`{source.languages[1]}`. Its architecture is `{source.network.config.kind}`."
    )
    yield f"{about} Paper: {paper}"


def _origin(source: ExportedModel) -> Iterator[str]:
    """Yield the sections on the corpus and the training."""
    yield "## Corpus and licence\n\n" + _corpus_text(source)
    yield "## Training\n\n" + _training_text(source)


def _corpus_text(source: ExportedModel) -> str:
    corpus = corpus_card(source.folder)
    name = source.card.get("provenance", {}).get("corpus")
    if corpus is None:
        known = f"The model was trained on the corpus `{name}`." if name else "Its corpus is not known here."
        return f"{known} Its licence is not known here: find it before you give this model to anybody."
    licence = corpus["licence"]
    warning = "" if is_open(licence) else "\n\nRead this licence before you give this model to anybody."
    citation = fenced(corpus["citation"], "text")
    about = f"The model was trained on the corpus `{name}`, whose licence is:"
    return f"{about}\n\n{fenced(licence, 'text')}{warning}\n\n{citation}"


def _training_text(source: ExportedModel) -> str:
    provenance, record = source.card.get("provenance", {}), record_of_training(source.folder)
    values = {name: provenance.get(name) for name in ("init_from", "pretrained", "imported_from", "seed", "scale")}
    values |= {name: record.get(name) for name in RECORDED}
    rows = [(name.replace("_", " "), _number(value)) for name, value in values.items() if value is not None]
    text = "" if record else "There is no record of the training beside the model. "
    return text + ("What is known of it:\n\n" + table(("", "value"), rows) if rows else "")


def _number(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _licence_fields(corpus: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the licence of a corpus as the Hub names it; the maker of the model may state another."""
    if corpus is None:
        return {"license": "unknown"}
    name = OPEN_LICENCES.get(corpus["licence"], "other")
    return {"license": name} if name != "other" else {"license": name, "license_details": corpus["licence"]}
