"""The card of an exported model: README.md, which begins with the fields that the Hugging Face Hub reads.

The fields are those of the Hub's template of a model card (`language`, `license`, `library_name`). The text is that of
`card.md`, with the section on how the model is loaded, which stands beside the files that it is about.
"""

import dataclasses
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from docmt.base.markdown import fenced, front_matter, table
from docmt.base.version import VERSION
from docmt.catalogue.licences import OPEN_LICENCES, is_open
from docmt.exporting.facts import ModelFacts, architecture_text, gather_facts
from docmt.exporting.source import ExportedModel

RECORDED = {
    "updates": "updates",
    "best_update": "update of the weights",
    "stop_rule": "stop rule",
    "dev_loss": "loss on dev",
    "dev_perplexity": "perplexity on dev",
    "dev_bleu": "BLEU on dev",
    "parameters": "parameters",
    "source_tokens": "source tokens of all updates",
    "device": "device",
    "device_hours": "device hours",
}
"""The values of a training's record that the card states, with their names there; hosts and times are left out."""


def hub_fields(source: ExportedModel, facts: ModelFacts) -> dict[str, Any]:
    """Return the fields of the card for the Hub."""
    corpus = source.card.get("provenance", {}).get("corpus")
    return {
        "language": list(dict.fromkeys(source.languages)),
        **_licence_fields(facts),
        "library_name": "transformers",
        "pipeline_tag": "translation",
        "tags": ["docmt", "document-level-translation", source.network.config.kind],
        **({"datasets": [corpus]} if corpus else {}),
    }


def hub_card(source: ExportedModel) -> str:
    """Return README.md of an export for the library transformers, with the fields for the Hub."""
    fields = front_matter(hub_fields(source, gather_facts(source.folder)))
    return f"{fields}\n{card_text(source, 'loading/section.md')}"


def card_text(source: ExportedModel, section: str, **of_section: list[str]) -> str:
    """Return README.md without fields: what the model is, how it is loaded, its corpus and its training.

    `section`: the template of the section on how the model is loaded; `of_section`: what it needs besides.
    """
    environment = Environment(
        loader=PackageLoader("docmt.exporting", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["fenced"] = lambda text: fenced(text, "text")
    environment.filters["table"] = lambda rows, columns: table(columns, rows)
    facts = gather_facts(source.folder)
    about, paper = architecture_text(source.network.config.kind)
    return environment.get_template("card.md").render(
        name=model_name(source),
        version=VERSION,
        source=source,
        about=about,
        paper=paper,
        section=section,
        facts=facts,
        is_open=facts.corpus is not None and is_open(facts.corpus["licence"]),
        training=_training_rows(source, facts),
        settings=_settings_rows(source),
        **of_section,
    )


def model_name(source: ExportedModel) -> str:
    """Return the name of the model: its system and corpus, or the name of its folder."""
    provenance = source.card.get("provenance", {})
    names = [str(provenance[name]) for name in ("system", "corpus") if provenance.get(name)]
    return " ".join(names) or source.folder.resolve().name


def _training_rows(source: ExportedModel, facts: ModelFacts) -> list[tuple[str, str]]:
    """Return what is known of the training: what it started from, and the values of its record."""
    provenance, record = source.card.get("provenance", {}), facts.record or {}
    start = {name: provenance.get(name) for name in ("init_from", "pretrained", "imported_from", "seed", "scale")}
    rows = [(name.replace("_", " "), str(value)) for name, value in start.items() if value is not None]
    return rows + [(name, _number(record[key])) for key, name in RECORDED.items() if record.get(key) is not None]


def _settings_rows(source: ExportedModel) -> list[tuple[str, str]]:
    """Return the settings of the model, of the cut of documents, and of the search."""
    groups = {"model": source.network.config, "view.test": source.cut, "decode": source.decode}
    return [
        (f"{group}.{name}", _number(value))
        for group, settings in groups.items()
        for name, value in dataclasses.asdict(settings).items()
        if value not in (None, (), False)
    ]


def _number(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _licence_fields(facts: ModelFacts) -> dict[str, str]:
    """Return the licence of the corpus as the Hub names it; the maker of the model may state another."""
    if facts.corpus is None:
        return {"license": "unknown"}
    name = OPEN_LICENCES.get(facts.corpus["licence"], "other")
    return {"license": name} if name != "other" else {"license": name, "license_details": facts.corpus["licence"]}
