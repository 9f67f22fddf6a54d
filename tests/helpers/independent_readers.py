"""Readers of corpus files that share no code with docmt: csv, json, pandas, pyarrow and ElementTree.

Each takes the decompressed files of a case of `read_forms` by their names, and returns its pairs of source and target.
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from xml.etree import ElementTree

import pandas
import pyarrow as pa

Files = dict[str, bytes]
Pairs = list[tuple[str, str]]


def _lines(content: bytes) -> list[str]:
    return content.decode().split("\n")[:-1]


def _of_lines(source: str, target: str) -> Callable[[Files], Pairs]:
    def read(files: Files) -> Pairs:
        pairs = zip(_lines(files[source]), _lines(files[target]), strict=True)
        return [pair for pair in pairs if any(pair)]

    return read


def _of_documents(files: Files) -> Pairs:
    numbers = sorted({int(name.split(".")[0]) for name in files})
    texts = [(_lines(files[f"{number}.zh"]), _lines(files[f"{number}.en"])) for number in numbers]
    return [pair for columns in texts for pair in zip(*columns, strict=True)]


def _of_eos(files: Files) -> Pairs:
    """A line is a document."""
    sides = (" _eos ".join(line.removesuffix(" _eos") for line in _lines(files[name])) for name in ("a.zh", "a.en"))
    return [*zip(*(side.split(" _eos ") for side in sides), strict=True)]


def _of_rows(rows: list[dict]) -> Pairs:
    return [(row["source"], row["target"]) for row in rows]


def _delimited(name: str, **rules: object) -> Callable[[Files], Pairs]:
    return lambda files: _of_rows([*csv.DictReader(io.StringIO(files[name].decode(), newline=""), **rules)])


def _of_arrow(files: Files) -> Pairs:
    (name,) = (name for name in files if name.endswith(".arrow"))
    return _of_rows(pa.ipc.open_stream(files[name]).read_all().to_pylist())


def _segments(content: bytes, tag: str) -> list[str]:
    return ["".join(seg.itertext()).strip() for seg in ElementTree.fromstring(content).iter(tag)]


def _of_iwslt_xml(files: Files) -> Pairs:
    return [*zip(*(_segments(files[f"dev2010.{code}.xml"], "seg") for code in ("zh", "en")), strict=True)]


def _of_sgm(files: Files) -> Pairs:
    segments = [re.findall(r"<seg id=\d+>(.*?)</seg>", files[name].decode()) for name in ("src.sgm", "ref.sgm")]
    source, target = ([text.strip() for text in side] for side in segments)
    return [*zip(source, target[: len(source)], strict=True)]


def _of_tmx(files: Files) -> Pairs:
    texts = _segments(files["a.tmx"], "seg")
    return [*zip(texts[::2], texts[1::2], strict=True)]


def _of_wmt_xml(files: Files) -> Pairs:
    pairs = []
    for document in ElementTree.fromstring(files["a.xml"]).iter("doc"):
        sides = (document.find(tag) for tag in ("src", "ref"))
        pairs += zip(*(["".join(seg.itertext()).strip() for seg in side.iter("seg")] for side in sides), strict=True)
    return pairs


def _of_opus_xml(files: Files) -> Pairs:
    pairs = []
    archives = {code: zipfile.ZipFile(io.BytesIO(files[f"{code}.zip"])) for code in ("zh", "en")}
    for group in ElementTree.fromstring(files["en-zh.xml.gz"]).iter("linkGrp"):
        sides = []
        for name in ("fromDoc", "toDoc"):
            path = group.get(name).removesuffix(".gz")
            document = ElementTree.fromstring(archives[path.split("/")[0]].read(f"x/raw/{path}"))
            sides.append({sentence.get("id"): "".join(sentence.itertext()).strip() for sentence in document.iter("s")})
        for link in group.iter("link"):
            ids = (side.split() for side in link.get("xtargets").split(";"))
            pairs.append(tuple(" ".join(map(side.get, names)) for side, names in zip(sides, ids, strict=True)))
    return pairs


READERS: dict[str, Callable[[Files], Pairs]] = {
    "eos": _of_eos,
    "files": _of_documents,
    "iwslt_xml": _of_iwslt_xml,
    "lines": _of_lines("a.zh", "a.en"),
    "nist_sgm": _of_sgm,
    "opus": _of_lines("a.zh", "a.en"),
    "opus_xml": _of_opus_xml,
    "table": _delimited("a.tsv", delimiter="\t", quoting=csv.QUOTE_NONE),
    "table by csv rules": _delimited("a.csv"),
    "JSON list": lambda files: _of_rows(json.loads(files["a.json"])),
    "JSON lines": lambda files: _of_rows([json.loads(line) for line in _lines(files["a.jsonl"])]),
    "Parquet": lambda files: _of_rows(pandas.read_parquet(io.BytesIO(files["a.parquet"])).to_dict("records")),
    "saved data set": _of_arrow,
    "tmx": _of_tmx,
    "wmt_xml": _of_wmt_xml,
}
"""By the case."""
