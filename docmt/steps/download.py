"""Stage 1: the download of a file of a corpus. A file that is there is not downloaded again, whatever the mirror is.

The recipe is in the folder of the downloads, which has no id: `settings` has the files of the catalogue, and `hints`
the mirror, the user's own folder and the hosts of the run.
"""

import dataclasses
import json
from pathlib import Path

from docmt.base.artifacts import as_object, read_object, write_json
from docmt.base.credentials import refuse_credentials
from docmt.base.errors import UserError, nearest
from docmt.base.parse import parse
from docmt.base.paths import DOWNLOADS
from docmt.base.recipe import JOB, root_of
from docmt.catalogue.files import FileConfig
from docmt.catalogue.lock import LOCK
from docmt.catalogue.missing import file_of_user
from docmt.grid.grid import Grid

STEP = "download"  # The name of the step, whose outputs have no identity.


def write_recipe(grid: Grid, corpus: str, root: Path) -> None:
    """Write the recipe of the downloads of a corpus."""
    files = {file.name: dataclasses.asdict(file) for file in grid.corpora[corpus].files}
    hints = {"mirror": grid.mirror, "local": grid.local.get(corpus), "hosts": dict(grid.hosts)}
    settings = {"corpus": corpus, "catalogue": grid.corpus_files[corpus], "files": files}
    write_json(root / DOWNLOADS.format(corpus=corpus) / JOB, {"step": STEP, "settings": settings, "hints": hints})


def download(folder: Path, name: str) -> None:
    """Download one file of a corpus into the folder of its downloads, and check it."""
    from docmt.fetching.download import fetch, wish_for
    from docmt.fetching.transfer import Network

    where = str(folder / JOB)
    value = read_object(folder / JOB, "settings", "hints")
    # No identity shows that a person has changed this recipe.
    refuse_credentials(json.dumps(value), where)
    settings, hints = (as_object(value[key], where) for key in ("settings", "hints"))
    if name not in settings["files"]:
        raise UserError("unknown file", where=where, found=name, remedy=nearest(name, list(settings["files"])))
    file, corpus, root = parse(FileConfig, settings["files"][name], where), settings["corpus"], root_of(folder)
    user_file = file_of_user(file, hints["local"], corpus, root)
    wish = wish_for(file, corpus, folder / name, Path(settings["catalogue"]), root / LOCK, user_file)
    fetch(wish, hints["mirror"], Network(hints["hosts"]))
