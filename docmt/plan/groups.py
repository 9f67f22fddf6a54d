"""Groups of small steps: which jobs of a run share one allocation of a cluster.

On a cluster each job of Snakemake is an allocation, which waits in a queue and starts Snakemake twice. The small steps
of a run are therefore put together, and the members of a group run one after another. `GROUPED` has the kind of group
of each rule. How many members a group of a kind has at most is a setting of the profile (`group-components`); the jobs
of a kind without this setting are alone.

The jobs of a group start when all that they read is there. A group never waits for itself: members are put together in
the order of the plan, and a job that needs another group of its own kind has a higher level than that group.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from docmt.base.asked import read_asked
from docmt.base.errors import UserError
from docmt.base.manifest import manifest_or_none
from docmt.plan.jobs import GridJobs, Job

GROUPED = {
    "corpus": "data",
    "tokens": "data",
    "views": "data",
    "chain_words": "data",
    "chain_segments": "data",
    "word_vectors": "aligners",
    "aligner": "aligners",
    "train": "train",
    "translate": "decode",
    "contrastive": "decode",
    "inspect": "decode",
    "passage": "decode",
    "adopt": "scores",
    "scores": "scores",
    "compare": "compare",
    "item": "pages",
    "sheet": "pages",
    "report": "pages",
    "demo_report": "pages",
}
"""The kind of group of each rule. Members of one kind need the same devices: a GPU does not wait for scores."""
KINDS = tuple(dict.fromkeys(GROUPED.values()))
"""The kinds of groups, as `group-components` of a profile names them."""
TOGETHER = {"data": "corpus", "train": "corpus", "decode": "corpus", "scores": "corpus", "compare": "study"}
"""The wildcard whose value the members of a group of a kind have in common."""


LONGEST = 1440
"""The largest time limit of a group in minutes, where the site allows it: longer ones wait longer in queues."""


@dataclass(frozen=True)
class Bounds:
    """The bounds of the groups of a run.

    `sizes`: the largest number of members of a group of each kind; the jobs of other kinds are alone. `minutes`: the
    time of a job, which is a part of its group's. `longest`: the largest number of minutes of a group.
    """

    sizes: Mapping[str, int]
    minutes: Callable[[Job], float]
    longest: float


def groups_of(jobs: GridJobs, order: Iterable[Job], bounds: Bounds) -> dict[Job, str]:
    """Return the name of the group of each job that is in one.

    `order`: the jobs of a run, inputs before the jobs that read them. Where stage 2 has shards, which are no members of
    groups, neither has the corpus that they read.
    """
    alone = {"corpus"} if jobs.grid.shards > 1 else set()
    families: dict[str, list[Job]] = defaultdict(list)
    names: dict[Job, str] = {}
    levels: dict[Job, int] = {}
    for job in order:
        kind = GROUPED.get(job.rule)
        if kind not in bounds.sizes or job.rule in alone:
            continue
        names[job] = f"{kind}.{job.names.get(TOGETHER.get(kind, ''), 'all')}"
        before = [read for read in jobs.inputs(job).values() if GROUPED.get(read.rule) == kind and read in names]
        levels[job] = max((levels[read] + (names[read] != names[job]) for read in before), default=0)
        families[f"{names[job]}.{levels[job]}"].append(job)
    return {
        job: f"{family}.{number}"
        for family, members in families.items()
        for number, group in enumerate(_bounded(_decoded_together(jobs, members), bounds))
        for job in group
    }


def _bounded(members: list[Job], bounds: Bounds) -> Iterator[list[Job]]:
    """Yield the groups of members in their order; a member that takes longer than a group may is alone."""
    group: list[Job] = []
    left = bounds.longest
    for job in members:
        minutes = bounds.minutes(job)
        if group and (len(group) == bounds.sizes[GROUPED[job.rule]] or minutes > left):
            yield group
            group, left = [], bounds.longest
        group.append(job)
        left -= minutes
    if group:
        yield group


def _decoded_together(jobs: GridJobs, members: list[Job]) -> list[Job]:
    """Return members in their order, but those that read the same model one after another."""
    models = [str(jobs.inputs(job).get("model", "")) for job in members]
    first = {model: models.index(model) for model in set(models)}
    places = sorted(range(len(members)), key=lambda place: (first[models[place]], place))
    return [members[place] for place in places]


def is_finished(job: Job, since: Path, root: Path = Path()) -> bool:
    """Return whether a job has finished in this run, which wrote the file `since` at its start.

    Its outputs are complete, and what is asked for. A group that is started again, after a failure or a preemption,
    leaves out the members that have finished.
    """
    path, began = root / job.manifest, root / since
    manifest = manifest_or_none(path)
    if manifest is None or not began.exists() or path.stat().st_mtime_ns < began.stat().st_mtime_ns:
        return False
    try:
        asked = read_asked(root / job.settings_path).identity
    except UserError:
        return False
    return asked in (None, manifest.identity) and all(
        (path.parent / name).exists() for name in [*manifest.files, *manifest.records]
    )
