"""What is known of a trained model beside its own files: its training, and the corpus."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object_if_there
from docmt.base.manifest import RECORD, read_record
from docmt.base.recipe import JOB, read_recipe, root_of
from docmt.settings.models import MODELS


@dataclass(frozen=True)
class ModelFacts:
    """The facts about a model that its card states; a fact that is not known is None or empty.

    `record` is the record.json of the training, and `corpus` the card.json of stage 1.
    """

    record: Mapping[str, Any] | None = None
    corpus: Mapping[str, Any] | None = None


def gather_facts(folder: Path) -> ModelFacts:
    """Return the facts about the model in `folder`, the folder `model` of a training or any other.

    Raises UserError where a file was changed after docmt wrote it.
    """
    training = folder.resolve().parent
    record = read_record(training / RECORD) if (training / RECORD).is_file() else None
    return ModelFacts(record, _corpus_card(training))


def _corpus_card(training: Path) -> dict[str, Any] | None:
    """Return the card of the corpus of a training, whose recipe leads to it; None where it is not there."""
    folder = training
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
