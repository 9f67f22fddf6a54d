"""Corpus files that `docmt add-corpus` writes: what they say, and that stage 1 reads what they name."""

import json
from pathlib import Path

import pytest
import yaml
from helpers.hub_dataset import COMMIT, HUB, hub_addresses, parquet_bytes
from helpers.public_hosts import public_hosts
from helpers.reader_files import tar_bytes, write_files
from helpers.support import ROOT

from docmt.base.errors import UserError
from docmt.base.schemas import CORPUS, FOLDER
from docmt.catalogue.corpus import load_corpus
from docmt.catalogue.missing import local_path
from docmt.corpus.inputs import Problems
from docmt.corpus.opening import open_corpus
from docmt.drafts import hub, opus, sacrebleu, statmt
from docmt.drafts.address import parse_address, parse_pair
from docmt.drafts.corpus_file import CorpusDraft, write_corpus_file
from docmt.drafts.draft import Draft, index_rows
from docmt.drafts.hub import Columns
from docmt.fetching.transfer import Network


def drafted(text: str, network: Network | None = None, **more) -> Draft:
    address = parse_address(text)
    if address.place == "hub":
        return hub.draft(address, network, **more)
    return {"opus": opus, "statmt": statmt, "sacrebleu": sacrebleu}[address.place].draft(address)


def written(tmp_path: Path, main: Draft, name: str | None = None, **others: list[Draft]) -> dict:
    path = write_corpus_file(CorpusDraft(main, others, "docmt add-corpus ..."), tmp_path / "corpora", name)
    load_corpus(path)
    line = path.read_text(encoding="utf-8").splitlines()[0]
    assert (path.parent / line.split("$schema=")[1]).resolve() == ROOT / FOLDER / CORPUS
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def refusal(text: str, *arguments) -> str:
    with pytest.raises(UserError) as problem:
        drafted(text, *arguments)
    return str(problem.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("News/v1/en-de", "News/v1/en-de: unknown place of corpora\n  found News/v1/en-de\n  valid: hub, opus"),
        ("opus:News", "opus:News: not the address of a corpus\n  expected opus:CORPUS/VERSION/SOURCE-TARGET"),
        ("opus:News//en-de", "opus:News//en-de: not the address of a corpus"),
        ("opus:News/v1/en-de@2", "opus:News/v1/en-de@2: not the address of a corpus"),
        ("opus:News/v1/ende", "opus:News/v1/ende: not a pair of languages\n  found ende; expected two codes of"),
        ("opus:News/v1/zh_cn-zh_tw", "opus:News/v1/zh_cn-zh_tw: the two languages of a pair are the same"),
        ("opus:TED2013/v1.1/de-en", "opus:TED2013/v1.1/de-en: OPUS has no boundaries of documents in this corpus"),
        ("statmt:news/v1/en-de", "statmt:news/v1/en-de: unknown corpus of statmt.org\n  found news\n  valid: europarl"),
        ("sacrebleu:wmt99/en-de", "unknown test set of sacreBLEU with documents\n  found wmt99"),
        ("sacrebleu:wmt23/de-fr", "unknown pair of wmt23\n  found de-fr"),
        ("hub:talks", "hub:talks: not the address of a corpus\n  expected hub:OWNER/NAME[/CONFIGURATION][@REVISION]"),
    ],
)
def test_what_is_no_address(text, message):
    assert refusal(text).startswith(message)


def test_codes_of_places_become_languages():
    pair = parse_pair("en-zh_cn", "here")
    assert pair.languages == ("en", "zh") and pair.sorted == "en-zh_cn"
    assert [pair.column(code) for code in ("en", "zh_cn")] == [1, 2]


def test_a_corpus_of_opus_says_what_opus_counts(tmp_path):
    value = written(tmp_path, drafted("opus:News-Commentary/v16/zh-en"))
    assert value["corpus"] == "news-commentary-v16_zh-en"
    assert "125,996 sentence pairs" in value["about"] and "211,871 pairs: the zip is filtered" in value["about"]
    assert value["reader"]["splits"]["train"]["source"] == "News-Commentary.en-zh.zh"
    assert value["reader"]["held_out"] == {split: {"every": 100, "at_most": 50} for split in ("dev", "test")}
    assert value["published"][0]["counts"] == {"train": {"sentences": 125996}}
    assert value["train_parts"] == [{"documents": 9768, "sentences": 125996}]
    few = written(tmp_path, drafted("opus:Books/v1/en-fr"))
    assert few["reader"]["held_out"]["dev"]["every"] == 5
    assert few["files"][0]["sha256"].startswith("3b9eade0") and few["files"][0]["size"] == 12009501


