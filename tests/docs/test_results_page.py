"""The page of results says what the files of a finished demo have: columns, types, keys, writers and readers."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from generators.result_files import COLLECTED_TABLE, SEAL, Keys, Table
from generators.results import STAGES

from docmt.steps import all_steps

OF_SEAL = {file.name: file for file in SEAL}
GROUPED = re.compile(r"entropy\.[\w.]+")
"""Keys of metrics.jsonl that the page has as one pattern."""


@pytest.fixture(scope="module")
def results(finished_demo) -> Path:
    return finished_demo.root / "results"


def files_of(results: Path, stage, name: str) -> list[Path]:
    """The files of a name in all folders of a stage."""
    pattern = re.sub(r"\{\w+\}", "*", stage.folder.places)
    return [*(results / stage.folder.stage).glob(f"{pattern}/*/{name}")]


def schema_of(path: Path) -> pa.Schema:
    return pa.ipc.open_file(path).schema if path.suffix == ".arrow" else pq.read_schema(path)


DESCRIBED = [
    pytest.param(stage, file, name, id=f"{stage.title}: {name}")
    for stage in STAGES
    for file in stage.files
    for name in file.name.split(", ")
]
NOT_IN_THE_DEMO = {"context.arrow", "references.arrow", "contrastive.whole.arrow", "inside.arrow", "test.nbest.tsv"}
"""Files that only some studies have."""


@pytest.mark.parametrize(("stage", "file", "name"), DESCRIBED)
def test_the_files_of_the_demo_have_the_columns_and_keys_of_the_page(results, stage, file, name):
    if name.startswith("TABLE"):
        name = name.partition(" ")[0].replace("TABLE", "quality")
    paths = files_of(results, stage, name)
    assert paths or name in NOT_IN_THE_DEMO
    for path in paths:
        if isinstance(file, Table) and file.schema is not None:
            assert schema_of(path).equals(file.schema, check_metadata=False), path
        else:
            assert keys_of_file(path) <= described_keys(file, path), path
            assert isinstance(file, Table) or set(file.meanings) - file.optional <= keys_of_file(path), path


def keys_of_file(path: Path) -> set[str]:
    """The keys of a JSON object, of all lines of JSON, of all records or comparisons, or of the header of a table."""
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return {key for row in rows for key in row if not GROUPED.fullmatch(key)}
    if path.suffix == ".csv":
        return set(path.read_text("utf-8-sig").partition("\n")[0].split(","))
    if path.suffix == ".parquet":
        return set(pq.read_schema(path).names)
    content = json.loads(path.read_text("utf-8"))
    rows = content.get("records") or content.get("comparisons") or [content]
    return {key for row in rows for key in row}


def described_keys(file: Table | Keys, path: Path) -> set[str]:
    """The keys that the page has for a file; `record.json` also has those of every job."""
    of_every_job = set(OF_SEAL["record.json"].meanings) if path.name == "record.json" else set()
    return {key for names in file.meanings for key in names.split(", ")} | of_every_job


def test_the_files_of_every_job_have_the_keys_of_the_page(results):
    for path in results.glob("*/**/*.json"):
        if path.name in OF_SEAL and path.parent.name != "model":
            described, keys = OF_SEAL[path.name], set(json.loads(path.read_text("utf-8")))
            assert set(described.meanings) - described.optional <= keys, path
            assert path.name == "record.json" or keys <= set(described.meanings), path


def test_the_table_of_all_scores_has_the_columns_of_the_page(results):
    assert pq.read_schema(results / "scores.parquet").equals(COLLECTED_TABLE.schema, check_metadata=False)


def test_every_step_writes_the_folder_that_the_page_says():
    written = {step: stage.folder for stage in STAGES for step in stage.writers}
    assert written == {name: step.folder for name, step in all_steps().items()}


def test_every_input_of_a_job_of_the_demo_is_of_a_folder_that_the_page_says_it_reads(results):
    readers = {stage.folder.stage: stage.readers for stage in STAGES}
    read = {
        (Path(folder).parts[1], recipe["step"])
        for path in results.glob("*/**/job.json")
        for recipe in [json.loads(path.read_text("utf-8"))]
        for folder in recipe["inputs"].values()
    }
    assert len(read) > 20
    assert not [(folder, step) for folder, step in sorted(read) if step not in readers[folder]]
