"""Folders that stand for an archive."""

import hashlib
import io
import os
import tarfile

import pytest
from helpers.reader_files import write_files

from docmt.base.errors import UserError
from docmt.catalogue.checksums import checksum
from docmt.catalogue.files import FileConfig, SourceConfig
from docmt.catalogue.folders import files_below, tar_chunks, version_of
from docmt.catalogue.missing import file_of_user

FILES = {"b/2.de": "zwei\n", "a/1.de": "eins\n", "1.en": "one\n", "empty": "", "long.en": "x" * 1025}


def test_the_tar_has_the_files_and_is_always_the_same(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    write_files(first, FILES)
    write_files(second, dict(reversed(FILES.items())))
    os.utime(second / "1.en", (1, 1))
    content = b"".join(tar_chunks(first))
    assert content == b"".join(tar_chunks(second))
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        members = {member.name: tar.extractfile(member).read().decode() for member in tar}
    assert members == FILES and list(members) == sorted(FILES)
    assert checksum(first, "sha256") == hashlib.sha256(content).hexdigest()
    git = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    assert checksum(first, "git_blob") == git


@pytest.mark.parametrize("change", ["other", "new", "gone"])
def test_a_change_is_seen(tmp_path, change):
    write_files(tmp_path, FILES)
    before = version_of(tmp_path), checksum(tmp_path, "sha256")
    if change == "gone":
        (tmp_path / "1.en").unlink()
    else:
        write_files(tmp_path, {"1.en": "two\n"} if change == "other" else {"c/3.de": "drei\n"})
    assert version_of(tmp_path) != before[0] and checksum(tmp_path, "sha256") != before[1]


def test_a_folder_needs_files_and_a_name_of_an_archive(tmp_path):
    (tmp_path / "talks").mkdir()
    with pytest.raises(UserError, match="talks: the folder has no files"):
        files_below(tmp_path / "talks")
    source = (SourceConfig(url="talks"),)
    assert file_of_user(FileConfig(name="a.tar", sources=source), None, "mine", tmp_path) == tmp_path / "talks"
    with pytest.raises(UserError) as problem:
        file_of_user(FileConfig(name="a.de", sources=source), None, "mine", tmp_path)
    assert str(problem.value).startswith("mine files: a folder is stored as an archive of its files\n  found a.de")
