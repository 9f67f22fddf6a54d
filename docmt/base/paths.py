"""How paths under `results/` are spelt: the one place that knows, for the rules and for the package.

A stage's folders are numbered like its rules. `{...}` in a folder is a place for a name, as rules write wildcards.
"""

from dataclasses import dataclass, replace
from pathlib import Path

RESULTS = "results"
STATE = f"{RESULTS}/state"
"""What jobs keep for their next attempts; no rule declares it."""
FROZEN_GRID = f"{RESULTS}/frozen_grid.json"
"""What jobs on a cluster read instead of config.yaml."""
DEMO_REPORT = f"{RESULTS}/report.html"

WORDS = "words"
"""Stands for the view in the folder of the chains of whole documents."""


@dataclass(frozen=True)
class Folder:
    """A kind of folder: its stage, and the names that follow in its path. Paths begin at the project's root."""

    stage: str
    places: str

    def __str__(self) -> str:
        return f"{RESULTS}/{self.stage}/{self.places}"

    def __truediv__(self, file: str) -> str:
        """A file in it, with the places: what rules say of inputs and outputs."""
        return f"{self}/{file}"

    @property
    def states(self) -> str:
        """The folder of what its jobs keep for their next attempts, in folders of the same places."""
        return f"{STATE}/{self.stage}"

    def log(self, job: str = "") -> str:
        """What a job says, with the places; `job` tells several of a folder apart."""
        return f"logs/{self.stage}/{self.places}{job and '.'}{job}.log"

    def named(self, place: str, name: str) -> "Folder":
        """The same with one place filled in."""
        return replace(self, places=self.places.replace(f"{{{place}}}", name))

    def at(self, **names: str | int) -> str:
        """The folder of these names."""
        return f"{RESULTS}/{self.part(**names)}"

    def part(self, **names: str | int) -> str:
        """The same without `results/`."""
        return f"{self.stage}/{self.places.format(**names)}"

    def under(self, results: Path, **names: str | int) -> Path:
        """The folder of these names, of a results folder anywhere."""
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
"""The settings of a page; the page itself stands in the folder of its study."""

FOLDERS = {
    folder.stage: folder
    for folder in (
        *(CHECKPOINT, CORPUS, TOKENS, VIEW, CHAINS, TRAINING, TRANSLATIONS, PASSAGE),
        *(VECTORS, ALIGNER, SCORES, COMPARISON, ITEM),
    )
}
"""By stage. Where no scale is part of them, the corpus is `Grid.data_folder`."""
