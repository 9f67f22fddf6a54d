"""The API of the Hugging Face Hub: the facts and the files of a data set at a fixed commit."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import requests

from docmt.base.credentials import without_credentials
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.fetching.addresses import rewritten
from docmt.fetching.problems import reason
from docmt.fetching.transfer import AGENT, HUB, Network

MOST_PAGES = 100
"""The largest number of pages of a listing; each has up to 1,000 files."""
API = f"https://{HUB}/api/datasets"


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
    facts = _answer(f"{API}/{name}/revision/{revision}", network).json()
    with reading(name, "not the facts of a data set of the Hub"):
        commit, card = facts["sha"], facts.get("cardData") or {}
        files = [_file(entry) for entry in _tree(f"{API}/{name}/tree/{commit}?recursive=true", network)]
    return HubDataset(name, commit, card, tuple(file for file in files if file is not None))


def _tree(url: str, network: Network) -> Iterator[dict[str, Any]]:
    """Yield the entries of a listing, which may have several pages, `MOST_PAGES` at most."""
    for _ in range(MOST_PAGES):
        answer = _answer(url, network)
        yield from answer.json()
        url = answer.links.get("next", {}).get("url")
        if not url:
            return
    raise UserError("the listing of a data set does not end", where=url, found=f"more than {MOST_PAGES} pages")


def _file(entry: dict[str, Any]) -> HubFile | None:
    """Return a file of a listing; None for a folder. A large file has a SHA-256, a small one a Git id."""
    if entry["type"] != "file":
        return None
    large = entry.get("lfs")
    if large:
        return HubFile(entry["path"], large["size"], "sha256", large["oid"])
    return HubFile(entry["path"], entry["size"], "git_blob", entry["oid"])


def _answer(url: str, network: Network) -> requests.Response:
    """Return the answer to a request. Raises UserError where there is none."""
    try:
        response = requests.get(rewritten(url, network.hosts), headers=AGENT, timeout=network.timeout_s)
        if response.ok and isinstance(response.json(), dict | list):
            return response
        problem = f"HTTP {response.status_code}"
    except (requests.RequestException, ValueError) as failure:
        problem = reason(failure)
    remedy = "check the name and the network; `hosts` of config.yaml names another address of the Hub"
    raise UserError("the Hub does not answer", where=without_credentials(url), found=problem, remedy=remedy)
