"""Small random models in folders, as trainings and imports leave them, and their exports."""

import dataclasses
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import torch

from docmt.base.vocabulary import EOS, SPECIALS, Vocabulary
from docmt.models import build
from docmt.models.store import save_model
from docmt.settings.data import CutConfig, TextConfig, ViewConfig
from docmt.settings.models import TransformerConfig
from docmt.text.bpe import Segmenter
from docmt.text.casing import KeepCase
from docmt.text.pipeline import PipelineConfig, TextPipeline
from docmt.text.side import Side
from docmt.text.tokenizers import tokenizer_for

VOCABULARY = Vocabulary.from_counts({letter + ending: 1 for letter in "abcdefghij" for ending in ("", "@@")})
DOCUMENTS = [["ab cd", "ef", "j"], ["gh ij", "abc", "e", "b aa", "hh i"], ["f g"]]
TEXT = "\n\n".join("\n".join(document) for document in DOCUMENTS) + "\n"


def letters() -> TextPipeline:
    """A text that cuts words into letters."""
    side = Side(tokenizer_for("en", TextConfig()), KeepCase(), Segmenter(()), VOCABULARY)
    return TextPipeline(PipelineConfig(source_language="en", target_language="en", merges=0), side, side)


def write_model(
    folder: Path,
    config: TransformerConfig,
    cut: CutConfig,
    is_sure: bool = False,
    end: float = 2,
    seed: int = 2,
    **provenance: object,
) -> Path:
    """A model folder. `is_sure`: special symbols are improbable, but for the end, whose bias is `end`."""
    torch.manual_seed(seed)
    model = build(config, len(VOCABULARY), len(VOCABULARY)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
        if is_sure:
            # The first value of every final state is 1, so that a weight there is the bias of an output.
            model.decoder_norm.weight[0], model.decoder_norm.bias[0] = 0, 1
            model.output.weight[: len(SPECIALS), 0] = -60
            model.output.weight[EOS, 0] = end
    save_model(folder, model, {"view": dataclasses.asdict(ViewConfig(cut, cut)), **provenance})
    letters().save(folder / "text")
    return folder


def loaded_program(folder: Path, monkeypatch) -> ModuleType:
    """The program of an export, imported beside its own copies of other files."""
    monkeypatch.syspath_prepend(str(folder))
    for name in ("pieces", "moses", "chinese", "truecase", "batches"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    spec = importlib.util.spec_from_file_location("exported_translate", folder / "translate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
