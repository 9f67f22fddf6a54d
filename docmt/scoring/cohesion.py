"""Discourse cohesion: the mean probability of adjacent sentences under BERT's next-sentence prediction.

Paper: lexical chains (Lyu et al. 2022), section 5.2, eq. 24. BERT and next-sentence prediction are from Devlin et al.
(2019). The BERT is read from a local folder; the paper uses bert-base-uncased. The library transformers reads the
folder; no other metric needs this library.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docmt.base.digests import digest, sha256_file
from docmt.base.errors import UserError
from docmt.base.foreign import library, reading
from docmt.base.names import DeviceName
from docmt.base.recipe import artifact_name
from docmt.scoring.inputs import DIGITS
from docmt.scoring.intervals import scores_of
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.tallies import Tally, adjacent_pairs, adjacent_tally
from docmt.settings.pretrained import checkpoint_files, read_config, tokenizer_file

IS_NEXT = 0
"""The index of the class "the second sentence follows the first" among the two classes of a next-sentence head."""


class NextSentenceModel:
    """A BERT with a next-sentence head.

    `name` is the name of the model in signatures: the name of its folder and the first digits of the digest of its
    files.
    """

    def __init__(self, folder: Path, device: DeviceName = "auto") -> None:
        """Read the model of a folder; raises UserError where the folder has no BERT with a next-sentence head."""
        from docmt.nn.device import choose_device

        config = read_config(folder)
        if config["model_type"] != "bert":
            raise UserError("not a BERT", where=str(folder), found=config["model_type"], expected="bert")
        tokenizer_file(folder)
        self.name = f"{artifact_name(folder.resolve())}-{digest([*map(sha256_file, checkpoint_files(folder))], DIGITS)}"
        self._tokenizer, self._model = _load(folder, str(folder))
        self._device = choose_device(device)
        self._model.eval().to(self._device)
        self._longest = min(self._tokenizer.model_max_length, config["max_position_embeddings"])

    def probabilities(self, first: Sequence[str], second: Sequence[str]) -> tuple[list[float], int]:
        """Return the probability that each sentence of `second` follows that of `first`, and the number of cut pairs.

        A pair with more pieces than the model has positions is cut. The result of a pair does not depend on the other
        pairs, up to rounding.
        """
        import torch

        # Pairs are tokenised twice, since the lengths before truncation are needed to count the cut pairs.
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
    # Checkpoints of BERT also have a head for masked words, which is not used here: transformers would warn of it.
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
    """Return the probability of each pair of adjacent sentences, and the number of pairs that were cut.

    The probabilities are in the order of `adjacent_pairs`. `documents` has the name of the document of each line. A
    batch has at most `batch_pairs` pairs. A pair with more pieces than the model has positions is cut.
    """
    pairs = adjacent_pairs(documents)
    # The longest pairs come first, so that a lack of memory shows in the first batch; similar lengths save padding.
    order = sorted(range(len(pairs)), key=lambda n: -sum(len(lines[place]) for place in pairs[n]))
    all_values, cut = [0.0] * len(pairs), 0
    for start in range(0, len(order), batch_pairs):
        batch = order[start : start + batch_pairs]
        values, cut_in_batch = model.probabilities(*([lines[pairs[n][side]] for n in batch] for side in (0, 1)))
        cut += cut_in_batch
        for number, value in zip(batch, values, strict=True):
            all_values[number] = value
    return all_values, cut


def cohesion(lines: Sequence[str], documents: Sequence[str], model: NextSentenceModel, batch_pairs: int) -> Tally:
    """Return the summands of the mean probability of adjacent sentences, with the number of `cut_pairs` as a fact."""
    values, cut = probabilities(lines, documents, model, batch_pairs)
    return adjacent_tally("cohesion", values, documents, signature(model.name), {"cut_pairs": cut})


def signature(name: str) -> str:
    """Return the signature of cohesion; `name` is the name of the model (see `NextSentenceModel`)."""
    return f"cohesion|model:{name}|v:1"


def score(job: ScoringJob) -> ScoringResult:
    """Return the cohesion of a system's translations as plain text.

    The result is empty where the settings name no BERT, and where a line of the translations is a document.
    """
    settings, documents = job.settings["cohesion"], job.references.documents
    if settings is None or job.lines != "sentences":
        return ScoringResult()
    model = NextSentenceModel(job.inputs.next_sentence_model, job.device)
    tally, of_reference = (
        cohesion(lines, documents, model, settings["batch_pairs"])
        for lines in (job.translations.raw, job.references.raw[0])
    )
    return ScoringResult(scores_of([tally]) + scores_of([of_reference], "reference"), [tally])
