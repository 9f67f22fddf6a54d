"""Aligners of others, where they are installed: awesome-align and eflomal.

awesome-align: the similarity of a multilingual BERT's states, from a local folder. Paper: Dou and Neubig: Word
Alignment by Fine-tuning Embeddings on Parallel Corpora, EACL 2021. Its command is called with its own defaults.

eflomal: Bayesian word alignment by Gibbs sampling. Paper: Östling and Tiedemann: Efficient Word Alignment with Markov
Chain Monte Carlo, PBML 106 (2016). Its library takes no seed, so that no two runs are the same.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from docmt.base.artifacts import read_object, sha256_file
from docmt.base.errors import UserError
from docmt.base.foreign import library, reading
from docmt.scoring.alignment.links import AlignedLines, DirectedLinks, Links, read_links
from docmt.settings.pretrained import ALIGNER_LAYER, CONFIG, aligner_files

THRESHOLD = 0.001
"""Of the softmax over one side's pieces, in both directions; awesome-align's default."""

BETWEEN = "|||"
"""Parts source and target in awesome-align's input."""


@dataclass(frozen=True)
class AwesomeAlign:
    """`folder`: the model's. Nothing is downloaded."""

    folder: Path

    def align(self, source: Sequence[str], target: Sequence[str]) -> AlignedLines:
        """Lines of more pieces than the model has positions get no links, and are counted in the signature; the program
        would cut them and say nothing. Raises UserError where it is not installed, or the folder is no model for it."""
        aligner_files(self.folder)
        fitting = list(self._fitting(source, target))
        found = [DirectedLinks.symmetric(frozenset())] * len(source)
        sides = [" ".join(_words(source[n])) for n in fitting], [" ".join(_words(target[n])) for n in fitting]
        for number, links in zip(fitting, self._run(*sides) if fitting else [], strict=True):
            found[number] = DirectedLinks.symmetric(links)
        too_long = sum(1 for pair in zip(source, target, strict=True) if all(map(str.split, pair))) - len(fitting)
        return AlignedLines(found, self._signature(too_long))

    def _fitting(self, source: Sequence[str], target: Sequence[str]) -> Iterator[int]:
        """Numbers of the lines that have words on both sides, and no more pieces than the model takes."""
        positions = read_object(self.folder / CONFIG, "max_position_embeddings")["max_position_embeddings"]
        remedy = "pip install -c pins.txt -e ., or take another aligner"
        tokens = library("awesome_align.tokenization_bert", "awesome-align is not installed", remedy)
        with reading(self.folder, "not a BERT that awesome-align can read"):
            tokenizer = tokens.BertTokenizer.from_pretrained(str(self.folder))
            most = min(tokenizer.max_len, positions) - 2
        for number, pair in enumerate(zip(source, target, strict=True)):
            pieces = [sum(len(tokenizer.tokenize(word)) for word in _words(line)) for line in pair]
            if all(map(str.split, pair)) and max(pieces) <= most:
                yield number

    def _run(self, source: list[str], target: list[str]) -> list[Links]:
        with tempfile.TemporaryDirectory() as name:
            lines, found = Path(name) / "lines", Path(name) / "links"
            pairs = zip(source, target, strict=True)
            lines.write_text("".join(f"{one} {BETWEEN} {other}\n" for one, other in pairs), encoding="utf-8")
            options = {"data_file": lines, "output_file": found, "model_name_or_path": self.folder.absolute()}
            options |= {"align_layer": ALIGNER_LAYER, "softmax_threshold": THRESHOLD, "num_workers": 0}
            arguments = [text for key, value in options.items() for text in (f"--{key}", str(value))]
            command = [sys.executable, "-m", "awesome_align.run_align", *arguments]
            done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace")
            if done.returncode:
                last = done.stderr.strip().rpartition("\n")[2]
                raise UserError("awesome-align failed", where=str(self.folder), found=last)
            return read_links(found, source, target)

    def _signature(self, too_long: int) -> str:
        model = sha256_file(self.folder / "pytorch_model.bin")[:12]
        program = f"awesome-align,v:{version('awesome-align')}"
        return f"{program},layer:{ALIGNER_LAYER},softmax:{THRESHOLD:g},model:{model}{_left_out(too_long)}"


def _words(line: str) -> list[str]:
    """What awesome-align takes for the border between the sides is given to it as another bar."""
    return ["|" if word == BETWEEN else word for word in line.split()]


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
            return AlignedLines([], self._signature(0))
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("forward", "backward")]
            lines = [*self.train_source, *source], [*self.train_target, *target]
            eflomal.Aligner().align(*lines, *map(str, files), quiet=True)
            forward, backward = (read_links(file, *lines)[-len(source) :] for file in files)
        found = [DirectedLinks(*both) for both in zip(forward, backward, strict=True)]
        pairs = zip(source, target, strict=True)
        too_long = sum(max(len(line.split()) for line in pair) > LONGEST for pair in pairs)
        return AlignedLines(found, self._signature(too_long))

    def _signature(self, too_long: int) -> str:
        return f"eflomal,v:{version('eflomal')},model:3,nondeterministic{_left_out(too_long)}"


def _left_out(too_long: int) -> str:
    """The end of a signature: how many lines were too long, if any."""
    return f",overlong:{too_long}" if too_long else ""
