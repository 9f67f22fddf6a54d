"""The settings of translations that come from a file."""

import pytest

from docmt.base.checks import BadValue
from docmt.settings.external import FileTranslations, files_at


def test_a_path_may_have_the_corpus_and_the_seed_in_it():
    source = FileTranslations("theirs/{corpus}.{seed}.txt")
    assert source.path_of("ted_zh-en", 3) == "theirs/ted_zh-en.3.txt"
    assert (source.has_seeds, source.has_corpora) == (True, True)
    plain = FileTranslations("theirs.txt")
    assert plain.path_of("ted_zh-en", 3) == "theirs.txt"
    assert (plain.has_seeds, plain.has_corpora) == (False, False)


@pytest.mark.parametrize("path", ["", " ", "a\nb"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(BadValue, match="path: found"):
        FileTranslations(path)


def test_the_files_of_a_folder_are_named_and_hidden_ones_left_out(tmp_path):
    for name in ("b.txt", "a.txt", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    assert list(files_at(tmp_path)) == ["translations/a.txt", "translations/b.txt"]
    assert files_at(tmp_path / "a.txt") == {"translations": tmp_path / "a.txt"}
