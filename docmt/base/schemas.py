"""The JSON Schemas of files of settings, and the line by which an editor finds the schema of a file."""

import os
from pathlib import Path

from docmt.base.clone import WORKFLOW

# The folder of the schemas in a clone; a study folder has it through its link to `workflow/`.
FOLDER = Path(WORKFLOW, "schemas")
CONFIG, STUDY, CORPUS = "config.schema.json", "study.schema.json", "corpus.schema.json"


def schema_line(root: Path, folder: Path, schema: str) -> str:
    """Return the first line of a file in `folder` that names its schema to editors.

    `root`: the clone, or a folder with a link to its `workflow/`.
    """
    path = os.path.relpath(root / FOLDER / schema, folder)
    return f"# yaml-language-server: $schema={Path(path).as_posix()}"
