"""The API of the Hugging Face Hub: the facts and the files of a data set at a fixed commit."""

from dataclasses import dataclass
from typing import Any

import requests

from docmt.base.credentials import without_credentials
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.fetching.addresses import rewritten
from docmt.fetching.problems import reason
from docmt.fetching.transfer import AGENT, HUB, Network


@dataclass(frozen=True)
class HubFile:
    """A file of a data set: its path, its size in bytes, and its checksum of the kind `kind` (sha256 or git_blob)."""

    path: str
    size: int
    kind: str
    checksum: str


@dataclass(frozen=True)
class HubDataset:
    """A data set at a commit. `card`: the metadata of its card (the YAML at the top of README.md)."""

    name: str
    commit: str
    card: dict[str, Any]
    files: tuple[HubFile, ...]

    def url(self, path: str) -> str:
        """Return the address of a file at the commit."""
        return f"https://{HUB}/datasets/{self.name}/resolve/{self.commit}/{path}"


def read_dataset(name: str, revision: str, network: Network) -> HubDataset:
    """Return a data set of the Hub; `revision` is a branch, a tag or a commit.

    Raises UserError where the Hub cannot be asked, has no such data set, or answers in another form.
    """
    facts = _answer(f"https://{HUB}/api/datasets/{name}/revision/{revision}?blobs=true", network)
    with reading(name, "not the facts of a data set of the Hub"):
        return HubDataset(name, facts["sha"], facts.get("cardData") or {}, tuple(map(_file, facts["siblings"])))


def _file(entry: dict[str, Any]) -> HubFile:
    """Return a file of a data set. A large file has a SHA-256, a small one a Git id."""
    if large := entry.get("lfs"):
        return HubFile(entry["rfilename"], large["size"], "sha256", large["sha256"])
    return HubFile(entry["rfilename"], entry["size"], "git_blob", entry["blobId"])


def _answer(url: str, network: Network) -> dict[str, Any]:
    """Return the JSON object that answers a request. Raises UserError where there is none."""
    try:
        response = requests.get(rewritten(url, network.hosts), headers=AGENT, timeout=network.timeout_s)
        if response.ok and isinstance(facts := response.json(), dict):
            return facts
        problem = f"HTTP {response.status_code}"
    except (requests.RequestException, ValueError) as failure:
        problem = reason(failure)
    remedy = "check the name and the network; `hosts` of config.yaml names another address of the Hub"
    raise UserError("the Hub does not answer", where=without_credentials(url), found=problem, remedy=remedy)
