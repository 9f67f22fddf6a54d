"""Views and chains as one would write them in a loop: python benchmarks/plain_loops.py (views | chains) FOLDER."""

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pyarrow as pa

from docmt.base.columns import CHAINS_WORDS, SEGMENT_CHAINS, SEGMENTS
from docmt.base.tables import read_arrow

BUDGET, STOP_WORDS, AT_ONCE = 512, 1000, 50_000
COLUMNS = ("document", "sentence", "source_tokens", "source_pieces", "source_ids", "target_ids")


def documents(folder: Path) -> Iterator[list[dict]]:
    table = pa.ipc.open_file(pa.memory_map(str(folder / "tokens" / "tokens.arrow")))
    batches = (table.get_batch(number).select(COLUMNS).to_pylist() for number in range(table.num_record_batches))
    yield from (list(rows) for _, rows in groupby((row for batch in batches for row in batch), lambda r: r["document"]))


def written(rows: Iterator[dict], path: Path, schema: pa.Schema) -> None:
    path.parent.mkdir(exist_ok=True)
    with pa.ipc.new_file(str(path), schema) as writer:
        held = []
        for row in rows:
            held.append(row)
            if len(held) == AT_ONCE:
                writer.write_table(pa.Table.from_pylist(held, schema))
                held = []
        writer.write_table(pa.Table.from_pylist(held, schema))


def instances(folder: Path) -> Iterator[dict]:
    for rows in documents(folder):
        held, filled = [], 0
        for row in rows:
            cost = max(len(row["source_ids"]), len(row["target_ids"])) + 2
            if held and filled + cost >= BUDGET:
                yield instance(held)
                held, filled = [], 0
            held.append(row)
            filled += cost
        yield instance(held)


def instance(rows: list[dict]) -> dict:
    segment = {"document": rows[0]["document"], "first": rows[0]["sentence"]}
    for side in ("source", "target"):
        segment[f"{side}_ids"] = [number for row in rows for number in row[f"{side}_ids"]]
        segment[f"{side}_lengths"] = [len(row[f"{side}_ids"]) for row in rows]
    return segment


def stop_words(folder: Path) -> frozenset[str]:
    counts = Counter(word for rows in documents(folder) for row in rows for word in row["source_tokens"].split(" "))
    return frozenset(word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:STOP_WORDS])


def chains_of_words(folder: Path, stopped: frozenset[str]) -> Iterator[dict]:
    for rows in documents(folder):
        places: dict[str, list[tuple[int, int]]] = {}
        for row in rows:
            for number, word in enumerate(row["source_tokens"].split(" ")):
                if word not in stopped:
                    places.setdefault(word, []).append((row["sentence"], number))
        for word, found in places.items():
            if len(found) > 1:
                sentences, words = zip(*found, strict=True)
                chain = {"word": word, "sentences": sentences, "words": words}
                yield {"split": "train", "document": rows[0]["document"], **chain}


def chains_of_pieces(folder: Path, stopped: frozenset[str]) -> Iterator[dict]:
    segments = iter(read_arrow(folder / "view" / "train.arrow", SEGMENTS).select(["source_lengths"]).to_batches())
    sizes = (len(lengths) for batch in segments for lengths in batch["source_lengths"].to_pylist())
    for rows in documents(folder):
        first = 0
        while first < len(rows):
            size = next(sizes)
            yield segment_chains(rows[first : first + size], stopped)
            first += size


def segment_chains(rows: list[dict], stopped: frozenset[str]) -> dict:
    places: dict[str, list[int]] = {}
    counts: dict[str, int] = {}
    start = 0
    for row in rows:
        words = row["source_pieces"].replace("@@ ", "@@\0").split(" ")
        for word, pieces in zip(row["source_tokens"].split(" "), words, strict=True):
            counts[word] = pieces.count("\0") + 1
            if word not in stopped:
                places.setdefault(word, []).append(start)
            start += counts[word]
    chains = [[p + n for p in found] for w, found in places.items() if len(found) > 1 for n in range(counts[w])]
    return {"members": [member for chain in chains for member in chain], "lengths": [len(chain) for chain in chains]}


def main() -> None:
    stage, folder = sys.argv[1], Path(sys.argv[2])
    if stage == "views":
        written(instances(folder), folder / "plain" / "view.arrow", SEGMENTS)
        return
    stopped = stop_words(folder)
    written(chains_of_words(folder, stopped), folder / "plain" / "words.arrow", CHAINS_WORDS)
    written(chains_of_pieces(folder, stopped), folder / "plain" / "chains.arrow", SEGMENT_CHAINS)


if __name__ == "__main__":
    main()
