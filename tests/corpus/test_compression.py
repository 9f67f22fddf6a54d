"""Every form, compressed in every way, whatever the names of its files are; and read in the same order each time.

Where a library outside of docmt reads a form too, it finds the same pairs.
"""

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from helpers import read_forms
from helpers.independent_readers import READERS
from helpers.read_forms import CASES, SMALL, corpus_of
from helpers.reader_files import refusal, tar_bytes, write_files
from helpers.support import ROOT

from docmt.base.errors import UserError
from docmt.corpus.compression import ENDINGS, ZstdFile, compressed, open_bytes
from docmt.corpus.fixtures import make_fixture
from docmt.corpus.inputs import Problems
from docmt.corpus.opening import open_corpus
from docmt.corpus.unpack import unpack

ARCHIVE = "all.tar"


def recompressed(name: str, content: bytes, ending: str) -> bytes:
    """The content of a file in another compression, under the same name; a zip stays as it is."""
    if name.endswith(".zip"):
        return content
    plain = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    return compressed(plain, ending) if ending else plain


@pytest.mark.parametrize("ending", ["", *ENDINGS])
@pytest.mark.parametrize("name", CASES)
def test_every_form_in_every_compression_known_by_its_bytes(tmp_path, name, ending):
    corpus = corpus_of(name, ARCHIVE)
    fixture = make_fixture(corpus, SMALL)
    with tarfile.open(fileobj=io.BytesIO(fixture.files[ARCHIVE])) as tar:
        files = {member.name: tar.extractfile(member).read() for member in tar}
    plain = files
    # The files of a saved data set are never compressed.
    if name != "saved data set":
        plain = {path: recompressed(path, text, "") for path, text in files.items()}
        files = {path: recompressed(path, text, ending) for path, text in files.items()}
    write_files(tmp_path, {ARCHIVE: recompressed(ARCHIVE, tar_bytes(files, "w"), ending)})
    with open_corpus(corpus.reader, tmp_path, corpus.languages, name, Problems()) as opened:
        documents = [(d.split, list(zip(*(s.sentences for s in d.sides), strict=True))) for d in opened.documents]
        items = [(item.set, item.source, item.variants) for item in opened.items]
    assert documents == fixture.documents
    assert items == [(item.set, item.source, item.variants) for item in fixture.items]
    assert documents or items
    if name in READERS:
        assert [row[:2] for _, rows in documents for row in rows] == READERS[name](plain)


def test_every_form_is_the_same_whatever_the_seed_of_hashes_is():
    """Libraries keep translators, splits and names in sets, whose order changes from process to process."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    words = [sys.executable, read_forms.__file__]
    processes = [
        subprocess.Popen(
            words, env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": str(seed)}, stdout=subprocess.PIPE
        )
        for seed in range(5)
    ]
    first, *others = [json.loads(process.communicate()[0]) for process in processes]
    assert first.keys() == CASES.keys() and others == [first] * 4


TEXT = b"".join(b"%d\n" % number for number in range(300_000))


@pytest.mark.parametrize("ending", ENDINGS)
def test_files_of_several_parts_and_truncated_ones(inputs, ending):
    """Tools write several frames or streams into a file."""
    path = inputs.downloads / "text"
    text = TEXT[:50_000]
    path.write_bytes(compressed(text, ending) + compressed(b"end\n", ending))
    with open_bytes(path) as stream:
        assert stream.read() == text + b"end\n"
    path.write_bytes(compressed(text, ending)[:-20])
    reader = {"kind": "lines", "splits": {"train": {"source": "text", "target": "text"}}, "documents": None}
    assert refusal(inputs, reader).startswith("text: compressed file is damaged or truncated\n  found ")


def test_places_of_a_zstandard_file(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(compressed(TEXT, ".zst"))
    with ZstdFile(path) as stream:
        for place in (100, 7, 1_000_000, 999_000):
            assert stream.seek(place) == stream.tell() == place and stream.read(10) == TEXT[place : place + 10]


@pytest.mark.parametrize("ending", ENDINGS)
def test_archives_are_known_by_their_bytes(tmp_path, ending):
    """Also links in a compressed tar, and a single file under any name."""
    link = tarfile.TarInfo("b")
    link.type, link.linkname = tarfile.SYMTYPE, "a"
    with tarfile.open(tmp_path / "plain", "w") as tar:
        member = tarfile.TarInfo("a")
        member.size = len(TEXT)
        tar.addfile(member, io.BytesIO(TEXT))
        tar.addfile(link)
    (tmp_path / "download").write_bytes(compressed((tmp_path / "plain").read_bytes(), ending))
    unpack(tmp_path / "download", tmp_path / "out")
    assert [(tmp_path / "out" / name).read_bytes() == TEXT for name in "ab"] == [True, True]
    (tmp_path / "text.zh").write_bytes(compressed(TEXT, ending))
    unpack(tmp_path / "text.zh", tmp_path / "single")
    assert (tmp_path / "single/text.zh").read_bytes() == TEXT


def test_a_truncated_tar_is_refused(tmp_path):
    archive: Path = tmp_path / "a.tar.zst"
    archive.write_bytes(compressed(tar_bytes({"a": os.urandom(100_000)}, "w"), ".zst")[:50_000])
    with pytest.raises(UserError, match=r"a\.tar\.zst: archive is damaged or truncated"):
        unpack(archive, tmp_path / "out")
    assert not (tmp_path / "out").exists()
