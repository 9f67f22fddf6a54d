"""A data set of the Hugging Face Hub: what its API answers, and its files."""

import hashlib
import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

COMMIT = "0123456789abcdef0123456789abcdef01234567"
HUB = "https://huggingface.co"


def parquet_bytes(rows: list[dict[str, Any]]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), stream)
    return stream.getvalue()


def hub_addresses(name: str, files: dict[str, bytes], card: dict[str, Any], revision: str = "main") -> dict[str, bytes]:
    """Return the content of each address that a data set has: its facts, its files at the commit."""
    siblings = []
    for number, (path, content) in enumerate(files.items()):
        git_id = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        entry = {"rfilename": path, "size": len(content), "blobId": git_id}
        if number % 2 == 0:  # a large file
            entry["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
        siblings.append(entry)
    facts = {"id": name, "sha": COMMIT, "cardData": card, "siblings": siblings}
    return {
        f"{HUB}/api/datasets/{name}/revision/{revision}?blobs=true": json.dumps(facts).encode(),
        **{f"{HUB}/datasets/{name}/resolve/{COMMIT}/{path}": content for path, content in files.items()},
    }
