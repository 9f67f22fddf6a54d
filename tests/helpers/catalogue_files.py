"""Small files in the layout that a corpus of the catalogue states: what nobody can download here is made up."""

import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from helpers.reader_files import Texts, tar_bytes, write_files, zip_bytes

from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.forms import FileReaderConfig, ReaderConfig

LENGTHS = (2, 3, 1)
"""Sentences of the documents of every file."""
ENDINGS = {".tgz": tar_bytes, ".tar.gz": tar_bytes, ".zip": zip_bytes}

REFERENCE = (
    "Translator-HumanParityData-master/Translator-HumanParityData/References/Translator-HumanParityData-Reference"
)
WMT_SETS = {
    "wmt17/ms": [
        [f"{REFERENCE}-HT.txt", f"{REFERENCE}-PE.txt"],
        ["newstest2017-zhen-src.zh.sgm", "newstest2017-zhen-ref.en.sgm"],
    ],
    "wmt19": [["sgm/newstest2019-zhen-src.zh.sgm", "sgm/newstest2019-zhen-ref.en.sgm"]],
    "wmt20/tworefs": [
        [f"sgm/newstest{name}.sgm" for name in ("2020-zhen-src.zh", "2020-zhen-ref.en", "B2020-zhen-ref.en")]
    ],
}
"""By the name of a test set, the files in each of its archives."""

Counts = dict[str, dict[str, int]]


def make_files(corpus: CorpusConfig, folder: Path) -> Counts:
    """Write all files of a corpus into `folder`; what `docmt check-catalogue` must find in them."""
    texts: Texts = {}
    expected: Counts = defaultdict(lambda: defaultdict(int))
    for _, reader in corpus.reader.readers_of_files():
        languages = (corpus.source_language, corpus.target_language)
        for name, text in MAKERS[reader.kind](reader, languages, expected).items():
            texts[f"{reader.archive}/{name}" if reader.archive else name] = text
    write_files(folder, packed(texts))
    return {split: dict(counts) for split, counts in expected.items()}


def corpus_config(reader: ReaderConfig, corpus: str = "mine", **more: Any) -> CorpusConfig:
    """A corpus of which nothing matters but its reader, and what `more` says."""
    known = {"source_language": "zh", "target_language": "en", "licence": "none", "citation": "none", "about": "about"}
    return CorpusConfig(**{"corpus": corpus, "reader": reader, **known, **more})


def packed(texts: Texts) -> Texts:
    """Files whose path leads through an archive, or through one inside another, become members of it."""
    outside: Texts = {}
    inside: dict[str, Texts] = defaultdict(dict)
    for path, text in texts.items():
        archive, rest = _first_archive(path)
        if archive:
            inside[archive][rest] = text
        else:
            outside[path] = text
    for archive, members in inside.items():
        pack = next(pack for ending, pack in ENDINGS.items() if archive.endswith(ending))
        outside[archive] = pack(packed(members))
    return outside


def _first_archive(path: str) -> tuple[str, str]:
    parts = path.split("/")
    for number, part in enumerate(parts[:-1], 1):
        if part.endswith(tuple(ENDINGS)):
            return "/".join(parts[:number]), "/".join(parts[number:])
    return "", path


def _count(expected: Counts, split: str, documents: int, sentences: int) -> None:
    expected[split]["documents"] += documents
    expected[split]["sentences"] += sentences


def _documents(language: str) -> list[list[str]]:
    return [[f"{language} {document} {number}" for number in range(length)] for document, length in enumerate(LENGTHS)]


def _tags(reader: Any, languages: tuple[str, str], expected: Counts) -> Texts:
    """With a talk that has no sentence, as IWSLT 2015 has five."""
    texts: Texts = {}
    for split, path in reader.splits.items():
        for language in languages:
            talks = [*_documents(language), []]
            texts[path.format(language=language)] = "".join(
                f"<url>http://talk/{number}</url>\n<keywords>talks</keywords>\n<speaker>A</speaker>\n"
                f"<talkid>{number}</talkid>\n<title>T</title>\n<description>D</description>\n"
                + "".join(f"{sentence}\n" for sentence in talk)
                for number, talk in enumerate(talks)
            )
        _count(expected, split, len(LENGTHS), sum(LENGTHS))
    return texts