def test_the_index_of_opus_has_what_drafts_need():
    for row in index_rows(opus.INDEX):
        assert int(row["pairs"]) > 0 and int(row["xml_documents"]) > 0 and len(row["sha256"]) in (0, 64)


def test_every_draft_of_statmt_names_its_columns(tmp_path):
    value = written(tmp_path, drafted("statmt:news-commentary/v18.1/zh-en"))
    assert (value["reader"]["source"], value["reader"]["target"]) == (2, 1)
    url = "https://data.statmt.org/news-commentary/v18.1/training/news-commentary-v18.en-zh.tsv.gz"
    assert value["files"][0]["sources"][0]["url"] == url
    assert written(tmp_path, drafted("statmt:europarl/v10/de-en"))["reader"]["document"] == 3


def test_other_addresses_become_dev_and_test(tmp_path, monkeypatch):
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "cache"))
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
        CorpusDraft(test, {"dev": [drafted("opus:TED2020/v1/de-en")]}).value("mine")


def test_a_test_set_alone_says_that_nothing_can_be_trained(tmp_path):
    draft = CorpusDraft(drafted("sacrebleu:wmt20/tworefs/zh-en"))
    assert draft.notes == ["the corpus has test alone: name it as --dev or --test of a corpus with training text"]
    assert "held_out" not in draft.value("mine")["reader"]


def test_archives_of_sacrebleu_are_found_in_its_own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    write_files(tmp_path, {"wmt20/raw/wmt20.test.tgz": tar_bytes({"a": "b"})})
    file = written(tmp_path, drafted("sacrebleu:wmt20/zh-en"))["files"][0]
    assert file["sources"][0] == str(tmp_path / "wmt20/raw/wmt20.test.tgz")
    monkeypatch.setenv("HOME", str(tmp_path))
    again = written(tmp_path / "again", drafted("sacrebleu:wmt20/zh-en"))["files"][0]["sources"][0]
    assert again == "~/wmt20/raw/wmt20.test.tgz" and local_path(again).is_file()
    assert file["sources"][1]["url"].startswith("https://data.statmt.org/wmt20/") and len(file["md5"]) == 32


def test_a_file_that_is_there_is_not_replaced(tmp_path):
    main = drafted("opus:Books/v1/en-fr")
    written(tmp_path, main)
    with pytest.raises(UserError, match=r"books-v1_en-fr\.yaml: a corpus of this name exists"):
        written(tmp_path, main)
    with pytest.raises(UserError, match="not a name of a corpus"):
        written(tmp_path, main, name="a/b")


CARD = {
    "license": "cc-by-4.0",
    "configs": [
        {
            "config_name": "de-en",
            "data_files": [
                {"split": "train", "path": "de-en/train-*"},
                {"split": "validation", "path": ["de-en/validation-*"]},
            ],
        },
        {"config_name": "fr-en", "data_files": [{"split": "train", "path": "fr-en/train-*"}]},
    ],
    "dataset_info": [
        {
            "config_name": "de-en",
            "features": [
                {"name": "doc_id", "dtype": "string"},
                {"name": "translation", "dtype": {"translation": {"languages": ["de", "en"]}}},
            ],
            "splits": [{"name": "train", "num_examples": 3}],
        }
    ],
}


def talks(*rows: tuple[str, str, str]) -> bytes:
    return parquet_bytes(
        [{"doc_id": name, "translation": {"de": source, "en": target}} for name, source, target in rows]
    )


TALKS = {
    "de-en/train-00000-of-00002.parquet": talks(("a", "eins", "one"), ("b", "zwei", "two")),
    "de-en/train-00001-of-00002.parquet": talks(("b", "drei", "three")),
    "de-en/validation-00000-of-00001.parquet": talks(("c", "vier", "four")),
    "fr-en/train-00000-of-00001.parquet": b"",
    "README.md": b"text",
}


@pytest.fixture
def hub_network():
    with public_hosts(hub_addresses("me/Talks", TALKS, CARD)) as hosts:
        yield Network(hosts.stand_ins(), 5)


