"""The workflow in a crate: the Snakefile, the rules, and the settings of the run."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from docmt.base.clone import CONFIG, WORKFLOW, clone_of, settings_folder
from docmt.base.credentials import refuse_credentials
from docmt.base.machine import installed_version
from docmt.base.paths import RESULTS
from docmt.base.untrusted import is_inside
from docmt.base.version import VERSION
from docmt.grid.main_config import MainConfig, load_main_config
from docmt.provenance.entities import add, add_file, file_facts

SNAKEFILE = "Snakefile"
FOLDERS = (WORKFLOW, "profiles", "envs", "slurm")
"""The folders of a project whose files are the workflow and its settings."""
SETTING = "#config/"
"""The beginning of the identifier of a setting of the command line in a crate."""
LICENCE_OF_CODE = "https://www.apache.org/licenses/LICENSE-2.0"


def workflow_files(root: Path, config: MainConfig) -> Iterator[tuple[str, Path]]:
    """Yield the files of a project that a run needs, always in one order: their paths in a project, and their places.

    What the folder `root` lacks is in its clone. The user's studies and corpora are among the files, where they are
    inside the project.
    """
    settings, clone = settings_folder(root), clone_of(root)
    yield from ((SNAKEFILE, _in(root, clone, SNAKEFILE)), (CONFIG, settings / CONFIG))
    for folder in FOLDERS:
        place = _in(root, clone, folder)
        files = sorted(path.relative_to(place) for path in place.rglob("*") if path.is_file())
        yield from ((f"{folder}/{path.as_posix()}", place / path) for path in files if "__pycache__" not in path.parts)
    stated = [Path(path) for path in (*config.corpora, *config.studies) if path.endswith(".yaml")]
    yield from ((path, settings / path) for path in sorted(map(str, stated)) if is_inside(path))


def project_entries(root: Path) -> dict[str, Path]:
    """Return the files and folders of a project by their names, with those of its clone that it lacks.

    Its results, and what is hidden, are left out.
    """
    names = {path.name for path in root.iterdir()} | {SNAKEFILE, CONFIG, *FOLDERS}
    places = {name: _in(root, clone_of(root), name) for name in sorted(names - {RESULTS}) if not name.startswith(".")}
    return {name: place for name, place in places.items() if place.exists()}


def _in(root: Path, clone: Path, name: str) -> Path:
    """Return the place of a file or folder: in the folder `root`, or else in the clone."""
    return root / name if (root / name).exists() else clone / name


def main_config(root: Path, overrides: Mapping[str, Any]) -> MainConfig:
    """Return config.yaml of a project with the overrides of the command line."""
    return load_main_config(settings_folder(root), dict(overrides))[0]


def add_workflow(crate: ROCrate, root: Path, overrides: Mapping[str, Any], address: str | None) -> None:
    """Add the Snakefile as the main workflow, and the files that it needs.

    `overrides`: the settings of the command line. `address`: where others get the code. Raises UserError for a file
    with an address that has credentials, such as a script of the user's.
    """
    files = dict(workflow_files(root, main_config(root, overrides)))
    snakefile, snakemake = files[SNAKEFILE], installed_version("snakemake")
    facts = file_facts(snakefile, SNAKEFILE) | {"name": "docmt", "version": VERSION, "license": LICENCE_OF_CODE}
    facts |= {"url": address} if address else {}
    crate.add_workflow(snakefile, SNAKEFILE, properties=facts, main=True, lang="snakemake", lang_version=snakemake)
    for path, place in files.items():
        refuse_credentials(place.read_text(encoding="utf-8", errors="replace"), path)
        add_file(crate, place, path)


def add_settings(crate: ROCrate, overrides: Mapping[str, Any]) -> list[Entity]:
    """Return what the run of the workflow read: config.yaml, and the values of its keys from the command line."""
    values = (
        add(crate, f"{SETTING}{key}", "PropertyValue", name=key, value=str(value), propertyID=key)
        for key, value in sorted(overrides.items())
    )
    return [crate.get(CONFIG), *values]
