"""The download of the files of a set: a checkpoint, gold alignments, contrastive sets."""

from pathlib import Path

from docmt.catalogue.checksums import file_digest
from docmt.catalogue.filesets import FOLDER, FileSetConfig
from docmt.catalogue.lock import LOCK, record_first
from docmt.fetching.download import fetch, wish_for
from docmt.fetching.transfer import Network


def fetch_set(
    config: FileSetConfig, root: Path, network: Network, mirror: str | None = None, folder: Path | None = None
) -> Path:
    """Download the files of a set that are not there, and return their folder.

    `root`: the folder of the project. `folder`: the folder of the files in place of the set's own. Digests that nobody
    states are recorded in the lock file once all files are there. Raises UserError where no source gives a file.
    """
    output, lock = folder or root / config.folder, root / LOCK
    for file in config.files:
        catalogue = FOLDER / f"{config.set}.yaml"
        fetch(wish_for(file, config.set, output / file.name, catalogue, lock), mirror, network)
    unknown = {file.name: file_digest(output / file.name, file) for file in config.files if file.digest is None}
    record_first(lock, {f"{config.set}/{name}": digest for name, digest in unknown.items()})
    return output
