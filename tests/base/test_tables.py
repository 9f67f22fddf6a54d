"""Tables with a manifest: a reader checks every byte, and the form of what it reads."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.damage import refused_changes
from helpers.sealed import check_reader, rewrite, write_manifest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST
from docmt.base.tables import (
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


def write_listed(path: Path, *tables: pa.Table) -> None:
    """Write a file, each table as a part, and a manifest that lists the file."""
    with WRITERS[path.suffix](path, SCHEMA) as writer:
        for part in tables:
            writer.write_table(part)
    write_manifest(path.parent, path.name)


@pytest.fixture(params=WRITERS)
def path(request, tmp_path) -> Path:
    return tmp_path / f"tokens{request.param}"


def readers(path: Path) -> list[Callable[[], pa.Table]]:
    """Of the whole table, and of a column of a split."""
    read, column = READERS[path.suffix], pa.schema([SCHEMA.field("ids")])
    return [lambda: read(path, SCHEMA), lambda: read(path, column, "test")]


def test_each_changed_byte_is_refused(path):
    write_listed(path, pa.Table.from_pylist(ROWS["test"][:1], SCHEMA))
    assert refused_changes(path, readers(path)[0]) == path.stat().st_size + 6
    check_reader(path, readers(path)[1])


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
