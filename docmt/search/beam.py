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
from itertools import islice

import torch
from torch import Tensor, nn

from docmt.base.errors import UserError
from docmt.nn.frames import FRAMES
from docmt.nn.rows import Rows
from docmt.nn.streams import Memory, frame_source
from docmt.search.hypotheses import DEAD, Candidates, Finished, Hypotheses
from docmt.search.rules import RULES, Rules, instance_limits
from docmt.settings.decode import DecodeConfig


def length_penalty(length: int, config: DecodeConfig) -> float:
    """By what the sum of log-probabilities is divided; `length` counts all outputs, ends of sentences included.

    Paper: gnmt is Wu et al. 2016, eq. 14, without the coverage penalty; unified_dnmt is what the public code of the
    lexical-chain paper's author makes of it (unified-dnmt, onmt/beam.py), which rewards length less.
    """
    if config.length_penalty == "average":
        return length**config.length_alpha
    if config.length_penalty == "gnmt":
        return ((5 + length) / 6) ** config.length_alpha
    if config.length_penalty == "unified_dnmt":
        return (5 + length / 6) ** config.length_alpha
    return 1.0


EndedHypotheses = list[tuple[float, list[int]]]
"""Score and outputs of an instance's finished hypotheses, in the order in which they ended."""


@dataclass(frozen=True)
class Translation:
    """A finished hypothesis of an instance."""

    sentences: list[list[int]]
    """Ids of each target sentence, without special symbols (`<unk>` may occur); none is empty.

    In the frame `unmarked` one run for all sentences of the instance.
    """
    score: float
    """Sum of the log-probabilities of all outputs, ends of sentences included; nats.

    It is the forced score of the sentences (`docmt.search.forced`), but in the frame `closed` only where none was cut
    at its maximum.
    """
    normalised: float
    """`score` by the length penalty: what hypotheses are ranked by."""
    forced_ends: int
    """Sentences (joined, unmarked: 0 or 1, for the instance) that reached their maximum length."""


@torch.inference_mode()
def beam_search(model: nn.Module, rows: Rows, config: DecodeConfig) -> list[list[Translation]]:
    """The `config.beam` best translations of each instance that were found (fewer if no more exist), best first.

    Where the model is synchronous each sentence is searched for by itself, and an instance gets one translation, of
    its sentences' best. The targets of `rows` are not looked at. The model is in evaluation mode, on the device to use.

    Raises:
        UserError: the model's scores are not numbers.

    Paper: G-Transformer, section 4.3: one search for the whole instance.
    """
    searches = search_instances(model, rows, config)
    if not model.synchronous:
        return [found for (found,) in searches]
    return [[join_translations([found[0] for found in sentences])] for sentences in searches]


@torch.inference_mode()
def search_instances(model: nn.Module, rows: Rows, config: DecodeConfig) -> list[list[list[Translation]]]:
    """Of each instance the searches: one or, where the model is synchronous, one for each of its sentences.

    See `beam_search`.
    """
    device = next(model.parameters()).device
    limits = instance_limits(rows, config, RULES[model.config.frame].counted_besides)
    memory = model.encode(frame_source(rows, model.config.frame).to(device))
    if not model.synchronous:
        return [[found] for found in search_memory(model, memory, limits, config)]
    found = iter(search_memory(model, memory.by_sentence(), [[limit] for row in limits for limit in row], config))
    return [list(islice(found, len(row))) for row in limits]


def search_memory(
    model: nn.Module, memory: Memory, limits: list[list[int]], config: DecodeConfig
) -> list[list[Translation]]:
    """One search for each instance of the memory; `limits` has the most words of each of its sentences."""
    search = Search(model, memory, limits, config.beam)
    ended = search.run(FRAMES[model.config.frame].input_before.edge)
    return [rank_translations(ended[number], row, search.rules, config) for number, row in enumerate(limits)]


def join_translations(translations: list[Translation]) -> Translation:
    """Translations of consecutive sentences as one."""
    return Translation(
        [words for one in translations for words in one.sentences],
        sum(one.score for one in translations),
        sum(one.normalised for one in translations),
        sum(one.forced_ends for one in translations),
    )


def rank_translations(
    ended: EndedHypotheses, limits: list[int], rules: Rules, config: DecodeConfig
) -> list[Translation]:
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
        normalised = score / length_penalty(len(outputs), config)
        translations.append(Translation(sentences, score, normalised, rules.forced_ends(sentences, limits)))
    return sorted(translations, key=lambda translation: -translation.normalised)


class Search:
    """One search: its state and its steps."""

    def __init__(self, model: nn.Module, memory: Memory, limits: list[list[int]], beam: int) -> None:
        """`limits`: see `search_memory`."""
        instances, device = len(limits), memory.states.device
        self.model, self.cache, self.beam = model, model.start(memory, beam), beam
        self.rules = RULES[model.config.frame](limits, device)
        self.alive = list(range(instances))
        """Numbers of the instances that are still in the batch."""
        self.first_slots = torch.arange(instances, device=device)[:, None] * beam
        self.growing = Hypotheses.start(instances, beam, self.rules.capacity, device)
        self.finished = Finished.start(self.growing)
        self.ended: dict[int, EndedHypotheses] = {}

    def run(self, opening: int) -> dict[int, EndedHypotheses]:
        """Search to the end, from the decoder's first input on; what ended, by number of instance."""
        inputs = torch.full_like(self.growing.words, opening)
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
        # Normalised before the rules: what these leave keeps the model's probability.
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