def _xml(reader: Any, languages: tuple[str, str], expected: Counts) -> Texts:
    texts: Texts = {}
    for split, sets in reader.splits.items():
        for set_ in sets:
            for language in languages:
                talks = "".join(
                    f'<doc docid="{number}">'
                    + "".join(f'<seg id="{n}">{sentence}</seg>\n' for n, sentence in enumerate(talk, 1))
                    + "</doc>"
                    for number, talk in enumerate(_documents(language))
                )
                path = reader.files.format(set=set_, language=language)
                texts[path] = f"<?xml version='1.0' encoding='UTF-8'?><mteval><srcset>{talks}</srcset></mteval>"
            _count(expected, split, len(LENGTHS), sum(LENGTHS))
    return texts


def _lines(reader: Any, languages: tuple[str, str], expected: Counts) -> Texts:
    texts: Texts = {}
    for split, sides in reader.splits.items():
        for path, language in zip((sides.source, sides.target), languages, strict=True):
            documents = ["".join(f"{sentence}\n" for sentence in document) for document in _documents(language)]
            if reader.documents is None:
                texts[path] = "".join(documents)
            elif reader.documents.marker:
                texts[path] = "".join(f"{reader.documents.marker}\n{document}" for document in documents)
            else:
                texts[path] = "\n".join(documents)
        _count(expected, split, sum(LENGTHS) if reader.documents is None else len(LENGTHS), sum(LENGTHS))
    return texts


def _eos(reader: Any, languages: tuple[str, str], expected: Counts) -> Texts:
    texts: Texts = {}
    for split, sides in reader.splits.items():
        for path, language in zip((sides.source, sides.target), languages, strict=True):
            texts[path] = "".join(" _eos ".join(document) + "\n" for document in _documents(language))
        _count(expected, split, len(LENGTHS), sum(LENGTHS))
    return texts


def _files(reader: Any, languages: tuple[str, str], expected: Counts) -> Texts:
    texts: Texts = {}
    for split, sides in reader.splits.items():
        for path, language in zip((sides.source, sides.target), languages, strict=True):
            for number, document in enumerate(_documents(language)):
                texts[path.format(document=number)] = "".join(f"{sentence}\n" for sentence in document)
        _count(expected, split, len(LENGTHS), sum(LENGTHS))
    return texts


def _sgm(reader: Any, languages: tuple[str, str], expected: Counts) -> Texts:
    texts: Texts = {}
    for split, files in reader.splits.items():
        source, target = (_documents(language) for language in languages)
        plain = "".join(f"{sentence}\n" for document in source for sentence in document)
        texts[files.source] = _set("srcset", source, [None]) if files.source_form == "sgm" else plain
        for path in files.references:
            texts[path] = _set("refset", target, ["E01", "E02"])
        _count(expected, split, len(LENGTHS), sum(LENGTHS))
    return texts


def _set(name: str, documents: list[list[str]], systems: list[str | None]) -> str:
    docs = "".join(
        f'<DOC docid="D{number}"{f" sysid={system}" if system else ""}>'
        + "".join(f"<seg id={n}>{sentence}</seg>\n" for n, sentence in enumerate(document, 1))
        + "</DOC>\n"
        for system in systems
        for number, document in enumerate(documents)
    )
    return f'<{name} setid="s" srclang="Chinese">\n{docs}</{name}>\n'


def _table(reader: Any, languages: tuple[str, str], expected: Counts) -> Texts:
    """As News Commentary: columns have numbers, and a row of empty columns ends an article."""
    texts: Texts = {}
    for split, path in reader.splits.items():
        columns = {reader.source: _documents(languages[0]), reader.target: _documents(languages[1])}
        rows = []
        for document in zip(*(columns[number] for number in sorted(columns)), strict=True):
            rows += ["\t".join(row) for row in zip(*document, strict=True)]
            rows.append("\t")
        texts[path] = gzip.compress("".join(f"{row}\n" for row in rows).encode(), mtime=0)
        _count(expected, split, len(LENGTHS), sum(LENGTHS))
    return texts


