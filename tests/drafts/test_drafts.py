"""Corpus files that `docmt add-corpus` writes: what they say, and that stage 1 reads what they name."""

import json
import lzma
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from helpers.support import ROOT

from docmt.base.errors import UserError
from docmt.base.schemas import CORPUS, FOLDER
from docmt.catalogue.corpus import load_corpus
from docmt.corpus.review import review_corpus
from docmt.drafts import files, opus, opus_xml, sacrebleu
from docmt.drafts.corpus_file import CorpusDraft, write_corpus_file
from docmt.drafts.draft import Draft, parse_address, parse_pair


def drafted(text: str) -> Draft:
    place, parts = parse_address(text)
    places = {"opus": opus, "opus_xml": opus_xml, "sacrebleu": sacrebleu, "file": files}
    return places[place].draft(text, parts)


def written(tmp_path: Path, main: Draft, name: str | None = None, **others: list[Draft]) -> dict:
    path = write_corpus_file(CorpusDraft(main, others, "docmt add-corpus ..."), tmp_path / "corpora", name)
    load_corpus(path)
    line = path.read_text(encoding="utf-8").splitlines()[0]
    assert (path.parent / line.split("$schema=")[1]).resolve() == ROOT / FOLDER / CORPUS
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "News/v1/en-de",
            "News/v1/en-de: unknown place of corpora\n  found News/v1/en-de\n  valid: file, opus, opus_xml, ",
        ),
        ("opus:News", "opus:News: not the address of a corpus\n  expected opus:CORPUS/VERSION/SOURCE-TARGET"),
        ("opus:News//en-de", "opus:News//en-de: not the address of a corpus"),
        ("opus:News/v1/ende", "opus:News/v1/ende: not a pair of languages\n  found ende; expected two codes of"),
        ("opus:News/v1/zh_cn-zh_tw", "opus:News/v1/zh_cn-zh_tw: the two languages of a pair are the same"),
        ("opus:TED2013/v1.1/de-en", "opus:TED2013/v1.1/de-en: OPUS has no boundaries of documents in this corpus"),
        ("sacrebleu:wmt99/en-de", "unknown test set of sacreBLEU with documents\n  found wmt99"),
        ("sacrebleu:wmt23/de-fr", "unknown pair of wmt23\n  found de-fr"),
    ],
)
def test_what_is_no_address(text, message):
    with pytest.raises(UserError) as problem:
        drafted(text)
    assert str(problem.value).startswith(message)


def test_codes_of_places_become_languages():
    pair = parse_pair("en-zh_cn", "here")
    assert pair.languages == ("en", "zh") and pair.sorted == "en-zh_cn"


def test_a_corpus_of_opus_says_what_opus_counts(tmp_path):
    value = written(tmp_path, drafted("opus:News-Commentary/v16/zh-en"))
    assert value["corpus"] == "news-commentary-v16_zh-en"
    assert "125,996 sentence pairs" in value["about"]
    assert value["reader"]["splits"]["train"]["source"] == "News-Commentary.en-zh.zh"
    assert value["reader"]["held_out"] == {split: {"every": 100, "at_most": 50} for split in ("dev", "test")}
    assert value["published"][0]["counts"] == {"train": {"sentences": 125996}}
    assert value["train_parts"] == [{"documents": 9768, "sentences": 125996}]
    few = written(tmp_path, drafted("opus:Books/v1/en-fr"))
    assert few["reader"]["held_out"]["dev"]["every"] == 5
    assert few["files"][0]["sha256"].startswith("3b9eade0") and few["files"][0]["size"] == 12009501


def test_the_index_of_opus_has_what_drafts_need():
    for row in opus.index().values():
        assert int(row["pairs"]) > 0 and int(row["xml_documents"]) > 0 and len(row["sha256"]) in (0, 64)


def test_other_addresses_become_dev_and_test():
    main, dev, test = (
        drafted(text) for text in ("opus:TED2020/v1/zh_cn-en", "sacrebleu:wmt22/zh-en", "sacrebleu:wmt23/zh-en")
    )
    draft = CorpusDraft(main, {"dev": [dev, drafted("sacrebleu:wmt19/zh-en")], "test": [test]})
    value = draft.value("mine")
    assert (value["source_language"], value["target_language"]) == ("zh", "en")
    kinds = [(part["kind"], list(part["splits"])) for part in value["reader"]["parts"]]
    assert kinds == [("opus", ["train"]), *[("sacrebleu", ["dev"])] * 2, ("sacrebleu", ["test"])]
    assert draft.notes == [] and len(value["files"]) == 4
    with pytest.raises(UserError, match=r"ted2020-v1: the languages differ"):
        CorpusDraft(main, {"dev": [drafted("opus:TED2020/v1/de-en")]}).value("mine")


