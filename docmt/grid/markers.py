"""What settings of jobs have in the place of the paths of the user's files."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docmt.base.recipe import GIVEN
from docmt.settings.pretrained import is_random_checkpoint
from docmt.settings.system import ExternalSystem


def given(folder: str | None) -> str | None:
    """Return what settings have in the place of the path of a user's checkpoint; other values stay as they are."""
    # The files of the checkpoint are a part of the job's identity, and its path is not.
    return folder if folder is None or is_random_checkpoint(folder) else GIVEN


def name_of(path: str | None) -> str | None:
    """Return the name of a user's file, which signatures contain, without its folder; other values stay as they are."""
    return None if path is None else Path(path).name


def source_of(system: ExternalSystem, marker: Callable[[str | None], str | None] = given) -> dict[str, Any]:
    """Return where an external system's translations come from, with the `marker` of a user's path in its place."""
    # On these settings no translation depends.
    of_running = system.source.of_running
    source = {name: value for name, value in dataclasses.asdict(system.source).items() if name not in of_running}
    return source | {"path": marker(system.source.path)} if "path" in source else source
