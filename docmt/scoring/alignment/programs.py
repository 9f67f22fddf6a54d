"""The external aligners awesome-align and eflomal, which are separate packages.

awesome-align links words by the similarity of their states in a multilingual BERT, which is read from a local folder.
We call the command of awesome-align with its default settings. Paper: Dou and Neubig: Word Alignment by Fine-tuning
Embeddings on Parallel Corpora, EACL 2021.

eflomal aligns words by a Bayesian model and Gibbs sampling. Its library takes no seed, so that no two runs give the
same links. Paper: Östling and Tiedemann: Efficient Word Alignment with Markov Chain Monte Carlo, PBML 106 (2016).
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from docmt.base.artifacts import read_object
from docmt.base.digests import sha256_file
from docmt.base.errors import UserError, install
from docmt.base.foreign import library, reading
from docmt.scoring.alignment.links import AlignedLines, DirectedLinks, Links, read_links
from docmt.settings.pretrained import ALIGNER_LAYER, ALIGNER_WEIGHTS, CONFIG, aligner_files

THRESHOLD = 0.001
"""The smallest probability of a link, in the softmax over pieces in both directions; the default of awesome-align."""

SEPARATOR = "|||"  # The text between the source and the target of a line in the input of awesome-align


@dataclass(frozen=True)
class AwesomeAlign:
    """The aligner awesome-align with the BERT of a local folder; nothing is downloaded."""

    folder: Path

    def align(self, source: Sequence[str], target: Sequence[str]) -> AlignedLines:
        """Return the links of each line by a run of awesome-align.

        Lines with more pieces than the model has positions get no links, since awesome-align would cut them without a
        message; the signature has the number of such lines. Raises UserError where awesome-align is not installed, or
        where the folder has no model that awesome-align can read.
        """
        from docmt.models.pretrained import check_aligner  # imported here, since most aligners do not need torch

        aligner_files(self.folder)
        check_aligner(self.folder)
        fitting = list(self._fitting(source, target))
        links_of_lines = [DirectedLinks.symmetric(frozenset())] * len(source)
        sides = [" ".join(_words(source[n])) for n in fitting], [" ".join(_words(target[n])) for n in fitting]
        for number, links in zip(fitting, self._run(*sides) if fitting else [], strict=True):
            links_of_lines[number] = DirectedLinks.symmetric(links)
        too_long = sum(1 for pair in zip(source, target, strict=True) if all(map(str.split, pair))) - len(fitting)
        return AlignedLines(links_of_lines, self._signature(too_long))

    def _fitting(self, source: Sequence[str], target: Sequence[str]) -> Iterator[int]:
        positions = read_object(self.folder / CONFIG, "max_position_embeddings")["max_position_embeddings"]
        remedy = f"{install()}, or take another aligner"
        tokens = library("awesome_align.tokenization_bert", "awesome-align is not installed", remedy)
        with reading(self.folder, "not a BERT that awesome-align can read"):
            tokenizer = tokens.BertTokenizer.from_pretrained(str(self.folder))
            # Two positions are needed for the special symbols at the beginning and at the end of a line.
            most = min(tokenizer.max_len, positions) - 2
        for number, pair in enumerate(zip(source, target, strict=True)):
            pieces = [sum(len(tokenizer.tokenize(word)) for word in _words(line)) for line in pair]
            if all(map(str.split, pair)) and max(pieces) <= most:
                yield number

    def _run(self, source: list[str], target: list[str]) -> list[Links]:
        with tempfile.TemporaryDirectory() as name:
            lines, output = Path(name) / "lines", Path(name) / "links"
            pairs = zip(source, target, strict=True)
            lines.write_text("".join(f"{first} {SEPARATOR} {second}\n" for first, second in pairs), encoding="utf-8")
            options = {"data_file": lines, "output_file": output, "model_name_or_path": self.folder.absolute()}
            options |= {"align_layer": ALIGNER_LAYER, "softmax_threshold": THRESHOLD, "num_workers": 0}
            arguments = [text for key, value in options.items() for text in (f"--{key}", str(value))]
            command = [sys.executable, "-m", "awesome_align.run_align", *arguments]
            pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
            done = subprocess.run(command, **pipes, encoding="utf-8", errors="replace", check=False)
            if done.returncode:
                last = done.stderr.strip().rpartition("\n")[2]
                raise UserError("awesome-align failed", where=str(self.folder), found=last)
            return read_links(output, source, target)

    def _signature(self, too_long: int) -> str:
        model = sha256_file(self.folder / ALIGNER_WEIGHTS)[:12]
        program = f"awesome-align,v:{version('awesome-align')}"
        return f"{program},layer:{ALIGNER_LAYER},softmax:{THRESHOLD:g},model:{model}{_left_out(too_long)}"


def _words(line: str) -> list[str]:
    # awesome-align would read such a word as its separator.
    return ["|" if word == SEPARATOR else word for word in line.split()]


LONGEST = 1023
"""The largest number of words of a line that eflomal aligns; it gives longer lines no links, without a message."""

REMEDY = f"{install('eflomal')} (which needs a C compiler), or take another aligner"


@dataclass(frozen=True)
class Eflomal:
    """The aligner eflomal, which learns from `train_source` and `train_target` and from the lines that it aligns."""

    train_source: Sequence[str] = ()
    train_target: Sequence[str] = ()

    def align(self, source: Sequence[str], target: Sequence[str]) -> AlignedLines:
        """Return the links of each line, learnt from these lines and the training lines together.

        Raises UserError where eflomal is not installed.
        """
        eflomal = library("eflomal", "eflomal is not installed", REMEDY)
        if not source:
            return AlignedLines([], self._signature(0))
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("forward", "backward")]
            lines = [*self.train_source, *source], [*self.train_target, *target]
            eflomal.Aligner().align(*lines, *map(str, files), quiet=True)
            forward, backward = (read_links(file, *lines)[-len(source) :] for file in files)
        links_of_lines = [DirectedLinks(*both) for both in zip(forward, backward, strict=True)]
        pairs = zip(source, target, strict=True)
        too_long = sum(max(len(line.split()) for line in pair) > LONGEST for pair in pairs)
        return AlignedLines(links_of_lines, self._signature(too_long))

    def _signature(self, too_long: int) -> str:
        return f"eflomal,v:{version('eflomal')},model:3,nondeterministic{_left_out(too_long)}"


def _left_out(too_long: int) -> str:
    return f",overlong:{too_long}" if too_long else ""
