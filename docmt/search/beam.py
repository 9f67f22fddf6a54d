"""Beam search over many instances at once, on the models' cached decoding.

One step: the model reads the last outputs; the rules bar what must not come next; of the 2K best continuations of an
instance, those that end and are among the K best are finished, and the K best that do not end live on. At most K can
end, since each hypothesis has one ending, so that K always remain.

Stop rule, fairseq's: an instance is done when K hypotheses have ended, or none is left that could; it then leaves the
batch, so that time follows the work. A hypothesis that would end later is not waited for, even where the length
penalty might rank it higher.

Axes: B instances still in the batch, K the beam, N = B * K hypotheses, V target vocabulary.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from docmt.core.config import DecodeConfig
from docmt.core.errors import UserError
from docmt.core.vocabulary import BOS
from docmt.nn.caches import Cache
from docmt.nn.rows import Rows
from docmt.nn.streams import frame_source
from docmt.search.hypotheses import DEAD, Candidates, Finished, Hypotheses
from docmt.search.penalty import length_factor
from docmt.search.rules import RULES, Rules, instance_limits

Ended = list[tuple[float, list[int]]]
"""Score and outputs of an instance's finished hypotheses, in the order in which they ended."""


@dataclass(frozen=True)
class Translation:
    """A finished hypothesis of an instance."""

    sentences: list[list[int]]
    """Ids of each target sentence, without special symbols (`<unk>` may occur); none is empty."""
    score: float
    """Sum of the log-probabilities of all outputs, ends of sentences included; nats."""
    normalised: float
    """`score` by the length penalty: what hypotheses are ranked by."""
    forced_ends: int
    """Sentences (joined: 0 or 1, for the window) that reached their maximum length."""


@torch.inference_mode()
def beam_search(model: nn.Module, rows: Rows, config: DecodeConfig) -> list[list[Translation]]:
    """The `config.beam` best translations of each instance that were found (fewer if no more exist), best first.

    The targets of `rows` are not looked at. The model is in evaluation mode, on the device to use.

    Raises:
        UserError: the model's scores are not numbers.

    Paper: G-Transformer, section 4.3: one search for the whole instance.
    """
    device = next(model.parameters()).device
    limits = instance_limits(rows, config)
    rules = RULES[model.config.frame](limits, device)
    memory = model.encode(frame_source(rows, model.config.frame).to(device))
    ended = Search(model, model.start(memory, config.beam), rules, len(rows), config.beam, device).run()
    return [ranked(ended[number], limits[number], rules, config) for number in range(len(rows))]


def ranked(ended: Ended, limits: list[int], rules: Rules, config: DecodeConfig) -> list[Translation]:
    """An instance's translations, the best first; equal ones in the order in which they ended."""
    if not ended:
        raise UserError(
            "the model gives no translation",
            found="scores that are not numbers",
            remedy="training has probably diverged: look at the losses in metrics.jsonl",
        )
    translations = []
    for score, outputs in ended:
        sentences = rules.split(outputs)
        normalised = score / length_factor(len(outputs), config)
        translations.append(Translation(sentences, score, normalised, rules.forced_ends(sentences, limits)))
    return sorted(translations, key=lambda translation: -translation.normalised)


class Search:
    """One search: its state and its steps."""

    def __init__(
        self, model: nn.Module, cache: Cache, rules: Rules, instances: int, beam: int, device: torch.device
    ) -> None:
        self.model, self.cache, self.rules, self.beam = model, cache, rules, beam
        self.alive = list(range(instances))
        """Numbers of the instances that are still in the batch."""
        self.first_slots = torch.arange(instances, device=device)[:, None] * beam
        self.growing = Hypotheses.start(instances, beam, rules.capacity, device)
        self.finished = Finished.start(self.growing)
        self.ended: dict[int, Ended] = {}

    def run(self) -> dict[int, Ended]:
        """Search to the end; what ended, by number of instance."""
        inputs = torch.full_like(self.growing.words, BOS)
        while self.alive:
            self.step(inputs)
            inputs = self.rules.inputs(self.growing.last)
        return self.ended

    def step(self, inputs: Tensor) -> None:
        """Take all hypotheses, whose decoder inputs (B, K) are given, one output further."""
        logits = self.model.logits(self.model.step(inputs.flatten(), self.cache))
        candidates = self.expand(logits.unflatten(0, inputs.shape))
        sentence = self.growing.sentence.gather(1, candidates.origins)
        finishing = self.rules.finishing(candidates.tokens, sentence)
        self.finished.add(self.growing, candidates, finishing)
        living = candidates.take(finishing.byte().argsort(dim=1, stable=True)[:, : self.beam])
        self.growing.extend(living, self.rules.separator)
        self.cache.reorder((self.first_slots[: len(self.alive)] + living.origins).flatten())
        self.drop_complete()

    def expand(self, logits: Tensor) -> Candidates:
        """The 2K best continuations of each instance, by the logits (B, K, V) of its hypotheses."""
        # Normalised before the rules: a forced output keeps the model's probability.
        log_probabilities = logits.log_softmax(-1)
        self.rules.bar(log_probabilities, self.growing)
        best, tokens = log_probabilities.topk(min(2 * self.beam, logits.shape[-1]))
        scores = self.growing.scores[..., None] + best.double()
        # What is no number is no hypothesis: it would win every comparison.
        scores, places = scores.nan_to_num(nan=DEAD, neginf=DEAD).flatten(1).topk(2 * self.beam)
        return Candidates(scores, places // best.shape[-1], tokens.flatten(1).gather(1, places))

    def drop_complete(self) -> None:
        """Take the instances that are done out of the batch, and their results out of the tensors."""
        complete = self.finished.complete(self.growing)
        done = complete.nonzero().flatten()
        if not len(done):
            return
        numbers = done.tolist()
        self.ended.update(zip((self.alive[i] for i in numbers), self.finished.outputs(done), strict=True))
        self.alive = [number for i, number in enumerate(self.alive) if i not in set(numbers)]
        stay = (~complete).nonzero().flatten()
        for part in (self.growing, self.finished, self.rules, self.cache):
            part.keep(stay)