def _wmt(reader: Any, languages: tuple[str, str], expected: Counts) -> Texts:
    texts: Texts = {}
    for split, sets in reader.splits.items():
        for stated in sets:
            for archive, members in zip(stated.archives, WMT_SETS[stated.set], strict=True):
                for member in members:
                    documents = _documents(languages["-src." not in member])
                    lines = [sentence for document in documents for sentence in document]
                    plain = "".join(f"{line}\n" for line in lines)
                    texts[f"{archive}/{member}"] = _wmt_sgm(documents) if member.endswith(".sgm") else plain
            _count(expected, split, len(LENGTHS), sum(LENGTHS))
    return texts


def _wmt_sgm(documents: list[list[str]]) -> str:
    docs = "".join(
        f'<doc sysid="ref" docid="site.{number}" genre="news" origlang="zh">\n<p>\n'
        + "".join(f'<seg id="{n}">{sentence}</seg>\n' for n, sentence in enumerate(document, 1))
        + "</p>\n</doc>\n"
        for number, document in enumerate(documents)
    )
    return f'<srcset setid="newstest" srclang="any">\n{docs}</srcset>\n'


def _voita(reader: Any, languages: tuple[str, str], expected: Counts) -> Texts:
    right, wrong = "а _eos б _eos в _eos г", "а _eos б _eos в _eos д"
    instance = {"src": "a _eos b _eos c _eos d", "dst": [right, wrong], "true_ind": 0, "ctx_dist": 1}
    for name in reader.sets:
        expected[name]["instances"] += 2
    return {path: json.dumps([instance] * 2) for path in reader.sets.values()}


def _discevalmt(reader: Any, languages: tuple[str, str], expected: Counts) -> Texts:
    pair = {"correct": ["c", "right"], "incorrect": ["c", "wrong"], "type": "f.sg"}
    example = {"src": ["a", "b"], "trg": pair}
    blocks = {"1": {"src": ["a", "b"], "trg": [pair]}, "2": {"type": "repet", "examples": [example]}}
    for part in (f"{name}/{part}" for name in reader.sets for part in ("f.sg/correct", "repet")):
        expected[part]["instances"] += 1
    return {path: json.dumps(blocks) for path in reader.sets.values()}


def _pronouns(document: str, wrong: str) -> dict:
    """An item in ContraPro's form, of the second line of a document; the first is 0."""
    stated = {"src pronoun": "it", "ref pronoun": "il", "ante distance": 1, "src segment": "b", "ref segment": "right"}
    return {"document id": document, "segment id": 1, "errors": [{"contrastive": wrong}], **stated}


def _contrastive_lines(reader: Any, languages: tuple[str, str], expected: Counts) -> Texts:
    texts: Texts = {}
    for name, path in reader.sets.items():
        prefix, context = path.removesuffix(".current.trg"), "a\n" * 2 * reader.context_sentences
        texts |= {f"{prefix}.current.src": "b\nb\n", path: "right\nwrong\n"}
        texts |= {f"{prefix}.c{reader.context_sentences}.context.{side}": context for side in ("src", "trg")}
        texts |= {reader.details[name]: json.dumps([_pronouns("2000_1_2", "wrong")])} if name in reader.details else {}
        expected[f"{name}/it:il" if name in reader.details else name]["instances"] += 1
    return texts


def _contrapro(reader: Any, languages: tuple[str, str], expected: Counts) -> Texts:
    item = _pronouns(f"2000_1_2.{languages[1]}", "wrong")
    document = {"document": "2000_1_2", "year": "2000"}
    texts: Texts = {reader.documents.format(**document, language=language): "a\nb\n" for language in languages}
    for name, path in reader.sets.items():
        texts[path] = json.dumps([{**item, "segment id": item["segment id"] + reader.first_segment}])
        expected[f"{name}/it:il"]["instances"] += 1
    return texts


MAKERS = {
    "iwslt_tags": _tags,
    "iwslt_xml": _xml,
    "lines": _lines,
    "eos": _eos,
    "files": _files,
    "nist_sgm": _sgm,
    "table": _table,
    "sacrebleu": _wmt,
    "voita": _voita,
    "discevalmt": _discevalmt,
    "contrastive_lines": _contrastive_lines,
    "contrapro": _contrapro,
}
"""By `reader.kind`: the kinds of the catalogue that read files, but for `verses`, whose archive the mirror has."""


def has_maker(corpus: CorpusConfig) -> bool:
    readers: list[FileReaderConfig] = [reader for _, reader in corpus.reader.readers_of_files()]
    return bool(readers) and all(reader.kind in MAKERS for reader in readers)
