"""The card of an exported model: README.md, which begins with the fields that the Hugging Face Hub reads.

The fields are those of the Hub's template of a model card (`language`, `license`, `library_name`).
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object_if_there
from docmt.base.manifest import RECORD, read_record
from docmt.base.markdown import fenced, front_matter, table
from docmt.base.recipe import JOB, read_recipe, root_of
from docmt.base.version import VERSION
from docmt.catalogue.licences import OPEN_LICENCES, is_open
from docmt.exporting.source import ExportedModel
from docmt.settings.models import MODELS

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
    about, paper = architecture_text(source.network.config.kind)
    languages = "from `{}` to `{}`".format(*source.languages)
    parts = (
        f"# {model_name(source)}",
        f"A model of docmt {VERSION} that translates documents {languages}. Its architecture is "
        f"`{source.network.config.kind}`.",
        f"{about} Paper: {paper}",
        loading,
        f"## Corpus and licence\n\n{_corpus_text(source)}",
        f"## Training\n\n{_training_text(source)}",
    )
    return "\n\n".join(parts) + "\n"


def model_name(source: ExportedModel) -> str:
    """Return the name of the model: its system and corpus, or the name of its folder."""
    provenance = source.card.get("provenance", {})
    names = [str(provenance[name]) for name in ("system", "corpus") if provenance.get(name)]
    return " ".join(names) or source.folder.resolve().name


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
    if corpus is None:
        return {"license": "unknown"}
    # The maker of the model may state another licence.
    name = OPEN_LICENCES.get(corpus["licence"], "other")
    return {"license": name} if name != "other" else {"license": name, "license_details": corpus["licence"]}


def record_of_training(model: Path) -> dict[str, Any]:
    """Return the record of the training of a model; empty for a model that is not in the folder of a training.

    Raises UserError where the record was changed after docmt wrote it.
    """
    record = model.resolve().parent / RECORD
    return read_record(record) if record.is_file() else {}


def corpus_card(model: Path) -> dict[str, Any] | None:
    """Return the card of the corpus of a model, to which the recipe of its training leads; None where it is not there.

    Raises UserError where a recipe was changed after docmt wrote it.
    """
    folder = model.resolve().parent
    for role in ("tokens", "corpus"):
        if not (folder / JOB).is_file() or role not in (inputs := read_recipe(folder).inputs):
            return None
        folder = root_of(folder) / inputs[role]
    return read_object_if_there(folder / "card.json", "licence", "citation")


def architecture_text(kind: str) -> tuple[str, str]:
    """Return what an architecture is, and its paper, as the docstring of its module says them."""
    module = import_module(MODELS[kind].model.partition(":")[0])
    paragraphs = (module.__doc__ or "").strip().split("\n\n")
    paper = next(text for text in paragraphs if text.startswith("Paper: "))
    return " ".join(paragraphs[0].split()), " ".join(paper.removeprefix("Paper: ").split())
