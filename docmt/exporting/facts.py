"""What is known of a trained model beside its own files: its training, and the corpus."""

from importlib import import_module
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object_if_there
from docmt.base.manifest import RECORD, read_record
from docmt.base.recipe import JOB, read_recipe, root_of
from docmt.settings.models import MODELS


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
