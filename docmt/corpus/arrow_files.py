"""Arrow files, and the folders of them that Hugging Face datasets saves (`save_to_disk`)."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from docmt.base.artifacts import read_object
from docmt.base.errors import UserError
from docmt.base.foreign import need_file, reading
from docmt.base.untrusted import check_names
from docmt.corpus.inputs import ReaderInputs

STATE = "state.json"  # The file that names the data files of a folder, in order.
SPLITS = "dataset_dict.json"  # The file of a folder whose folders are splits.
FILE_MAGIC = b"ARROW1"  # The first bytes of Arrow's file format; its stream format has none.


def arrow_batches(inputs: ReaderInputs, path: str) -> Iterator[pa.RecordBatch]:
    """Yield the batches of an Arrow file, or of a folder that `save_to_disk` has written.

    Raises UserError for a file that is missing or is no Arrow, and for a folder that is no data set, has several
    splits, or selects some rows of its files.
    """
    place, name = inputs.plain_path(path), inputs.display_name(path)
    files = _data_files(place, name) if place.is_dir() else [place]
    for file in files:
        with reading(name if file == place else f"{name}/{file.name}", "not an Arrow file"):
            need_file(file)
            yield from _batches(file)


def _batches(file: Path) -> Iterator[pa.RecordBatch]:
    source = pa.memory_map(str(file))
    if source.read(len(FILE_MAGIC)) == FILE_MAGIC:
        reader = pa.ipc.open_file(source)
        yield from (reader.get_batch(number) for number in range(reader.num_record_batches))
    else:
        source.seek(0)
        yield from pa.ipc.open_stream(source)


def _data_files(folder: Path, name: str) -> Sequence[Path]:
    if (folder / SPLITS).is_file():
        remedy = f"name the folder of a split, {name}/train; a corpus file names all: `splits: {{train: {name}/train}}`"
        raise UserError("the data set has several splits, and one is needed", where=name, remedy=remedy)
    if not (folder / STATE).is_file():
        raise UserError("not a data set", where=name, expected=f"a folder with {STATE}, as `save_to_disk` writes it")
    state = read_object(folder / STATE, "_data_files")
    if state.get("_indices_data_files"):
        remedy = "save it again, after `flatten_indices()`"
        raise UserError("the data set selects some rows of its files", where=f"{name}/{STATE}", remedy=remedy)
    names = [entry["filename"] for entry in state["_data_files"]]
    check_names(names, f"{name}/{STATE}")
    return [folder / file for file in names]