def test_a_test_set_alone_is_no_corpus():
    with pytest.raises(UserError, match=r"wmt20-tworefs: a test set is no text for training"):
        CorpusDraft(drafted("sacrebleu:wmt20/tworefs/zh-en")).value("mine")


def test_an_archive_of_sacrebleu_has_its_address_and_checksum(tmp_path):
    main = drafted("opus:News-Commentary/v16/zh-en")
    file = written(tmp_path, main, test=[drafted("sacrebleu:wmt20/zh-en")])["files"][1]
    assert file["sources"][0]["url"].startswith("https://data.statmt.org/wmt20/") and len(file["md5"]) == 32


def test_a_file_that_is_there_is_not_replaced(tmp_path):
    main = drafted("opus:Books/v1/en-fr")
    written(tmp_path, main)
    with pytest.raises(UserError, match=r"books-v1_en-fr\.yaml: a corpus of this name exists"):
        written(tmp_path, main)
    with pytest.raises(UserError, match="not a name of a corpus"):
        written(tmp_path, main, name="a/b")


def test_xml_of_opus_has_its_alignments_and_documents(tmp_path):
    value = written(tmp_path, drafted("opus_xml:News-Commentary/v16/zh-en"))
    names = [f"opus.News-Commentary.v16.{end}" for end in ("en-zh.xml.gz", "zh.raw.zip", "en.raw.zip")]
    assert [file["name"] for file in value["files"]] == names
    assert value["files"][0]["sources"][0]["url"].endswith("/OPUS-News-Commentary/v16/xml/en-zh.xml.gz")
    assert value["reader"]["splits"]["train"]["source"] == f"{names[1]}/News-Commentary/raw"
    assert "211,871" not in value["about"] and value["published"][0]["counts"] == {"train": {"sentences": 211871}}


ROWS = [{"id": n, "translation": {"de": f"Satz {n}.", "en": f"Sentence {n}."}} for n in range(8)]
UNITS = "".join(
    f'<tu><prop type="x-document">{n // 2}</prop><tuv xml:lang="de"><seg>Satz {n}.</seg></tuv>'
    f'<tuv xml:lang="en"><seg>Sentence {n}.</seg></tuv></tu>\n'
    for n in range(8)
)
XML = "".join(
    f'<doc id="{n}"><src lang="de"><seg id="1">Satz {n}.</seg></src>'
    f'<ref lang="en" translator="A"><seg id="1">Sentence {n}.</seg></ref></doc>\n'
    for n in range(8)
)


def write_folder(folder: Path) -> None:
    folder.mkdir()
    table = pa.Table.from_pylist(
        [{**row, "translation": {k: [v] for k, v in row["translation"].items()}} for row in ROWS]
    )
    with pa.ipc.new_stream(folder / "data.arrow", table.schema) as writer:
        writer.write_table(table)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": "data.arrow"}]}))


@pytest.mark.parametrize(
    ("name", "content", "reader"),
    [
        ("m.tmx.xz", lzma.compress(f"<tmx><body>{UNITS}</body></tmx>".encode()), {"kind": "tmx"}),
        ("w.xml", f"<dataset>{XML}</dataset>".encode(), {"kind": "wmt_xml"}),
        (
            "t.tsv",
            b"document\tsource\ttarget\n" + b"".join(b"%d\tx%d\ty%d\n" % (n, n, n) for n in range(8)),
            {"kind": "table"},
        ),
        ("t.csv", b"document,de,en\n" + b"".join(b"%d,x%d,y%d\n" % (n, n, n) for n in range(8)), {"source": "de"}),
        (
            "t.json",
            json.dumps([{**row, "document": str(row["id"])} for row in ROWS]).encode(),
            {"kind": "table", "source": "translation.de", "target": "translation.en"},
        ),
        ("saved", None, {"format": "arrow", "document": None, "archive": "saved.tar"}),
    ],
)
def test_a_file_of_ones_own_is_read_as_its_draft_says(tmp_path, name, content, reader):
    path = tmp_path / name
    write_folder(path) if content is None else path.write_bytes(content)
    value = written(tmp_path, drafted(f"file:{path}/de-en"), "mine")
    assert value["reader"] | reader == value["reader"]
    review = review_corpus(tmp_path / "corpora/mine.yaml", None, None, 3)
    assert review.problems.problems == {}
    assert sum(counts["sentences"] for counts in review.counts.values()) == 8 and len(review.counts) == 3


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.doc", "", "a.doc: the name does not say the form of the file\n  expected one of .tsv, .csv, .json"),
        ("t.tsv", "a\tb\nc\td\n", "t.tsv: no columns of the usual names\n  expected source and target or de and en or"),
        ("b.tsv", None, "b.tsv: file not found"),
    ],
)
def test_a_file_that_is_none_of_a_corpus(tmp_path, monkeypatch, name, content, message):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path(name).write_text(content)
    with pytest.raises(UserError) as problem:
        drafted(f"file:{name}/de-en")
    assert str(problem.value).startswith(message)
