"""Outputs appear whole or not at all."""

import errno
from pathlib import Path

import pytest

from docmt.base.artifacts import atomic_file, atomic_folder, read_json, write_json
from docmt.base.digests import canonical_json, digest
from docmt.base.errors import UserError
from docmt.base.vocabulary import EOS, SPECIALS, UNK, Vocabulary


def test_a_failed_write_leaves_the_older_file_and_nothing_else(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("older")
    with pytest.raises(RuntimeError), atomic_file(file) as stream:
        stream.write("newer, half")
        raise RuntimeError
    assert file.read_text() == "older"
    assert list(tmp_path.iterdir()) == [file]


def test_a_failed_folder_leaves_the_older_one(tmp_path):
    folder = tmp_path / "model"
    with atomic_folder(folder) as beside:
        (beside / "a").write_text("older")
    with pytest.raises(RuntimeError), atomic_folder(folder) as beside:
        (beside / "a").write_text("newer")
        raise RuntimeError
    assert (folder / "a").read_text() == "older"
    assert list(tmp_path.iterdir()) == [folder]


def test_a_folder_is_replaced_whole(tmp_path):
    folder = tmp_path / "model"
    for name in ("a", "b"):
        with atomic_folder(folder) as beside:
            (beside / name).write_text(name)
    assert [path.name for path in folder.iterdir()] == ["b"]


def test_a_folder_that_cannot_take_its_place_leaves_the_older_one(tmp_path, monkeypatch):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "a").write_text("older")
    rename, whole = Path.replace, []

    def fail_once(self: Path, target: Path) -> Path:
        if target == folder and not whole:
            whole.append(folder.exists())
            raise OSError(errno.EIO, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", fail_once)
    with pytest.raises(OSError), atomic_folder(folder) as beside:
        (beside / "a").write_text("newer")
    assert (folder / "a").read_text() == "older"
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO])
@pytest.mark.parametrize("atomic", [atomic_file, atomic_folder])
def test_an_error_of_writing_names_what_was_to_be_written(tmp_path, atomic, number):
    with pytest.raises(OSError) as problem, atomic(tmp_path / "a"):
        raise OSError(number, "no")
    assert problem.value.filename == str(tmp_path / "a")
    assert not list(tmp_path.iterdir())


def test_clearing_up_hides_no_error(tmp_path, monkeypatch):
    def refuse(self: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(KeyError), atomic_file(tmp_path / "a"):
        raise KeyError


def test_canonical_text_does_not_depend_on_the_order_of_keys():
    assert (
        canonical_json({"b": 1, "a": [1, "中"]}) == '{"a":[1,"中"],"b":1}' == canonical_json({"a": [1, "中"], "b": 1})
    )
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1}) != digest({"a": 1, "b": 3})


def test_json_round_trip_and_errors(tmp_path):
    write_json(tmp_path / "a.json", {"x": "中"})
    assert read_json(tmp_path / "a.json") == {"x": "中"}
    (tmp_path / "b.json").write_text("{")
    with pytest.raises(UserError, match="not a JSON file"):
        read_json(tmp_path / "b.json")
    with pytest.raises(UserError, match="file not found"):
        read_json(tmp_path / "c.json")


def test_vocabulary_orders_by_count_then_text_and_keeps_specials_first(tmp_path):
    vocabulary = Vocabulary.from_counts({"b": 2, "a": 2, "c": 5, "rare": 1}, threshold=2)
    assert vocabulary.pieces == (*SPECIALS, "c", "a", "b")
    assert vocabulary.encode(["a", "</s>", "zzz"]) == [len(SPECIALS) + 1, EOS, UNK]
    assert vocabulary.decode(vocabulary.encode(["c", "b"])) == ["c", "b"]
    vocabulary.save(tmp_path / "v.txt")
    assert Vocabulary.load(tmp_path / "v.txt") == vocabulary


def test_a_foreign_vocabulary_is_refused(tmp_path):
    (tmp_path / "v.txt").write_text("the\nof\n")
    with pytest.raises(UserError, match="not a vocabulary of docmt"):
        Vocabulary.load(tmp_path / "v.txt")
    with pytest.raises(UserError, match="file not found"):
        Vocabulary.load(tmp_path / "none.txt")
