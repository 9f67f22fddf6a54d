"""Beam search over many instances at once, with models that store the states of earlier steps.

In each step the model reads the last outputs, and the rules of the frame bar outputs that must not follow. The search
then looks at the 2K best continuations of each instance. The continuations among the K best that end their hypothesis
are finished; the K best continuations that do not end are extended in the next step. At most K continuations can end,
since a hypothesis has only one ending, so at least K do not end.

The search of an instance stops as in fairseq: when K hypotheses are finished, or when no hypothesis can be extended.
The instance then leaves the batch, so that no step computes it further. The search does not wait for hypotheses that
would end later, even where the length penalty might rank them higher.

Axes: B instances still in the batch, K the beam, N = B * K hypotheses, V target vocabulary.
"""

from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from torch import Tensor, nn

from docmt.base.errors import UserError
from docmt.nn.caches import Cache
from docmt.nn.device import download, upload
from docmt.nn.frames import FRAMES
from docmt.nn.rows import Rows
from docmt.nn.streams import Memory
from docmt.search.best import best_continuations
from docmt.search.hypotheses import Candidates, Finished, Hypotheses
from docmt.search.rules import RULES, Rules, instance_limits, most_pieces
from docmt.search.source import source_of
from docmt.settings.decode import DecodeConfig


def length_penalty(length: int, config: DecodeConfig) -> float:
    """Return the length penalty that divides a hypothesis' log-probability.

    `length` is the number of all outputs, ends of sentences included.
    Paper: gnmt is Wu et al. 2016, eq. 14, without the coverage penalty. unified_dnmt is a variant that rewards length
    less, from the public code of the author of the lexical-chains paper (unified-dnmt, onmt/beam.py).
    """
    if config.length_penalty == "average":
        return length**config.length_alpha
    if config.length_penalty == "gnmt":
        return ((5 + length) / 6) ** config.length_alpha
    if config.length_penalty == "unified_dnmt":
        return (5 + length / 6) ** config.length_alpha
    return 1.0


EndedHypotheses = list[tuple[float, list[int]]]
"""The scores and the outputs of the finished hypotheses of an instance, in the order in which they ended."""


@dataclass(frozen=True)
class Translation:
    """A finished hypothesis of an instance."""

    sentences: list[list[int]]
    """The piece ids of each target sentence, without special symbols (`<unk>` may occur); no sentence is empty.

    In the frame `unmarked`, a single list has the pieces of all sentences of the instance.
    """
    score: float
    """The sum of the log-probabilities (nats) of all outputs, ends of sentences included.

    The sum equals the forced score of the sentences (`docmt.search.forced`); in the frame `closed` only where no
    sentence was cut at its maximum length.
    """
    normalised: float
    """The value of `score` divided by the length penalty; hypotheses are ranked by it."""
    forced_ends: int
    """The number of sentences that reached their maximum length, or the end of a learned table of positions.

    In the frames `joined` and `unmarked` it is 1 where the whole instance reached its maximum length, and else 0.
    """


@torch.inference_mode()
def beam_search(model: nn.Module, rows: Rows, config: DecodeConfig) -> list[list[Translation]]:
    """Return the `config.beam` best translations of each instance, or fewer where fewer are finished, best first.

    Where `model.synchronous` is true, each sentence has a search of its own, and an instance gets a single translation,
    which joins the best translations of its sentences. Only the sources of `rows` are read. The model must be in
    evaluation mode, and the search runs on the device of its parameters. Raises UserError where the model's scores are
    not numbers.

    Paper: G-Transformer (Bao et al. 2021), section 4.3: one search for the whole instance.
    """
    searches = search_instances(model, rows, config)
    if not model.synchronous:
        return [translations for (translations,) in searches]
    return [[join_translations([translations[0] for translations in sentences])] for sentences in searches]


@torch.inference_mode()
def search_instances(model: nn.Module, rows: Rows, config: DecodeConfig) -> list[list[list[Translation]]]:
    """Return the translations of each search of each instance, best first.

    An instance has a single search or, where the model is synchronous, a search for each of its sentences.
    """
    most, counted_besides = most_pieces(model.config.learned_positions), RULES[model.config.frame].counted_besides
    limits = instance_limits(rows, config, counted_besides, most)
    memory = model.encode(source_of(model, rows))
    if not model.synchronous:
        return [[translations] for translations in search_memory(model, memory, limits, config)]
    searches = iter(search_memory(model, memory.by_sentence(), [[limit] for row in limits for limit in row], config))
    return [list(islice(searches, len(row))) for row in limits]


