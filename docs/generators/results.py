"""The text on results: folders below `results/`, their files with columns and keys, and their writers and readers."""

from collections.abc import Iterator

import pyarrow as pa

from generators.markdown import generated_by, slug, table
from generators.result_data import DATA_STAGES
from generators.result_files import COLLECTED_TABLE, SEAL, Keys, Stage, Table
from generators.result_runs import RUN_STAGES

STAGES = (*DATA_STAGES, *RUN_STAGES)

INTRODUCTION = """# Results, folder by folder

> **For** readers who open files below `results/` in a notebook or a script. **Afterwards** you can find a file, read \
its columns and keys, and say which stage writes it and which jobs read it.

Every step has a folder of its own, whose name begins with the number of its stage. Names in braces stand for the \
names of a corpus, a text, a view, a scale, a study, a system and a seed, and `{id}` for the first ten digits of the \
artifact's [identity](signatures.md): other settings make another folder, beside the old one. Nobody types an id. \
`docmt path` prints the folder that the present settings ask for:

```bash
docmt path results/7_scores/toy_zh-en/sentence/seed1/scores.parquet
```

Commands and `docmt.open_model` take the path without the id. At a scale with `fixtures`, the corpus in \
the folders of stages 1 to 4 is `CORPUS@SCALE`.

- Files named `*.parquet` and `*.arrow` are tables with types: `pandas.read_parquet`, `polars.read_parquet`, and \
`pyarrow.ipc.open_file` or `polars.read_ipc` read them. `string list` is a column whose cells are lists.
- The names of splits, `train`, `dev` and `test`, are the same everywhere.
- No identity has a path in it, so that the folder can be moved.

For all scores in one table read [`results/scores.parquet`](#all-scores-scoresparquet). For a number of a page, read \
the CSV or JSON file beside the page.
"""

RULES = """## What every job writes

Beside its outputs, the folder of a job has three files: its recipe, from before it ran, and its record and its \
manifest. `log.1.txt`, `log.2.txt` and so on are the messages of its attempts, and `scratch/` is what it keeps for its \
next attempt, such as the checkpoints of a training or the answers of a program so far. [Signatures and \
identities](signatures.md) explains how docmt uses them.
"""

STATE = """## Other files

- `results/8_report/SCALE/STUDY/ITEM.html` and `results/report.html` are links to the newest pages, with the files \
beside them: these are the paths that people open. Where links are impossible, they are copies.
- `results/1_corpus/CORPUS/downloads/` has the files of a corpus as they were published. No run replaces them.
- `results/asked/` has what the runs of each clone have asked for lately: `docmt remove-results --unused` keeps it.
- `results/checksums.lock.json` has the digests of first downloads.
"""


def text() -> str:
    """Return the whole text."""
    parts = [generated_by("docmt/base/columns.py and docs/generators"), INTRODUCTION, overview()]
    parts += [section(stage) for stage in STAGES]
    parts += ["## All scores: scores.parquet\n", all_scores(), RULES, *(keys(file) for file in SEAL), STATE]
    return "\n".join(parts)


def overview() -> str:
    """Return the table of all folders."""
    rows = [(f"[{stage.title}](#{slug(stage.title)})", f"`{stage.folder}`") for stage in STAGES]
    return f"{table(('stage', 'folder'), rows)}\n"


def section(stage: Stage) -> str:
    """Return the section of a folder."""
    parts = [f"## {stage.title}\n", f"`{stage.folder}`\n", written_and_read(stage)]
    parts += [columns(file) if isinstance(file, Table) else keys(file) for file in stage.files]
    if stage.others:
        parts.append("Other files:\n" if stage.files else "Files:\n")
        parts.append("\n".join(f"- {names_of(name)}: {text}." for name, text in stage.others.items()) + "\n")
    return "\n".join(parts)


def written_and_read(stage: Stage) -> str:
    """Return the sentence on the rules that write and read a folder."""
    writers, readers = (", ".join(f"`{rule}`" for rule in rules) for rules in (stage.writers, stage.readers))
    return f"Written by {writers}. Read by {readers}.\n"


def names_of(names: str) -> str:
    """Return names of files, separated by commas, each between backticks; a remark in brackets stays as it is."""
    parts = (name.partition(" (") for name in names.split(", "))
    return ", ".join(f"`{name}`{space}{rest}" for name, space, rest in parts)


def columns(file: Table) -> str:
    """Return the table of the columns of a file; raise ValueError where a column lacks its meaning."""
    title = f"### {names_of(file.name)}\n\nA row is {file.rows}.\n"
    if file.schema is None:
        return f"{title}\n{table(('key', 'meaning'), named(file.meanings))}\n"
    if set(file.meanings) != set(file.schema.names):
        raise ValueError(f"{file.name} has the columns {file.schema.names}, and meanings of {list(file.meanings)}")
    rows = [(f"`{field.name}`", type_name(field.type), file.meanings[field.name]) for field in file.schema]
    return f"{title}\n{table(('column', 'type', 'meaning'), rows)}\n"


def keys(file: Keys) -> str:
    """Return the table of the keys of a JSON file."""
    return f"### {names_of(file.name)}\n\n{file.about}\n\n{table(('key', 'meaning'), named(file.meanings))}\n"


def all_scores() -> str:
    """Return the table of the columns of scores.parquet."""
    rows = [
        (f"`{field.name}`", type_name(field.type), COLLECTED_TABLE.meanings[field.name])
        for field in COLLECTED_TABLE.schema
    ]
    about = "A run of snakemake writes this table at its end, and `docmt collect-scores` at any time. "
    return f"{about}A row is {COLLECTED_TABLE.rows}.\n\n{table(('column', 'type', 'meaning'), rows)}\n"


def named(meanings: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the rows of a table of keys."""
    return ((names_of(name), text) for name, text in meanings.items())


def type_name(kind: pa.DataType) -> str:
    """Return the name of a type in words."""
    if pa.types.is_list(kind):
        return f"{type_name(kind.value_type)} list"
    return "string" if pa.types.is_dictionary(kind) else str(kind)
