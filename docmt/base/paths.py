"""The paths under `results/`, which the workflow's rules and the package take from this module alone.

The names of folders begin with the number of their stage, as the names of the files with its rules do. `{...}` in a
folder is a placeholder for a name, in the form of Snakemake's wildcards.
"""

from dataclasses import dataclass, replace
from pathlib import Path

RESULTS = "results"
STATE = f"{RESULTS}/state"
"""The folder of files that a job keeps for its next attempt; no rule declares these files."""
ASIDE = f"{RESULTS}/aside"
"""The folder of outputs that are set aside, with a folder for each identity."""
FROZEN_GRID = f"{RESULTS}/frozen_grid.json"
"""The file that jobs on a cluster read instead of config.yaml."""
FROZEN_TIMES = f"{RESULTS}/frozen_times.json"
"""The file with the time limits and the GPUs that jobs on a cluster have asked for."""
PAPER = "paper"
"""The name of the default scale, at which models and corpora have the sizes of the papers."""
DEMO_REPORT = f"{RESULTS}/report{{at_scale}}.html"
"""The copy of the demo's page; its placeholder is empty at the default scale, and else `@` and the scale."""
DEMO_REPORT_LOG = "logs/report{at_scale}.log"
AT_SCALE = rf"(?:@(?!{PAPER}\.)[^/]+)?"
"""The pattern of the placeholder of `DEMO_REPORT`, which does not match the name of the default scale."""

WORDS = "words"
"""The name in the place of a view, in the path of the folder with the chains of whole documents."""


@dataclass(frozen=True)
class Folder:
    """A kind of folder: the folder of its stage, then `places`, a path of placeholders for names.

    Paths are relative to the root of the project.
    """

    stage: str
    places: str

    def __str__(self) -> str:
        """Return the path with its placeholders."""
        return f"{RESULTS}/{self.stage}/{self.places}"

    def __truediv__(self, file: str) -> str:
        """Return the path of a file in the folder, with the placeholders, as rules declare inputs and outputs."""
        return f"{self}/{file}"

    @property
    def depth(self) -> int:
        """The number of parts of the path below the folder of the stage."""
        return len(self.places.split("/"))

    @property
    def states(self) -> str:
        """The folder below `results/state` in which the jobs of the stage keep files for their next attempts."""
        return f"{STATE}/{self.stage}"

    def log(self, job: str = "") -> str:
        """Return the path of a job's log, with the placeholders; `job` distinguishes several jobs of one folder."""
        return f"logs/{self.stage}/{self.places}{job and '.'}{job}.log"

    def named(self, place: str, name: str) -> "Folder":
        """Return the folder with one placeholder replaced by a name."""
        return replace(self, places=self.places.replace(f"{{{place}}}", name))

    def at(self, **names: str | int) -> str:
        """Return the path of the folder with these names."""
        return f"{RESULTS}/{self.part(**names)}"

    def part(self, **names: str | int) -> str:
        """Return the path of the folder with these names, relative to `results/`."""
        return f"{self.stage}/{self.places.format(**names)}"

    def under(self, results: Path, **names: str | int) -> Path:
        """Return the path of the folder with these names in a results folder anywhere."""
        return results / self.part(**names)


_DATA, _RUN = "{corpus}/{text}", "{scale}/{corpus}/{system}/seed{seed}"

CHECKPOINT = Folder("0_models", "{checkpoint}")
CORPUS = Folder("1_corpus", "{corpus}")
TOKENS = Folder("2_tokens", _DATA)
VIEW = Folder("3_views", f"{_DATA}/{{view}}")
CHAINS = Folder("4_chains", f"{_DATA}/{{view}}")
CHAIN_WORDS = CHAINS.named("view", WORDS)
TRAINING = Folder("5_training", _RUN)
TRANSLATIONS = Folder("6_translations", _RUN)
PASSAGE = Folder("6_passages", f"{_RUN}/{{study}}/{{passage}}")
VECTORS = Folder("7_vectors", _DATA)
ALIGNER = Folder("7_aligners", _DATA)
SCORES = Folder("7_scores", _RUN)
COMPARISON = Folder("7_comparisons", "{scale}/{study}/{table}")
REPORT = Folder("8_report", "{scale}/{study}")
ITEM = Folder("8_report", "{scale}/{study}/{item}")
"""The folder with the settings of an item of a report; the page of the item is in the folder of the study."""
SHEET_ENDING = ".sheet"
"""The ending of the name of a sheet for annotators, behind the name of its table; no item has it in its name."""
SHEET = Folder("8_report", f"{{scale}}/{{study}}/{{item}}{SHEET_ENDING}")
"""The folder with the settings of a sheet; the sheet is in the folder of the study, beside the page of its table."""

FOLDERS = {
    folder.stage: folder
    for folder in (
        *(CHECKPOINT, CORPUS, TOKENS, VIEW, CHAINS, TRAINING, TRANSLATIONS, PASSAGE),
        *(VECTORS, ALIGNER, SCORES, COMPARISON, ITEM),
    )
}
"""The kinds of folders by their first part, such as `5_training`. Where a path has no placeholder for the scale, the
name of the corpus is `Grid.data_folder`, which includes the scale where the corpus is a fixture."""


def names_in(path: str) -> dict[str, str]:
    """Return the names in a path below `results/` by their placeholders, such as the name of a corpus by `corpus`.

    A path that has fewer parts than the folder of its stage has fewer names. A path outside the stages has none.
    """
    stage, *parts = path.split("/")
    places = FOLDERS[stage].places.split("/") if stage in FOLDERS else []
    # `strict=False`, since the path of a study's page has fewer parts than the path of an item, and a file has more.
    pairs = ((place.rstrip("}").split("{"), part) for place, part in zip(places, parts, strict=False))
    return {name: part.removeprefix(before) for (before, name), part in pairs}


def demo_report(scale: str) -> str:
    """Return the path of the copy of the demo's page, whose name includes the scale unless it is the default."""
    return DEMO_REPORT.format(at_scale="" if scale == PAPER else f"@{scale}")


def scale_of_demo_report(at_scale: str) -> str:
    """Return the scale of a copy of the demo's page, from the value of the placeholder of `DEMO_REPORT`."""
    return at_scale.removeprefix("@") or PAPER
