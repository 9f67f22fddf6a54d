"""awesome-align, where it is installed: the similarity of a multilingual BERT's states, from a local folder.

Paper: Dou and Neubig: Word Alignment by Fine-tuning Embeddings on Parallel Corpora, EACL 2021. Its command is called
with its own defaults (states of layer 8, softmax, threshold 0.001).
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from docmt.core.artifacts import read_json, sha256_file
from docmt.core.errors import UserError
from docmt.scoring.alignment.aligners import AlignedLines
from docmt.scoring.alignment.links import Aligned
from docmt.scoring.alignment.pharaoh import read_links

LAYER = 8
BETWEEN = "|||"
"""Parts source and target in awesome-align's input."""

WEIGHTS = "pytorch_model.bin"
FILES = {
    "config.json": None,
    "vocab.txt": None,
    "tokenizer_config.json": "without it awesome-align lower-cases, and a cased model does not know most words",
    WEIGHTS: "awesome-align reads no model.safetensors; to convert one: torch.save(safetensors.torch.load_file("
    "'model.safetensors'), 'pytorch_model.bin')",
}
"""Of the model's folder, and what to say where one is missing."""


@dataclass(frozen=True)
class AwesomeAlign:
    """`folder`: the model's. Nothing is downloaded."""

    folder: Path

    def align(self, source: Sequence[str], target: Sequence[str]) -> AlignedLines:
        """Lines of more pieces than the model has positions get no links, and are counted in the signature; the program
        would cut them and say nothing. Raises UserError where it is not installed, or the folder is no model for it."""
        model_files(self.folder)
        fitting = list(self._fitting(source, target))
        found = [Aligned.symmetric(frozenset())] * len(source)
        sides = [" ".join(_words(source[n])) for n in fitting], [" ".join(_words(target[n])) for n in fitting]
        for number, links in zip(fitting, self._run(*sides), strict=True):
            found[number] = Aligned.symmetric(links)
        too_long = sum(1 for pair in zip(source, target, strict=True) if all(map(str.split, pair))) - len(fitting)
        return AlignedLines(found, self._signature(too_long))

    def _fitting(self, source: Sequence[str], target: Sequence[str]) -> Iterator[int]:
        """Numbers of the lines that have words on both sides, and no more pieces than the model takes."""
        tokenizer = _tokenizer_class().from_pretrained(str(self.folder))
        most = min(tokenizer.max_len, read_json(self.folder / "config.json")["max_position_embeddings"]) - 2
        for number, pair in enumerate(zip(source, target, strict=True)):
            pieces = [sum(len(tokenizer.tokenize(word)) for word in _words(line)) for line in pair]
            if all(map(str.split, pair)) and max(pieces) <= most:
                yield number

    def _run(self, source: list[str], target: list[str]) -> list:
        with tempfile.TemporaryDirectory() as name:
            lines, found = Path(name) / "lines", Path(name) / "links"
            pairs = zip(source, target, strict=True)
            lines.write_text("".join(f"{one} {BETWEEN} {other}\n" for one, other in pairs), encoding="utf-8")
            options = {"data_file": lines, "output_file": found, "model_name_or_path": self.folder.absolute()}
            options |= {"align_layer": LAYER, "num_workers": 0}
            arguments = [text for key, value in options.items() for text in (f"--{key}", str(value))]
            command = [sys.executable, "-m", "awesome_align.run_align", *arguments]
            done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace")
            if done.returncode:
                last = done.stderr.strip().rpartition("\n")[2]
                raise UserError("awesome-align failed", where=str(self.folder), found=last)
            return read_links(found, source, target)

    def _signature(self, too_long: int) -> str:
        left_out = f",overlong:{too_long}" if too_long else ""
        model = sha256_file(self.folder / WEIGHTS)[:12]
        return f"awesome-align,v:{version('awesome-align')},layer:{LAYER},softmax:0.001,model:{model}{left_out}"


def model_files(folder: Path) -> list[Path]:
    """Raises UserError where one is missing, or the model has too few layers."""
    if not folder.is_dir():
        raise UserError("no folder of a model for awesome-align", where=str(folder), expected=", ".join(FILES))
    for name, remedy in FILES.items():
        if not (folder / name).is_file():
            raise UserError("file not found", where=str(folder / name), remedy=remedy)
    layers = read_json(folder / "config.json").get("num_hidden_layers", 0)
    if layers < LAYER:
        raise UserError("too few layers", where=str(folder / "config.json"), found=layers, expected=f"{LAYER} or more")
    return [folder / name for name in FILES]


def _tokenizer_class():
    try:
        from awesome_align.tokenization_bert import BertTokenizer
    except ModuleNotFoundError:
        remedy = "pip install awesome-align==0.1.7, or take another aligner"
        raise UserError("awesome-align is not installed", remedy=remedy) from None
    return BertTokenizer


def _words(line: str) -> list[str]:
    """What awesome-align takes for the border between the sides is given to it as another bar."""
    return ["|" if word == BETWEEN else word for word in line.split()]
