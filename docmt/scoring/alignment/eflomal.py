"""eflomal, where it is installed: Bayesian word alignment by Gibbs sampling.

Paper: Östling and Tiedemann: Efficient Word Alignment with Markov Chain Monte Carlo, PBML 106 (2016). Its library takes
no seed, so that no two runs are the same.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from docmt.base.foreign import library
from docmt.scoring.alignment.links import Aligned, AlignedLines, read_links

LONGEST = 1023
"""Words; eflomal leaves longer lines without links, and says nothing."""

REMEDY = 'pip install -c pins.txt -e ".[eflomal]" (which needs a C compiler), or take another aligner'


@dataclass(frozen=True)
class Eflomal:
    """With the lines of `train_source` and `train_target` before those that are to be aligned."""

    train_source: Sequence[str] = ()
    train_target: Sequence[str] = ()

    def align(self, source: Sequence[str], target: Sequence[str]) -> AlignedLines:
        """Raises UserError where it is not installed."""
        eflomal = library("eflomal", "eflomal is not installed", REMEDY)
        if not source:
            return AlignedLines([], _signature(0))
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("forward", "backward")]
            lines = [*self.train_source, *source], [*self.train_target, *target]
            eflomal.Aligner().align(*lines, *map(str, files), quiet=True)
            forward, backward = (read_links(file, *lines)[-len(source) :] for file in files)
        found = [Aligned(*both) for both in zip(forward, backward, strict=True)]
        pairs = zip(source, target, strict=True)
        too_long = sum(max(len(line.split()) for line in pair) > LONGEST for pair in pairs)
        return AlignedLines(found, _signature(too_long))


def _signature(too_long: int) -> str:
    left_out = f",overlong:{too_long}" if too_long else ""
    return f"eflomal,v:{version('eflomal')},model:3,nondeterministic{left_out}"