def search_memory(
    model: nn.Module, memory: Memory, limits: list[list[int]], config: DecodeConfig
) -> list[list[Translation]]:
    """Return the translations of each instance of `memory`, the encoder's output for a batch, by one common search.

    `limits` has the maximum length, in pieces, of each sentence of each instance.
    """
    search = Search(model, memory, limits, config.beam)
    ended = search.run(FRAMES[model.config.frame].input_before.edge)
    return [rank_translations(ended[number], row, search.rules, config) for number, row in enumerate(limits)]


def join_translations(translations: list[Translation]) -> Translation:
    """Join the translations of consecutive sentences to one translation, whose scores are the sums of their scores."""
    return Translation(
        [words for translation in translations for words in translation.sentences],
        sum(translation.score for translation in translations),
        sum(translation.normalised for translation in translations),
        sum(translation.forced_ends for translation in translations),
    )


def rank_translations(
    ended: EndedHypotheses, limits: list[int], rules: Rules, config: DecodeConfig
) -> list[Translation]:
    """Return the translations of an instance, best first; equally good translations are in the order of their ends.

    `limits` has the maximum length of each sentence. Raises UserError where no hypothesis is finished, which happens
    where the model's scores are not numbers.
    """
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
    """The state and the steps of a beam search over a batch of instances."""

    def __init__(self, model: nn.Module, memory: Memory, limits: list[list[int]], beam: int) -> None:
        """Start with an empty hypothesis for each instance; `limits` has the maximum lengths of its sentences."""
        instances, device = len(limits), memory.states.device
        self.model, self.cache, self.beam = model, Cache(memory, beam, model.config.frame), beam
        self.rules = RULES[model.config.frame](limits, device, model.config.learned_positions)
        self.alive = list(range(instances))
        """The numbers of the instances that are still in the batch."""
        self.first_slots = torch.arange(instances, device=device)[:, None] * beam
        self.growing = Hypotheses.start(instances, beam, self.rules.capacity, device)
        self.finished = Finished.start(self.growing)
        self.ended: dict[int, EndedHypotheses] = {}

    def run(self, opening: int) -> dict[int, EndedHypotheses]:
        """Search until all instances are done; return the finished hypotheses by the number of their instance.

        `opening` is the decoder's first input.
        """
        inputs = torch.full_like(self.growing.words, opening)
        while self.alive:
            self.step(inputs)
            inputs = self.rules.inputs(self.growing.last)
        return self.ended

    def step(self, inputs: Tensor) -> None:
        """Extend all hypotheses by one output; `inputs` (B, K) are the decoder's inputs."""
        self.cache.advance(inputs.flatten())
        logits = self.model.logits(self.model.target_states(self.cache))
        candidates = self.expand(logits.unflatten(0, inputs.shape))
        sentence = self.growing.sentence.gather(1, candidates.origins)
        finishing = self.rules.finishing(candidates.tokens, sentence)
        self.finished.add(self.growing, candidates, finishing)
        # The stable sort puts candidates that do not end first and keeps their order; at least K of the 2K do not end.
        living = candidates.take(finishing.byte().argsort(dim=1, stable=True)[:, : self.beam])
        self.growing.extend(living, self.rules.separator)
        self.cache.reorder((self.first_slots[: len(self.alive)] + living.origins).flatten())
        self.drop_complete()

    def expand(self, logits: Tensor) -> Candidates:
        """Return the 2K best continuations of each instance, from the logits (B, K, V) of its hypotheses."""
        # The softmax comes before the rules bar outputs, so that all other outputs keep the probability of the model.
        # It overwrites the logits, the largest table of a step, which saves a sixth of its time.
        log_probabilities = torch.log_softmax(logits, -1, out=logits)
        self.rules.bar(log_probabilities, self.growing)
        return best_continuations(log_probabilities, self.growing.scores, 2 * self.beam)

    def drop_complete(self) -> None:
        """Remove the instances that are done from the batch, and store their finished hypotheses in `ended`."""
        complete = download(self.finished.complete(self.growing))
        if not complete.any():
            return
        done, stay = (upload(np.flatnonzero(flags), self.first_slots.device) for flags in (complete, ~complete))
        ended = (number for number, is_over in zip(self.alive, complete, strict=True) if is_over)
        self.ended.update(zip(ended, self.finished.outputs(done), strict=True))
        self.alive = [number for number, is_over in zip(self.alive, complete, strict=True) if not is_over]
        for part in (self.growing, self.finished, self.rules, self.cache):
            part.keep(stay)
