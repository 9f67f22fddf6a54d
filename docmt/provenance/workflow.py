"""The workflow in a crate: the Snakefile, the rules, and the settings of the run."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from rocrate.rocrate import ROCrate

from docmt.base.clone import CONFIG, WORKFLOW, clone_of, settings_folder
from docmt.base.credentials import refuse_credentials
from docmt.base.machine import installed_version
from docmt.base.parse import laid_over
from docmt.base.paths import RESULTS
from docmt.base.untrusted import is_inside
from docmt.base.version import VERSION
from docmt.base.yaml_files import load_yaml
from docmt.grid.main_config import MainConfig, load_main_config
from docmt.provenance.entities import add_file, file_facts

SNAKEFILE = "Snakefile"
# The folders of a project whose files are the workflow and its settings.
FOLDERS = (WORKFLOW, "profiles", "envs", "slurm")
LICENCE_OF_CODE = "https://www.apache.org/licenses/LICENSE-2.0"


def workflow_files(root: Path, config: MainConfig) -> Iterator[tuple[str, Path]]:
    """Yield the files of a project that a run needs, always in one order: their paths in it, and their places."""
    # What the folder `root` lacks is in its clone.
    settings, clone = settings_folder(root), clone_of(root)
    yield from ((SNAKEFILE, _in(root, clone, SNAKEFILE)), (CONFIG, settings / CONFIG))
    for folder in FOLDERS:
        place = _in(root, clone, folder)
        files = sorted(path.relative_to(place) for path in place.rglob("*") if path.is_file())
        yield from ((f"{folder}/{path.as_posix()}", place / path) for path in files if "__pycache__" not in path.parts)
    # The user's studies and corpora belong to the project where they are inside it.
    stated = [Path(path) for path in (*config.corpora, *config.studies) if path.endswith(".yaml")]
    yield from ((path, settings / path) for path in sorted(map(str, stated)) if is_inside(path))


def project_entries(root: Path) -> dict[str, Path]:
    """Return the files and folders of a project, but its results, by their names, with those of its clone."""
    names = {path.name for path in root.iterdir()} | {SNAKEFILE, CONFIG, *FOLDERS}
    places = {name: _in(root, clone_of(root), name) for name in sorted(names - {RESULTS}) if not name.startswith(".")}
    return {name: place for name, place in places.items() if place.exists()}


def _in(root: Path, clone: Path, name: str) -> Path:
    """Return the place of a file or folder: in the folder `root`, or else in the clone."""
    return root / name if (root / name).exists() else clone / name


def main_config(root: Path, overrides: Mapping[str, Any]) -> MainConfig:
    """Return config.yaml of a project with the overrides of the command line."""
    return load_main_config(settings_folder(root), dict(overrides))[0]


def add_workflow(crate: ROCrate, folder: Path, root: Path, overrides: Mapping[str, Any]) -> None:
    """Add the Snakefile as the main workflow, and the files that it needs, to the crate in `folder`.

    config.yaml has the `overrides` of the command line. Raises UserError for a file with an address that has
    credentials, such as a script of the user's.
    """
    files = dict(workflow_files(root, main_config(root, overrides)))
    if overrides:
        value = laid_over(load_yaml(files[CONFIG])[0], overrides)
        (folder / CONFIG).write_text(yaml.safe_dump(value, allow_unicode=True, sort_keys=False), encoding="utf-8")
        files[CONFIG] = folder / CONFIG
    facts = file_facts(files[SNAKEFILE], SNAKEFILE) | {"name": "docmt", "version": VERSION, "license": LICENCE_OF_CODE}
    language = {"lang": "snakemake", "lang_version": installed_version("snakemake")}
    crate.add_workflow(files[SNAKEFILE], SNAKEFILE, properties=facts, main=True, **language)
    for path, place in files.items():
        refuse_credentials(place.read_text(encoding="utf-8", errors="replace"), path)
        add_file(crate, place, path)
