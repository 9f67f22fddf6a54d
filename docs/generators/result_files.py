"""The parts of the page of results that describe files, and the files that every job writes.

A description says what a row of a file is, and what its columns and keys mean. Types come from the schemas of the
package. A column without a meaning, or a meaning without a column, is an error.
"""

from dataclasses import dataclass, field

import pyarrow as pa

from docmt.base.columns import SCORES
from docmt.base.paths import Folder
from docmt.plan.collected import OF_PROJECT

COLLECTED_SCHEMA = pa.schema([*((name, pa.type_for_alias(kind)) for name, kind in OF_PROJECT.items()), *SCORES])
DOCUMENT = "name of the document, unique within its split"
IN_DOCUMENT = "number of the sentence in its document, from 0"
OF_SET = "name of the phenomenon, or of a part of it, such as `anaphora/f.sg`"
ITEM = "number of the item in its set"
DISTANCE = "sentences from the deciding sentence to the judged one; 0: not stated, or the judged sentence decides"
CONTRASTIVE_ITEM = {"set": OF_SET, "item": ITEM, "distance": DISTANCE}
VARIANT = {**CONTRASTIVE_ITEM, "variant": "number of the variant, from 0", "correct": "whether it is the right one"}


@dataclass(frozen=True)
class Table:
    """A file with columns: `rows` says what a row is, `meanings` has the meaning of each column."""

    name: str
    rows: str
    meanings: dict[str, str]
    schema: pa.Schema | None = None


@dataclass(frozen=True)
class Keys:
    """A JSON file: `about` says what it is, `meanings` has the meaning of each key of its object.

    `optional` are the keys that not every such file has.
    """

    name: str
    about: str
    meanings: dict[str, str]
    optional: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Stage:
    """The folder of a stage, its files, the other files in words, and the rules that write and read it."""

    title: str
    folder: Folder
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    files: tuple[Table | Keys, ...] = ()
    others: dict[str, str] = field(default_factory=dict)


SCORE = {
    "corpus": "the corpus",
    "system": "the system",
    "seed": "the seed",
    "text": "`translations`, or `reference` for the scores of the reference, by metrics that need no other text",
    "metric": "the metric; together with the group it is the name in tables",
    "group": "empty for the whole test set; `:pronoun` (set, convention), `@3` (distance), `:pronoun@3`, `@j2` "
    "(position in windows), `@last`, `@length.1-10` (bucket), `@document.NAME`",
    "value": "the score; accuracies are in percent",
    "low": "lower end of its 95 % interval, where it has one",
    "high": "upper end",
    "interval": "signature of the interval",
    "n": "number of units that the score is over",
    "facts": "further numbers by name, such as `brevity_penalty`, `pairs` (LTCR) or `by_chance` (accuracy: the items "
    "that random guesses get right)",
    "signature": "signature of the score",
}
"""The columns of scores."""

COLLECTED_TABLE = Table(
    "scores.parquet",
    "a score of a run",
    {
        "study": "the study; a run of several studies has rows in each of them",
        "scale": "the scale",
        "identity": "id of the scores, the name of their folder",
        "lower_is_better": "whether a lower score is better",
        "asked": "whether the present settings ask for these scores; false for other versions of them",
        **SCORE,
    },
    COLLECTED_SCHEMA,
)

SEAL = (
    Keys(
        "job.json",
        "The recipe: what was asked of the job, and where everything is that it reads. A run writes it before its "
        "first job, and `docmt job FOLDER` reads nothing else. A recipe that was changed by hand is refused. "
        "Its hints may be changed: no identity depends on them. The next run that makes the job writes the file again.",
        {
            "step": "the step of the workflow, which is also the rule",
            "version": "the version of the step",
            "identity": "digest of all that decides the output; its first ten digits are the name of the folder",
            "settings": "the settings that decide the output",
            "inputs": "the folders of the outputs of other jobs, by role",
            "files": "files that no job makes, by role: `path` and `digest`",
            "libraries": "the versions of the libraries that decide the output",
            "hints": "facts that decide no output, such as the `device`, the estimated `minutes`, and `knobs`, "
            "settings that change the speed alone. Those of a "
            "training may also be `save_minutes` (the longest time between two checkpoints: 30), `hang_minutes` (the "
            "time without progress after which it is ended: 30; 0 is never), `checkpoints` (the number of checkpoints "
            "that stay: 2), "
            "`deterministic` (whether a GPU gives the same bytes from the same seed, more slowly; a resumed training "
            "needs it too: false) and `compiled` (whether parts of updates are compiled: as DOCMT_COMPILE says)",
            "again": "the run that wants the job to be done again, where one forces it (`--forcerun`)",
        },
        frozenset({"again"}),
    ),
    Keys(
        "record.json",
        "It has facts that differ between two runs of the same job.",
        {
            "step": "the step",
            "began": "time of the begin, in UTC",
            "finished": "time of the end, in UTC",
            "seconds": "seconds between the two",
            "hardware": "processor, cores, memory, GPU",
            "commit": "commit of the clone",
            "versions": "versions of docmt, Python and libraries",
            "files": "SHA-256 and size of files whose content has such facts",
            "again": "the run that wanted the job to be done again, if any",
            "digest": "digest of all other values",
        },
        frozenset({"again"}),
    ),
    Keys(
        "manifest.json",
        "It is written last, so that outputs without it are not complete.",
        {
            "format": "`docmt-manifest-1`",
            "identity": "that of the recipe",
            "content": "digest of all files: of what came out",
            "step": "the step",
            "inputs": "identity and content of each input, by role",
            "files": "SHA-256 and size of each file",
            "records": "files whose digests are in `record.json`",
            "digest": "digest of all other values",
        },
    ),
)
"""The files that every job writes beside its outputs."""
