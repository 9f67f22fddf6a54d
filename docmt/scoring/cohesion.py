"""Discourse cohesion: how probable BERT finds each sentence as the next one.

Paper: lexical chains, section 5.2, eq. 24; next-sentence prediction: Devlin et al. (2019). The model is a local folder
(the paper's: bert-base-uncased), read by the library transformers, which is needed for nothing else here.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from docmt.base.artifacts import digest, sha256_file
from docmt.base.errors import UserError
from docmt.base.foreign import library, reading
from docmt.base.names import DeviceName
from docmt.scoring.inputs import DIGITS
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.tallies import adjacent_pairs, adjacent_tally
from docmt.settings.pretrained import checkpoint_files, read_config, tokenizer_file

IS_NEXT = 0
"""Which of the two classes of a next-sentence head says that the second sentence follows the first."""


class NextSentenceModel:
    """A BERT with its next-sentence head. Raises UserError where the folder has no such model."""

    def __init__(self, folder: Path, device: DeviceName = "auto") -> None:
        from docmt.nn.device import choose_device

        config = read_config(folder)
        if config["model_type"] != "bert":
            raise UserError("not a BERT", where=str(folder), found=config["model_type"], expected="bert")
        tokenizer_file(folder)
        self.name = f"{folder.resolve().name}-{digest([*map(sha256_file, checkpoint_files(folder))], DIGITS)}"
        self._tokenizer, self._model = _load(folder, str(folder))
        self._device = choose_device(device)
        self._model.eval().to(self._device)
        self._longest = min(self._tokenizer.model_max_length, config["max_position_embeddings"])

    def probabilities(self, first: Sequence[str], second: Sequence[str]) -> tuple[list[float], int]:
        """That each of `second` follows its of `first`, and how many pairs are cut to what the model can read.

        Pairs do not influence each other, but for rounding.
        """
        import torch

        whole = self._tokenizer(list(first), list(second), truncation=False, verbose=False)["input_ids"]
        cut = sum(len(pieces) > self._longest for pieces in whole)
        batch = self._tokenizer(
            list(first), list(second), truncation=True, max_length=self._longest, padding=True, return_tensors="pt"
        )
        with torch.no_grad():
            logits = self._model(**batch.to(self._device)).logits
        return logits.softmax(dim=1)[:, IS_NEXT].tolist(), cut


def _load(folder: Path, where: str) -> tuple[Any, Any]:
    transformers = library("transformers", "cohesion needs transformers")
    # What it has to say of a checkpoint with another head beside this one is no concern of the user's.
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    with reading(where, "not a BERT that transformers can read"):
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model, report = transformers.BertForNextSentencePrediction.from_pretrained(
            folder, local_files_only=True, output_loading_info=True
        )
    if report["missing_keys"]:
        raise UserError(
            "no next-sentence head, or not the whole model",
            where=where,
            found=f"no {', '.join(sorted(report['missing_keys'])[:3])}",
            expected="the weights of BertForNextSentencePrediction or BertForPreTraining",
        )
    return tokenizer, model


def probabilities(
    lines: Sequence[str], documents: Sequence[str], model: NextSentenceModel, batch_pairs: int
) -> tuple[list[float], int]:
    """Of all adjacent sentences, in the order of `adjacent_pairs`; and how many pairs were too long and cut.

    `documents`: each line's, by name.
    """
    pairs = adjacent_pairs(documents)
    # The longest first: pairs of like lengths share a batch, and memory that runs out does so at once.
    order = sorted(range(len(pairs)), key=lambda n: -sum(len(lines[place]) for place in pairs[n]))
    found, cut = [0.0] * len(pairs), 0
    for start in range(0, len(order), batch_pairs):
        batch = order[start : start + batch_pairs]
        values, own = model.probabilities(*([lines[pairs[n][side]] for n in batch] for side in (0, 1)))
        cut += own
        for number, value in zip(batch, values, strict=True):
            found[number] = value
    return found, cut


def cohesion(values: Sequence[float], cut: int, name: str) -> dict:
    """`{"score", "pairs", "cut_pairs", "signature"}` from `probabilities`; empty where every document is one sentence.

    Three sentences of one document and two of another make 2 + 1 pairs, with 1, 0.5 and 0.75: 2.25 / 3.

    >>> cohesion([1.0, 0.5, 0.75], 0, "bert")["score"]
    0.75
    """
    if not values:
        return {}
    score = float(np.mean(values))
    return {"score": score, "pairs": len(values), "cut_pairs": cut, "signature": signature(name)}


def signature(name: str) -> str:
    """`name`: of the model's folder, with the beginning of its files' digest."""
    return f"cohesion|model:{name}|v:1"


def score(job: ScoringJob) -> ScoringResult:
    """Cohesion of the translations as a reader has them, where settings name a BERT."""
    chosen, documents = job.settings["cohesion"], job.references.documents
    if chosen is None or job.lines != "sentences":
        return ScoringResult()
    model = NextSentenceModel(job.inputs.next_sentence_model, job.device)
    values, cut = probabilities(job.translations.raw, documents, model, chosen["batch_pairs"])
    return ScoringResult({"cohesion": cohesion(values, cut, model.name)}, adjacent_tally("cohesion", values, documents))
