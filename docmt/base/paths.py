"""The paths under `results/`, which the workflow's rules and the package take from this module alone.

The folder of an artifact is `results/<stage>/<names>/<id>`: the names are for people, and the id, the first digits of
the artifact's identity, says what it is. The path without the id is the place of the artifact. Each step has a stage of
its own. `{...}` is a placeholder for a name, in the form of Snakemake's wildcards.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

RESULTS = "results"
ID_DIGITS = 10  # The number of digits of an identity that a path has.
ID = re.compile(rf"[0-9a-f]{{{ID_DIGITS}}}")  # The form of the name of an artifact's folder.
PAPER = "paper"  # The name of the default scale, at which models and corpora have the sizes of the papers.
INDEX = "index"  # The name, in the place of an item, of the page of a whole study.


@dataclass(frozen=True)
class Folder:
    """The kind of folder of a step: the name of its stage, then `places`, a path of placeholders for names.

    Paths are relative to the root of the project.
    """

    stage: str
    places: str

    def __str__(self) -> str:
        """Return the path of the folder with its placeholders, as rules declare outputs."""
        return f"{RESULTS}/{self.stage}/{self.places}/{{id}}"

    def __truediv__(self, file: str) -> str:
        """Return the path of a file in the folder, with the placeholders."""
        return f"{self}/{file}"

    def at(self, **names: str | int) -> str:
        """Return the place of the artifact with these names."""
        return f"{RESULTS}/{self.part(**names)}"

    def part(self, **names: str | int) -> str:
        """Return the place of the artifact with these names, relative to `results/`."""
        return f"{self.stage}/{self.places.format(**names)}"

    def names_in(self, place: str) -> dict[str, str] | None:
        """Return the names in a place by their placeholders; None for a path that is no place of this kind."""
        match = self._pattern.fullmatch(PurePath(place).as_posix())
        return match and match.groupdict()

    @cached_property
    def _pattern(self) -> re.Pattern:
        return re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", f"{RESULTS}/{self.stage}/{self.places}"))

    @property
    def depth(self) -> int:
        """The number of folders between that of the stage and that of an artifact, plus one."""
        return len(self.places.split("/")) + 1


_DATA, _RUN = "{corpus}/{text}", "{corpus}/{system}/seed{seed}"

CHECKPOINT = Folder("0_models", "{checkpoint}")
FIXTURE = Folder("1_fixtures", "{corpus}")
CORPUS = Folder("1_corpus", "{corpus}")
TOKENS = Folder("2_tokens", _DATA)
VIEW = Folder("3_views", f"{_DATA}/{{view}}")
CHAIN_WORDS = Folder("4_chain_words", _DATA)
CHAINS = Folder("4_chains", f"{_DATA}/{{view}}")
TRAINING = Folder("5_training", _RUN)
TRANSLATIONS = Folder("6_translations", _RUN)
ADOPTED = Folder("6_adopted", _RUN)
ASKED = Folder("6_asked", _RUN)
CONTRASTIVE = Folder("6_contrastive", _RUN)
CONTRASTIVE_WHOLE = Folder("6_contrastive_whole", _RUN)
CONTEXT = Folder("6_context", f"{_RUN}/context{{context}}")
INSIDE = Folder("6_inside", _RUN)
PASSAGE = Folder("6_passages", f"{_RUN}/{{study}}/{{passage}}")
VECTORS = Folder("7_vectors", _DATA)
ALIGNER = Folder("7_aligners", _DATA)
SCORES = Folder("7_scores", _RUN)
COMPARISON = Folder("7_comparisons", "{study}/{table}")
PAGE = Folder("8_report", "{scale}/{study}/{item}")
FRONT = Folder("8_front", "{scale}")  # The page of the demo study again, which people open in `results/` itself.
SHEET = Folder("8_sheets", "{scale}/{study}/{item}")

# The folder of the downloaded files of a corpus, which has no id: no run replaces them.
DOWNLOADS = f"{RESULTS}/{CORPUS.stage}/{{corpus}}/downloads"


def page_link(scale: str, study: str, item: str) -> str:
    """Return the path at which people open a page, a link to the artifact; `item` is that of `PAGE`."""
    return f"{RESULTS}/{PAGE.stage}/{scale}/{study}/{item}.html"


def front_link(scale: str) -> str:
    """Return the path at which people open the page of the demo, whose name has the scale unless it is the default."""
    return f"{RESULTS}/report.html" if scale == PAPER else f"{RESULTS}/report@{scale}.html"


def sheet_link(scale: str, study: str, item: str) -> str:
    """Return the path at which people open the sheet of a table, a link to the artifact."""
    return f"{RESULTS}/{PAGE.stage}/{scale}/{study}/{item}.sheet.csv"
