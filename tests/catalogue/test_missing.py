from pathlib import Path

import pytest
from helpers.catalogue_files import corpus_config

from docmt.base.errors import UserError
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.files import FileConfig, SourceConfig
from docmt.catalogue.forms import ReaderConfig
from docmt.catalogue.missing import Places, files_to_lock, missing_error, missing_files, wanted_files


def corpus(*files: FileConfig, name: str = "news") -> CorpusConfig:
    return corpus_config(ReaderConfig("toy"), name, files=files)


BROUGHT = FileConfig(name="train.zh", obtain="Ask the LDC.")
PUBLIC = FileConfig(name="train.en", sources=(SourceConfig(url="https://example.org/train.en"),))


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("text")
    return path


def names(places: Places, config: CorpusConfig) -> list[str]:
    return [file.name for file in missing_files(config, places)]


def test_only_files_that_are_nowhere_and_have_no_source_are_missing(tmp_path):
    places = Places(tmp_path / "results", str(tmp_path / "mirror"), {"news": str(tmp_path)})
    assert names(places, corpus(BROUGHT, PUBLIC)) == ["train.zh"]
    assert wanted_files(corpus(BROUGHT, PUBLIC), places) == [BROUGHT, PUBLIC]


@pytest.mark.parametrize(
    "place",
    [
        "results/1_corpus/news/downloads/train.zh",
        "mirror/train.zh",
        "local/train.zh",
        "local/LDC2002T01/data/train.zh",
    ],
)
def test_a_file_may_stand_in_many_places(tmp_path, place):
    (tmp_path / "local").mkdir()
    places = Places(tmp_path / "results", str(tmp_path / "mirror"), {"news": str(tmp_path / "local")})
    assert names(places, corpus(BROUGHT)) == ["train.zh"]
    put(tmp_path / place)
    assert names(places, corpus(BROUGHT)) == []


@pytest.mark.parametrize("form", ["path", "file"])
def test_a_mirror_is_a_folder_however_it_is_written(tmp_path, form):
    put(tmp_path / "my mirror/train.zh")
    mirror = tmp_path / "my mirror"
    places = Places(tmp_path / "results", str(mirror) if form == "path" else mirror.as_uri())
    assert places.find("news", FileConfig(name="train.zh")) == mirror / "train.zh"


def test_a_mirror_on_the_web_may_hold_anything(tmp_path):
    assert names(Places(tmp_path, "https://example.org/mirror"), corpus(BROUGHT)) == []


def test_a_local_folder_belongs_to_its_corpus(tmp_path):
    put(tmp_path / "local/train.zh")
    places = Places(tmp_path / "results", None, {"news": str(tmp_path / "local")})
    assert names(places, corpus(BROUGHT, name="other")) == ["train.zh"]


def test_what_is_nearest_is_taken(tmp_path):
    """The user's folder, then a download, then the mirror; in a folder its top before what is deeper."""
    places = Places(tmp_path / "results", str(tmp_path / "mirror"), {"news": str(tmp_path / "local")})
    order = ["mirror", "results/1_corpus/news/downloads", "local/deep", "local"]
    (tmp_path / "local").mkdir()
    for folder in order:
        path = put(tmp_path / folder / "train.zh")
        assert places.find("news", FileConfig(name="train.zh")) == path


def test_several_files_of_one_name_are_refused(tmp_path):
    first, second = (put(tmp_path / folder / "train.zh") for folder in ("a", "b"))
    with pytest.raises(UserError) as problem:
        missing_files(corpus(BROUGHT), Places(tmp_path / "results", None, {"news": str(tmp_path)}))
    assert str(problem.value) == (
        "config.yaml local.news: several files are named train.zh\n"
        f"  found \n    {first}\n    {second}\n"
        f"  put the right one at {tmp_path / 'train.zh'}"
    )


def test_a_local_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"config\.yaml local\.news: no such folder\n  found .*/gone"):
        missing_files(corpus(BROUGHT), Places(tmp_path, None, {"news": str(tmp_path / "gone")}))


def test_everything_that_is_missing_is_one_message():
    way = "From the LDC."
    files = {
        "toy": [],
        "news": [FileConfig(name="train.zh", obtain=way), FileConfig(name="train.en", obtain=way)],
        "ted": [FileConfig(name="ted.tgz", obtain="By hand.")],
    }
    text = str(missing_error(files, Places(Path("results"))))
    assert text.splitlines() == [
        "files are missing that docmt cannot download",
        "  found ",
        "    news, to be put into results/1_corpus/news/downloads/",
        "      train.zh, train.en",
        "        From the LDC.",
        "    ted, to be put into results/1_corpus/ted/downloads/",
        "      ted.tgz",
        "        By hand.",
        "  put each file into its folder above, or name folders that hold them by these names: `mirror: FOLDER`, or "
        "`local: {news: FOLDER}` (any layout). With `missing: skip`, `all` and studies go on without them.",
    ]


def test_a_long_way_to_obtain_a_file_is_wrapped():
    way = " ".join(["word"] * 60)
    lines = str(
        missing_error({"news": [FileConfig(name="train.zh", obtain=way)]}, Places(Path("results")))
    ).splitlines()
    told = [line for line in lines if "word" in line]
    assert len(told) == 3
    assert " ".join(" ".join(told).split()) == way


def test_checkpoints_are_listed_with_the_files():
    others = {"models/bert, a pretrained model": "Fetch it."}
    text = str(missing_error({"news": []}, Places(Path("results")), others))
    assert text.splitlines() == [
        "files are missing that docmt cannot download",
        "  found ",
        "    models/bert, a pretrained model",
        "        Fetch it.",
        "  With `missing: skip`, `all` and studies go on without them.",
    ]


def test_files_whose_digest_nobody_states_are_recorded(tmp_path):
    (tmp_path / "mine").mkdir()
    put(tmp_path / "mine/own.txt")
    files = [
        FileConfig(name=name, md5="0" * 32 if name == "known.txt" else None)
        for name in ("a.txt", "known.txt", "own.txt")
    ]
    places = Places(tmp_path / "results", None, {"news": str(tmp_path / "mine")})
    assert files_to_lock(corpus(*files), places) == ["a.txt"]
