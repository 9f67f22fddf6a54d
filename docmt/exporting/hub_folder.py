"""The folder of a model for the library transformers, and for the Hugging Face Hub.

It is a model folder of docmt, with three files more: config.json names the loading file, `loading/modeling_docmt.py`
loads the model, and README.md is the card.
"""

import dataclasses
from importlib.resources import files
from pathlib import Path
from typing import Any

from docmt.base.artifacts import atomic_file, atomic_folder, copy_file, copy_files, write_json
from docmt.base.columns import STOP_WORDS
from docmt.base.manifest import MANIFEST
from docmt.base.recipe import CARD
from docmt.base.version import VERSION
from docmt.exporting.model_card import hub_card
from docmt.exporting.source import ExportedModel
from docmt.models.store import WEIGHTS

LOADING = "modeling_docmt.py"
IN_TRANSLATE = ("beam", "length_penalty", "length_alpha", "max_length_a", "max_length_b")
"""The settings of the search that the method `translate` of a model has."""


def write_hub_folder(source: ExportedModel, output: Path) -> None:
    """Write the export as the new folder `output`."""
    loading = files("docmt.exporting.loading")
    readme = hub_card(source, (loading / "section.md").read_text(encoding="utf-8").strip())
    with atomic_folder(output) as folder:
        for name in (CARD, WEIGHTS, STOP_WORDS, MANIFEST):
            if (source.folder / name).exists():
                copy_file(source.folder, name, folder)
        copy_files(source.folder / "text", folder / "text")
        write_json(folder / "config.json", loading_config(source))
        for name, text in ((LOADING, (loading / LOADING).read_text(encoding="utf-8")), ("README.md", readme)):
            with atomic_file(folder / name) as stream:
                stream.write(text)


def loading_config(source: ExportedModel) -> dict[str, Any]:
    """Return the content of config.json, by which transformers finds the loading file."""
    decode = dataclasses.asdict(source.decode)
    return {
        "model_type": "docmt",
        "architectures": ["DocmtModel"],
        "auto_map": {"AutoConfig": "modeling_docmt.DocmtConfig", "AutoModel": "modeling_docmt.DocmtModel"},
        "docmt_version": VERSION,
        "docmt_architecture": source.network.config.kind,
        "decoding": {name: decode[name] for name in IN_TRANSLATE},
    }
