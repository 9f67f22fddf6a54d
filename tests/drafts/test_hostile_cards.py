"""Anybody can publish a data set: whatever its card and its listing say, a draft or one message comes out."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.drafts import hub
from docmt.drafts.address import parse_address
from docmt.drafts.corpus_file import CorpusDraft, write_corpus_file
from docmt.fetching.hub import HubDataset, HubFile

FILES = (HubFile("data/train-0.parquet", 9, "sha256", "a" * 64),)
CARD = {
    "license": "cc0-1.0",
    "configs": [{"config_name": "en-de", "data_files": [{"split": "train", "path": "data/*"}]}],
    "dataset_info": {
        "config_name": "en-de",
        "features": [
            {"name": "translation", "dtype": {"translation": {"languages": ["en", "de"]}}},
            {"name": "document_id", "dtype": "string"},
        ],
        "splits": [{"name": "train", "num_examples": 3}],
    },
}
WRONG = "the card of the data set has another form"
CARDS = {
    "no object": ([], WRONG),
    "a text as configurations": ({"configs": "x"}, WRONG),
    "numbers as configurations": ({"configs": [1, 2]}, WRONG),
    "a name that is a list": ({"configs": [{"config_name": []}]}, "no tables that docmt reads"),
    "patterns that are numbers": ({"configs": [{"config_name": "en-de", "data_files": [{"path": [1]}]}]}, WRONG),
    "features that are texts": ({"dataset_info": {"features": ["x"]}}, WRONG),
    "languages that are a number": (
        {"dataset_info": {"features": [{"dtype": {"translation": {"languages": 1}}}]}},
        WRONG,
    ),
    "splits that are texts": ({"dataset_info": {**CARD["dataset_info"], "splits": ["x"]}}, WRONG),
    "infos that are texts": ({"dataset_info": ["x"]}, WRONG),
}
PATHS = (
    "../../../.bashrc.parquet",
    "data/train-\x1b[2J.parquet",
    "data/train-{a}.parquet",
    "/train.parquet",
    "train" * 99,
)


def drafted(monkeypatch, card, files=FILES):
    data = HubDataset("owner/talks", "0" * 40, card, files)
    monkeypatch.setattr(hub, "read_dataset", lambda *_: data)
    return hub.draft(parse_address("hub:owner/talks"), None)


def test_the_card_is_right_where_nothing_is_changed(monkeypatch):
    assert drafted(monkeypatch, CARD).sentences == 3


@pytest.mark.parametrize("case", CARDS)
def test_a_card_of_another_form_is_one_message(monkeypatch, case):
    change, message = CARDS[case]
    with pytest.raises(UserError, match=message):
        drafted(monkeypatch, {**CARD, **change} if isinstance(change, dict) else change)


@pytest.mark.parametrize("path", PATHS)
def test_a_path_of_a_listing_becomes_the_name_of_a_file_or_none(monkeypatch, tmp_path: Path, path):
    file = HubFile(path if path.endswith(".parquet") else f"{path}.parquet", 9, "sha256", "a" * 64)
    card = {**CARD, "configs": [{"config_name": "en-de", "data_files": [{"split": "train", "path": "*"}]}]}
    try:
        draft = drafted(monkeypatch, card, (file,))
        written = write_corpus_file(CorpusDraft(draft, {}, "docmt add-corpus"), tmp_path / "corpora", None)
    except UserError as problem:
        assert "Traceback" not in str(problem)
        assert not [*tmp_path.rglob("*.yaml")]
    else:
        assert [*tmp_path.rglob("*")] == [tmp_path / "corpora", written]
        assert all("/" not in file["name"] for file in draft.files)


KEYS = st.sampled_from([*CARD, "name", "split"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=9,
)


@settings(max_examples=100, deadline=None)
@given(key=st.sampled_from([*CARD]), value=VALUES)
def test_any_value_in_a_card_is_a_draft_or_one_message(key, value):
    with pytest.MonkeyPatch.context() as monkeypatch:
        try:
            drafted(monkeypatch, {**CARD, key: value})
        except UserError as problem:
            assert str(problem)
