"""The place of a model in a folder, in a module of its own that does not import torch."""

import sys
from pathlib import Path

from docmt.base.manifest import MANIFEST
from docmt.base.recipe import versions

CARD = "model.json"


def model_folder(folder: Path) -> Path:
    """Return the folder of a model: `folder` itself, `folder/model`, or that of the newest training in a place.

    A place is the folder of trainings without their ids. Where it has several, a line says which of them is used.
    """
    if (folder / CARD).is_file():
        return folder
    if not (folder / "model" / CARD).is_file() and (trainings := versions(folder, MANIFEST)):
        if len(trainings) > 1:
            # Without `docmt.base.screen`, which imports more than the machines with GPUs have.
            told = f"docmt: {folder} has {len(trainings)} versions; the newest is used: {trainings[0].name}"
            print(told, file=sys.stderr)
        return model_folder(trainings[0])
    return folder / "model" if (folder / "model" / CARD).is_file() else folder
