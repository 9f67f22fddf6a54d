"""Small files of every kind of model and checkpoint that docmt opens, and how it opens them."""

import io
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from helpers.checkpoints import fields, reference_model, transformers, write_checkpoint
from helpers.comet_files import write_comet
from helpers.command_line import succeed
from helpers.damage import told
from helpers.exported import TEXT, write_model
from helpers.fairseq_files import FairseqTraining
from helpers.hostile_models import PICKLED
from helpers.model_cases import CASES
from helpers.pieces import write_tokenizer
from helpers.sizes import COMPUTED
from helpers.support import ROOT

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError
from docmt.models import build
from docmt.models.pretrained import start_from
from docmt.scoring.alignment.training import train
from docmt.settings.data import CutConfig
from docmt.settings.models import TransformerConfig
from docmt.text.pretrained import PretrainedTokenizer
from docmt.training.checkpoint import StateFolder

LEARNED = {"position_table": "learned", "max_positions": 40}
LINES = {"source": "das haus\nein haus\n", "target": "the house\na house\n", "documents": "a\na\n"}


def model(folder: Path) -> None:
    write_model(folder, TransformerConfig(**COMPUTED, **LEARNED), CutConfig(window=1))
    (folder / "text/truecase.source.json").write_text('{"Ab": 3, "ab": 1}')


def chains(folder: Path) -> None:
    write_model(folder, CASES["lexical_chain"], CutConfig(max_tokens=30))
    (folder / "stop_words.txt").write_text("ab\n")


def bart(folder: Path) -> None:
    write_checkpoint(reference_model("bart", 25), folder, "bin")


def bert(folder: Path) -> None:
    write_checkpoint(reference_model("bert", 25), folder, "bin")


def awesome(folder: Path) -> None:
    """The BERT of awesome-align, which itself is not needed."""
    hf = transformers()
    sizes = {"hidden_size": 16, "num_hidden_layers": 8, "num_attention_heads": 2, "intermediate_size": 24}
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "house", "das", "haus"]
    config = hf.BertConfig(vocab_size=len(pieces), max_position_embeddings=20, **sizes)
    config.save_pretrained(folder)
    torch.save(hf.BertForMaskedLM(config).state_dict(), folder / PICKLED)
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in pieces))
    write_json(folder / "tokenizer_config.json", {"do_lower_case": False})


def state(folder: Path) -> None:
    """What a training leaves that is stopped."""
    StateFolder(folder, print, {"seed": 1}).save(1, 1, {"update": 1}, set())


def aligner(folder: Path) -> None:
    train(["das haus", "das buch"] * 2, ["the house", "the book"] * 2).save(folder)


def fairseq(folder: Path) -> None:
    folder.mkdir()
    FairseqTraining(folder, {})


def vectors(folder: Path) -> None:
    folder.mkdir()
    (folder / "vectors.txt").write_text("2 2\nthe 0.1 0.2\nhouse 0.3 0.1\n")


MAKERS: dict[str, Callable[[Path], object]] = {
    **{make.__name__: make for make in (model, chains, bart, bert, awesome, aligner, state, fairseq, vectors)},
    "export": model,
    "comet": write_comet,
    "wordpiece": lambda folder: write_tokenizer("bert", folder),
    "byte_level": lambda folder: write_tokenizer("bart", folder),
    "sentencepiece": lambda folder: write_tokenizer("mbart", folder),
}
ALIGN = "align --source source --target target --output out --model made"
TRANSLATE = "translate --model made --beam 1"
COMMANDS = {
    "model": TRANSLATE,
    "chains": TRANSLATE,
    "export": "export-model --model made --to huggingface --output out",
    "awesome": f"{ALIGN} --aligner awesome-align",
    "aligner": ALIGN,
    "fairseq": "import-fairseq --checkpoint made/best.pt --source-dictionary made/dict.txt --target-dictionary"
    " made/dict.txt --source-language en --target-language de --output out",
    "vectors": "score-coherence --hypotheses target --documents documents --vectors made/vectors.txt",
    "comet": "score-comet --source source --hypotheses target --reference target --comet-model made --comet-command"
    f" '{sys.executable} {ROOT / 'tests/helpers/other_python.py'}'",
}


def start(kind: str) -> Callable[[Path], object]:
    """A training's start from a checkpoint, whose sizes a person stated."""

    def call(folder: Path) -> None:
        torch.manual_seed(1)
        rows = {str(number): number for number in range(25)}
        start_from(build(TransformerConfig(**fields(kind)), 25, 25), folder, rows, rows if kind == "bart" else None)

    return call


def tokenize(folder: Path) -> None:
    PretrainedTokenizer.load(folder / "tokenizer.json").tokenize("the house")


def resume(folder: Path) -> None:
    assert StateFolder(folder, print, {"seed": 1}).newest()[0]


CALLS = {"bart": start("bart"), "bert": start("bert"), "state": resume}
CALLS |= dict.fromkeys(("wordpiece", "byte_level", "sentencepiece"), tokenize)


def prepared(whole: Path, place: Path) -> Path:
    """A place with a copy of a model's folder, and the texts that commands read."""
    shutil.copytree(whole, place / "made")
    for name, lines in LINES.items():
        (place / name).write_text(lines, encoding="utf-8")
    return place


def opened(kind: str) -> None:
    """Open the folder `made` of the present folder."""
    if kind in CALLS:
        CALLS[kind](Path("made"))
    else:
        succeed(*shlex.split(COMMANDS[kind]), text=TEXT)


def refused(kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> str:
    """What is said where the folder `made` is not opened: one message, and status 2."""
    if kind not in CALLS:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
        return told(capsys, monkeypatch, shlex.split(COMMANDS[kind]))
    with pytest.raises(UserError) as problem:
        CALLS[kind](Path("made"))
    return str(problem.value)