def test_a_data_set_of_the_hub(tmp_path, hub_network):
    """The commit is fixed, and checksums are those of the Hub's listing: SHA-256 of large files, Git ids of others."""
    value = written(tmp_path, drafted("hub:me/Talks/de-en", hub_network))
    assert value["corpus"] == "talks_de-en" and value["licence"] == "cc-by-4.0"
    assert value["passing_on"] == "everything"
    assert {"table": value["reader"]["source"]} == {"table": "translation.de"}
    assert value["reader"]["document"] == "doc_id"
    train = [f"me.Talks.de-en.train-0000{number}-of-00002.parquet" for number in (0, 1)]
    assert value["reader"]["splits"] == {"train": train, "dev": "me.Talks.de-en.validation-00000-of-00001.parquet"}
    assert list(value["reader"]["held_out"]) == ["test"]
    assert (
        value["files"][0]["sources"][0]["url"]
        == f"{HUB}/datasets/me/Talks/resolve/{COMMIT}/de-en/train-00000-of-00002.parquet"
    )
    assert [next(kind for kind in ("sha256", "git_blob") if kind in file) for file in value["files"]] == [
        "sha256",
        "git_blob",
        "sha256",
    ]
    assert value["published"][0]["counts"]["train"] == {"sentences": 3}
    for name, content in zip([*train, value["reader"]["splits"]["dev"]], list(TALKS.values())[:3], strict=True):
        write_files(tmp_path, {name: content})
    corpus = load_corpus(tmp_path / "corpora/talks_de-en.yaml")
    with open_corpus(corpus.reader, tmp_path, corpus.languages, "talks", Problems()) as contents:
        names = [(document.split, document.name, len(document.source.sentences)) for document in contents.documents]
    assert names == [("train", "a", 1), ("train", "b", 2), ("dev", "c", 1)]


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        ("hub:me/Talks", {}, "hub:me/Talks: the data set has several configurations\n  expected one of its config"),
        ("hub:me/Talks/it-en", {}, "hub:me/Talks/it-en: unknown configuration\n  found it-en"),
        (
            "hub:me/Talks/fr-en",
            {"columns": Columns(document="none")},
            "hub:me/Talks/fr-en: the card of the data",
        ),
        ("hub:me/Other", {}, f"{HUB}/api/datasets/me/Other/revision/main: the Hub does not answer\n  found HTTP 404"),
    ],
)
def test_what_the_card_does_not_tell(hub_network, text, more, message):
    with pytest.raises(UserError) as problem:
        drafted(text, hub_network, **more)
    assert str(problem.value).startswith(message)


def test_columns_and_languages_that_a_person_states(tmp_path):
    """A data set with nothing in its card."""
    files = {"train.parquet": b"x", "data/test-00000-of-00001.parquet": b"y"}
    with public_hosts(hub_addresses("me/bare", files, {}, "v2")) as hosts:
        network = Network(hosts.stand_ins(), 5)
        assert refusal_of("hub:me/bare@v2", network).startswith("hub:me/bare@v2: the data set does not state its lang")
        pair = parse_pair("en-de", "--pair")
        message = refusal_of("hub:me/bare@v2", network, pair=pair)
        assert "expected --source-column, --target-column, --document-column" in message
        stated = Columns("src", "tgt", "none")
        reader = written(tmp_path, drafted("hub:me/bare@v2", network, pair=pair, columns=stated))["reader"]
    assert (reader["source"], reader["target"], reader["document"]) == ("src", "tgt", None)
    assert reader["splits"] == {"train": "me.bare.train.parquet", "test": "me.bare.data.test-00000-of-00001.parquet"}


def refusal_of(text: str, network: Network, **more) -> str:
    with pytest.raises(UserError) as problem:
        drafted(text, network, **more)
    return str(problem.value)


def test_a_data_set_without_tables():
    with public_hosts(hub_addresses("me/json", {"train.json": b"x"}, {})) as hosts:
        message = refusal_of("hub:me/json", Network(hosts.stand_ins(), 5))
    assert message.startswith("hub:me/json: the data set has no tables that docmt reads\n  found train.json")


def test_an_answer_that_is_none_of_the_hub():
    address = f"{HUB}/api/datasets/me/x/revision/main?blobs=true"
    with public_hosts({address: json.dumps({"id": "me/x"}).encode()}) as hosts:
        message = refusal_of("hub:me/x", Network(hosts.stand_ins(), 5))
    assert message.startswith("me/x: not the facts of a data set of the Hub")
