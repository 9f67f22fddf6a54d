"""The card of a data set of the Hugging Face Hub: README.md, which begins with fields in YAML.

The fields are those of the Hub's template of a data set card (`license`, `language`, `task_categories`, `configs`,
`dataset_info`).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import yaml

from docmt.base.columns import CONTRASTIVE
from docmt.base.markdown import fenced, front_matter, table
from docmt.base.recipe import artifact_name
from docmt.catalogue.licences import OPEN_LICENCES, is_open
from docmt.corpus.export.reading import ExportedCorpus

HUB_SPLITS = {"train": "train", "dev": "validation", "test": "test"}  # The names that the Hub gives to the splits
CONTRASTIVE_FILE = "data/contrastive-00000-of-00001.parquet"


def data_file(split: str) -> str:
    """Return the path of the table of a split in the folder of the data set."""
    return f"data/{HUB_SPLITS[split]}-00000-of-00001.parquet"


def hub_card(corpus: ExportedCorpus, about: str, rows: Mapping[str, int]) -> str:
    """Return the content of README.md; `about` describes the corpus, and `rows` has the number of rows by split."""
    return f"{front_matter(fields(corpus, rows))}\n" + "\n\n".join(_sections(corpus, about)) + "\n"


def fields(corpus: ExportedCorpus, rows: Mapping[str, int]) -> dict[str, Any]:
    """Return the fields of the card; `rows` has the number of rows of the table of each split."""
    card = corpus.card
    texts = [{"name": column, "dtype": "string"} for column in corpus.columns(corpus.splits)]
    configs = {"default": (texts, {HUB_SPLITS[split]: (data_file(split), count) for split, count in rows.items()})}
    if not rows:
        del configs["default"]
    if corpus.items:
        configs["contrastive"] = _item_features(), {"test": (CONTRASTIVE_FILE, len(corpus.items))}
    licence = {"license": OPEN_LICENCES.get(card["licence"], "other")}
    return {
        "pretty_name": card["corpus"],
        "language": list(dict.fromkeys((card["source_language"], card["target_language"]))),
        **licence,
        **({"license_details": card["licence"]} if licence["license"] == "other" else {}),
        "task_categories": ["translation"],
        "configs": [
            {"config_name": name, "data_files": [{"split": s, "path": path} for s, (path, _) in splits.items()]}
            for name, (_, splits) in configs.items()
        ],
        "dataset_info": [
            {
                "config_name": name,
                "features": features,
                "splits": [{"name": split, "num_examples": count} for split, (_, count) in splits.items()],
            }
            for name, (features, splits) in configs.items()
        ],
    }


def _item_features() -> list[dict[str, str]]:
    kinds = {"string": ("dtype", "string"), "int32": ("dtype", "int32")}
    features = []
    for column in CONTRASTIVE:
        key, kind = kinds.get(str(column.type), ("sequence", "string"))
        features.append({"name": column.name, key: kind})
    return features


def _sections(corpus: ExportedCorpus, about: str) -> Iterator[str]:
    card = corpus.card
    yield f"# {card['corpus']}"
    yield " ".join(about.split())
    if corpus.splits:
        yield "\n".join(_column_lines(corpus))
        yield _counts(corpus)
    if corpus.items:
        yield _item_counts(corpus)
    if corpus.splits:
        yield "A corpus file of docmt that lists these files reads them so:\n\n" + fenced(_reader(corpus), "yaml")
    yield "## Licence\n\n" + fenced(card["licence"], "text")
    if not is_open(card["licence"]):
        yield "This may forbid to pass the text on: read the licence before you give this data set to anybody."
    yield "## Citation\n\n" + fenced(card["citation"], "text")


def _column_lines(corpus: ExportedCorpus) -> Iterator[str]:
    card, columns = corpus.card, corpus.columns(corpus.splits)
    yield "A row is a sentence pair; the rows of a document follow each other.\n"
    yield "- `document`: the name of the document, which is unique in its split"
    yield f"- `source`: the sentence in the source language ({card['source_language']})"
    yield f"- `target`: its translation ({card['target_language']})"
    if "reference_2" in columns:
        yield "- `reference_2` and so on: further translations; null where a sentence has fewer"
    if corpus.tokens is not None:
        yield f"- `source_tokens`, `target_tokens` and so on: the words of the text `{artifact_name(corpus.tokens)}`"


def _counts(corpus: ExportedCorpus) -> str:
    names = ("documents", "sentences", "source_characters", "target_characters")
    counts = corpus.card["splits"]
    rows = [(HUB_SPLITS[split], *(f"{counts[split][name]:,}" for name in names)) for split in corpus.splits]
    return table(("split", *(name.replace("_", " ") for name in names)), rows)


def _item_counts(corpus: ExportedCorpus) -> str:
    counts = Counter(item.set for item in corpus.items)
    return (
        "The configuration `contrastive` has a row for each contrastive item: source sentences, the translations of all"
        " but the last one, and variants of the translation of the last one. `correct` is the index of the right"
        " variant, and `distance` the number of sentences from the deciding sentence to the last one.\n\n"
        + table(("set", "items"), [(name, f"{count:,}") for name, count in counts.items()])
    )


def _reader(corpus: ExportedCorpus) -> str:
    # Files of a corpus have names without a folder.
    names = {split: PurePosixPath(data_file(split)).name for split in corpus.splits}
    reader: dict[str, Any] = {"kind": "table", "splits": names}
    further = [name for name in corpus.columns(corpus.splits) if re.fullmatch(r"reference_\d+", name)]
    if further:
        reader["references"] = further
    return yaml.safe_dump({"reader": reader}, sort_keys=False)
