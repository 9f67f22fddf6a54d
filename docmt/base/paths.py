"""The paths under `results/`: the only place that spells them, for the workflow's rules and for the package.

The folders of a stage have its number, as its rules do. `{...}` in a folder is a placeholder for a name, in the form of
Snakemake's wildcards.
"""

from dataclasses import dataclass, replace
from pathlib import Path

RESULTS = "results"
STATE = f"{RESULTS}/state"
"""The folder of files that jobs keep for their next attempts; no rule declares them."""
FROZEN_GRID = f"{RESULTS}/frozen_grid.json"
"""The file that jobs on a cluster read instead of config.yaml."""
DEMO_REPORT = f"{RESULTS}/report.html"

WORDS = "words"
"""The name that stands for the view in the folder of the chains of whole documents."""


@dataclass(frozen=True)
class Folder:
    """A kind of folder: `stage` and then `places`, its placeholders. Paths are relative to the project's root."""

    stage: str
    places: str

    def __str__(self) -> str:
        """Return the path with its placeholders."""
        return f"{RESULTS}/{self.stage}/{self.places}"

    def __truediv__(self, file: str) -> str:
        """Return the path of a file in the folder, with the placeholders, as rules declare inputs and outputs."""
        return f"{self}/{file}"

    @property
    def states(self) -> str:
        """The folder of files that the stage's jobs keep for their next attempts, in folders of the same names."""
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
COMPARISON = Folder("7_comparisons", "{study}/{table}")
REPORT = Folder("8_report", "{study}")
ITEM = Folder("8_report", "{study}/{item}")
"""The settings of a report's item; the page itself is in the folder of its study."""

FOLDERS = {
    folder.stage: folder
    for folder in (
        *(CHECKPOINT, CORPUS, TOKENS, VIEW, CHAINS, TRAINING, TRANSLATIONS, PASSAGE),
        *(VECTORS, ALIGNER, SCORES, COMPARISON, ITEM),
    )
}
"""Folders by stage. Where no scale is part of the path, the corpus is `Grid.data_folder`, which has the scale where
texts depend on it."""
