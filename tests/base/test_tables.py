"""Tables with a manifest: a reader checks what it reads, and nothing else."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.damage import refused_changes
from helpers.sealed import rewrite, write_manifest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.artifacts import copy_files, recorded, write_json
from docmt.base.digests import FileDigest
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST, Manifest
from docmt.base.tables import (
    ArrowFile,
    arrow_writer,
    parquet_writer,
    read_arrow,
    read_parquet,
    write_arrow,
    write_if_any,
    write_parquet,
)

SCHEMA = pa.schema([("split", pa.string()), ("words", pa.list_(pa.string())), ("ids", pa.list_(pa.int32()))])
SPLITS = ("train", "dev", "test")
ROWS = {split: [{"split": split, "words": [split, None], "ids": [n, n + 1]} for n in (7, 9)] for split in SPLITS}
WRITERS = {".arrow": arrow_writer, ".parquet": parquet_writer}
READERS = {".arrow": read_arrow, ".parquet": read_parquet}


def table(*splits: str) -> pa.Table:
    return pa.Table.from_pylist([row for split in splits for row in ROWS[split]], SCHEMA)


def write_listed(path: Path, *tables: pa.Table, parts: bool = True) -> FileDigest:
    """Write a file, each table as a part, and a manifest that lists the file."""
    with recorded(path.parent) as recorder, WRITERS[path.suffix](path, SCHEMA) as writer:
        for part in tables:
            writer.write_table(part)
    digest = recorder.files[path] if parts else FileDigest.of(path)
    write_json(path.with_name(MANIFEST), Manifest("1" * 64, "tokens", files={path.name: digest}).to_json())
    return digest


@pytest.fixture(params=WRITERS)
def path(request, tmp_path) -> Path:
    return tmp_path / f"tokens{request.param}"


def readers(path: Path) -> list[Callable[[], pa.Table]]:
    """Of the whole table, and of a column of a split."""
    read, column = READERS[path.suffix], pa.schema([SCHEMA.field("ids")])
    return [lambda: read(path, SCHEMA), lambda: read(path, column, "test")]


def test_each_changed_byte_is_refused_or_changes_no_value(path):
    """Bytes between the buffers of an Arrow file have no meaning, and no other splits and columns are read."""
    small = [pa.Table.from_pylist(ROWS[split][:1], SCHEMA) for split in ("train", "test")]
    write_listed(path, *small)
    for read in readers(path):
        assert refused_changes(path, read) > 0


def test_each_changed_byte_of_a_table_without_parts_is_refused(path):
    write_listed(path, pa.Table.from_pylist(ROWS["test"][:1], SCHEMA), parts=False)
    assert refused_changes(path, readers(path)[0]) == path.stat().st_size + 6


@pytest.mark.parametrize("split", SPLITS)
def test_a_reader_of_a_split_notices_damage_in_its_parts_alone(path, split):
    digest, read = write_listed(path, *map(table, SPLITS)), READERS[path.suffix]
    content = path.read_bytes()
    for part in digest.parts:
        damaged = bytearray(content)
        damaged[part.start : part.start + part.bytes] = bytes(part.bytes)
        rewrite(path, bytes(damaged))
        if split in part.splits:
            with pytest.raises(UserError, match="the file differs from its manifest"):
                read(path, SCHEMA, split)
        else:
            assert read(path, SCHEMA, split) == table(split)
        with pytest.raises(UserError, match="the file differs from its manifest"):
            read(path, SCHEMA)


@given(st.lists(st.lists(st.sampled_from(SPLITS), max_size=3), max_size=4), st.sampled_from(SPLITS))
def test_the_rows_of_a_split_are_the_same_whatever_the_parts(tmp_path_factory, parts, split):
    """With a manifest and without."""
    tables = [table(*splits) for splits in parts]
    expected = [row for part in tables for row in part.to_pylist() if row["split"] == split]
    for suffix, read in READERS.items():
        path = tmp_path_factory.mktemp("parts") / f"tokens{suffix}"
        write_listed(path, *tables)
        assert read(path, SCHEMA, split).to_pylist() == expected
        assert read(path, SCHEMA) == pa.concat_tables([SCHEMA.empty_table(), *tables])
        path.with_name(MANIFEST).unlink()
        assert read(path, SCHEMA, split).to_pylist() == expected


def test_a_reader_of_columns_checks_these_alone(tmp_path):
    path = tmp_path / "tokens.arrow"
    write_listed(path, table("train"))
    content = path.read_bytes()
    place = content.index(b"traintrain")
    rewrite(path, content[:place] + b"tralntrain" + content[place + 10 :])
    ids = pa.schema([SCHEMA.field("ids")])
    assert read_arrow(path, ids) == table("train").select(["ids"])
    for names in (["split"], ["split", "ids"]):
        with pytest.raises(UserError, match=r"tokens\.arrow: the file differs from its manifest"):
            read_arrow(path, pa.schema([SCHEMA.field(name) for name in names]))


def test_a_batch_is_checked_when_it_is_read(tmp_path):
    path = tmp_path / "tokens.arrow"
    digest = write_listed(path, table("train"), table("test"))
    content = bytearray(path.read_bytes())
    last = digest.parts[1]
    content[last.start : last.start + last.bytes] = b"\xff" * last.bytes
    rewrite(path, bytes(content))
    file = ArrowFile(path, SCHEMA)
    assert len(file) == 2
    assert file[0] == table("train")
    with pytest.raises(UserError, match=r"tokens\.arrow: the file differs from its manifest"):
        file[1]


def test_a_table_with_a_dictionary_is_checked_as_a_whole(tmp_path):
    """The words of the dictionary are outside the record batches."""
    schema = pa.schema([("word", pa.dictionary(pa.int32(), pa.string()))])
    rows = pa.table([pa.array(["haus", "buch", None, "haus"]).dictionary_encode()], schema)
    path = tmp_path / "lexicon.arrow"
    with recorded(tmp_path) as recorder:
        write_arrow(path, rows)
    write_json(tmp_path / MANIFEST, Manifest("1" * 64, "aligner", files={path.name: recorder.files[path]}).to_json())
    assert not recorder.files[path].parts
    assert read_arrow(path, schema) == rows
    rewrite(path, path.read_bytes().replace(b"hausbuch", b"mausbuch"))
    with pytest.raises(UserError, match=r"lexicon\.arrow: the file differs from its manifest"):
        read_arrow(path, schema)


def test_rows_of_several_row_groups_are_a_part(tmp_path, monkeypatch):
    """A long table is written as more than one row group."""
    path = tmp_path / "documents.parquet"
    with recorded(tmp_path) as recorder, parquet_writer(path, SCHEMA) as writer:
        plain = writer._writer.write_table
        monkeypatch.setattr(writer._writer, "write_table", lambda rows: plain(rows, row_group_size=1))
        for split in SPLITS:
            writer.write_table(table(split))
    assert len(recorder.files[path].parts) == len(SPLITS)
    write_json(tmp_path / MANIFEST, Manifest("1" * 64, "corpus", files={path.name: recorder.files[path]}).to_json())
    for split in SPLITS:
        assert read_parquet(path, SCHEMA, split) == table(split)
    assert read_parquet(path, SCHEMA) == table(*SPLITS)


@pytest.mark.parametrize("is_listed", [False, True])
def test_a_table_is_validated_also_where_a_manifest_agrees_with_its_bytes(tmp_path, is_listed):
    path = tmp_path / "tokens.arrow"
    write_arrow(path, table("train"))
    content = path.read_bytes()
    place = content.index(b"train\0")
    rewrite(path, content[:place] + b"\xff" + content[place + 1 :])
    if is_listed:
        write_manifest(tmp_path, path.name)
    with pytest.raises(UserError, match=r"tokens\.arrow: damaged Arrow file"):
        read_arrow(path, SCHEMA)


def test_a_copy_is_read_like_the_file(path, tmp_path):
    """It has no parts, and all of its bytes are checked."""
    write_listed(path, table("train"), table("test"))
    with recorded(tmp_path / "copy") as recorder:
        copy_files(tmp_path, tmp_path / "copy")
    copied = tmp_path / "copy" / path.name
    digest = recorder.files[copied]
    assert not digest.parts
    write_json(copied.with_name(MANIFEST), Manifest("1" * 64, "tokens", files={path.name: digest}).to_json())
    assert READERS[path.suffix](copied, SCHEMA, "test") == table("test")


def test_a_table_that_is_no_longer_there_is_removed(tmp_path):
    for rows in (table("train"), None):
        write_if_any(tmp_path / "contrastive.arrow", rows)
        assert (tmp_path / "contrastive.arrow").exists() == (rows is not None)


def test_an_empty_table_is_read_again(path):
    write_listed(path, SCHEMA.empty_table())
    assert READERS[path.suffix](path, SCHEMA) == SCHEMA.empty_table()
    assert READERS[path.suffix](path, SCHEMA, "test") == SCHEMA.empty_table()
    write = {".arrow": write_arrow, ".parquet": write_parquet}[path.suffix]
    path.with_name(MANIFEST).unlink()
    write(path, SCHEMA.empty_table())
    assert READERS[path.suffix](path, SCHEMA) == SCHEMA.empty_table()
