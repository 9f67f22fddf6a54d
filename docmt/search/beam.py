"""Beam search over many instances at once, with models that store the states of earlier steps.

In each step the model reads the last outputs, and the rules of the frame bar outputs that must not follow. The search
then looks at the 2K best continuations of each instance. The continuations among the K best that end their hypothesis
are finished; the K best continuations that do not end are extended in the next step. At most K continuations can end,
since a hypothesis has only one ending, so at least K do not end.

The search of an instance stops as in fairseq: when K hypotheses are finished, or when no hypothesis can be extended.
The instance then leaves the batch, so that no step computes it further. The search does not wait for hypotheses that
would end later, even where the length penalty might rank them higher.

Axes: B instances still in the batch, K hypotheses of each instance (the beam), N = B * K, W candidates, V target
vocabulary, M blocks of it. A loop over hypotheses only collects the outputs of instances that are done. All other
functions work on whole tensors, so that a step of the search starts a small, fixed number of GPU kernels for any batch
size.
"""

import math
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from torch import Tensor, nn

from docmt.base.vocabulary import UNK
from docmt.nn.cache import Cache
from docmt.nn.frames import FRAMES
from docmt.nn.rows import Rows
from docmt.nn.streams import Memory
from docmt.search.rules import RULES, instance_limits, most_pieces, none_known
from docmt.search.source import source_of
from docmt.search.translations import EndedHypotheses, Translation, join_translations, rank_translations
from docmt.settings.decode import DecodeConfig

BLOCK = 64
"""The number of pieces of a block: with fewer there are more maxima, with more there are more pieces to choose from."""
DEAD = -math.inf  # The score of a slot of the beam without a hypothesis


@dataclass
class Candidates:
    """Continuations of hypotheses, best first, in three tensors (B, W)."""

    scores: Tensor  # the sums of log-probabilities (nats)
    origins: Tensor  # the slots of the hypotheses that are continued
    tokens: Tensor  # the new outputs

    def take(self, order: Tensor) -> "Candidates":
        """Return the candidates at the indices `order` (B, any)."""
        return Candidates(self.scores.gather(1, order), self.origins.gather(1, order), self.tokens.gather(1, order))


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
    """Return the translations of each search of each instance, best first."""
    most, counted_besides = most_pieces(model.config.learned_positions), RULES[model.config.frame].counted_besides
    limits = instance_limits(rows, config, counted_besides, most)
    memory = model.encode(source_of(model, rows))
    # An instance has a single search or, where the model is synchronous, a search for each of its sentences.
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


class Search:
    """The state and the steps of a beam search over a batch of instances."""

    def __init__(self, model: nn.Module, memory: Memory, limits: list[list[int]], beam: int) -> None:
        """Start with an empty hypothesis for each instance; `limits` has the maximum lengths of its sentences."""
        instances, device = len(limits), memory.states.device
        self.model, self.cache, self.beam = model, Cache(memory, beam, model.config.frame), beam
        self.rules = RULES[model.config.frame](limits, device, model.config.learned_positions)
        self.alive = list(range(instances))  # The numbers of the instances that are still in the batch
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
        complete = self.finished.complete(self.growing).cpu().numpy()
        if not complete.any():
            return
        numbers = (torch.from_numpy(np.flatnonzero(flags)) for flags in (complete, ~complete))
        done, stay = (part.to(self.first_slots.device, non_blocking=True) for part in numbers)
        ended = (number for number, is_over in zip(self.alive, complete, strict=True) if is_over)
        self.ended.update(zip(ended, self.finished.outputs(done), strict=True))
        self.alive = [number for number, is_over in zip(self.alive, complete, strict=True) if not is_over]
        for part in (self.growing, self.finished, self.rules, self.cache):
            part.keep(stay)


@dataclass
class Hypotheses:
    """The hypotheses that are still extended."""

    tokens: Tensor  # (B, K, capacity): the outputs, of which the first `length` are filled
    scores: Tensor  # (B, K): sums of log-probabilities, in float64
    sentence: Tensor  # (B, K): the number of the sentence that is being written
    words: Tensor  # (B, K): the number of outputs of this sentence so far
    length: int = 0

    @classmethod
    def start(cls, instances: int, beam: int, capacity: int, device: torch.device) -> "Hypotheses":
        """Return the start of a search: one empty hypothesis for each instance."""
        # The other K - 1 slots have no hypothesis, since K equal hypotheses would give the same candidates K times.
        scores = torch.full((instances, beam), DEAD, dtype=torch.float64, device=device)
        scores[:, 0] = 0
        zeros = torch.zeros(instances, beam, dtype=torch.long, device=device)
        return cls(zeros.new_zeros(instances, beam, capacity), scores, zeros, zeros.clone())

    @property
    def last(self) -> Tensor:
        """The last outputs (B, K)."""
        return self.tokens[..., self.length - 1]

    def extend(self, chosen: Candidates, separator: int) -> None:
        """Replace the hypotheses by K of their continuations."""
        # A dead slot is continued with `<unk>`: a special symbol would advance the model to the next sentence.
        tokens = chosen.tokens.masked_fill(chosen.scores == DEAD, UNK)
        past = chosen.origins[..., None].expand(-1, -1, self.length)
        self.tokens[..., : self.length] = self.tokens[..., : self.length].gather(1, past)
        self.tokens[..., self.length] = tokens
        self.length += 1
        self.scores = chosen.scores
        # The next sentence begins after the output `separator`.
        ended = tokens == separator
        self.sentence = self.sentence.gather(1, chosen.origins) + ended
        self.words = (self.words.gather(1, chosen.origins) + 1).masked_fill(ended, 0)

    def keep(self, instances: Tensor) -> None:
        """Remove all instances from the batch but the ones at the indices `instances`."""
        self.tokens, self.scores = self.tokens[instances], self.scores[instances]
        self.sentence, self.words = self.sentence[instances], self.words[instances]


@dataclass
class Finished:
    """The finished hypotheses, in K slots of each instance and one slot more, which takes what is not finished."""

    tokens: Tensor  # (B, K + 1, capacity): the outputs, with the symbol that ends the hypothesis
    scores: Tensor  # (B, K + 1): sums of log-probabilities
    lengths: Tensor  # (B, K + 1): the numbers of outputs
    count: Tensor  # (B): the number of finished hypotheses, which are in the first slots

    @classmethod
    def start(cls, growing: Hypotheses) -> "Finished":
        """Return the state without finished hypotheses, for the hypotheses `growing` of a search."""
        instances, beam, capacity = growing.tokens.shape
        tokens = growing.tokens.new_zeros(instances, beam + 1, capacity)
        scores = growing.scores.new_full((instances, beam + 1), DEAD)
        return cls(tokens, scores, tokens.new_zeros(instances, beam + 1), tokens.new_zeros(instances))

    @property
    def beam(self) -> int:
        """The number K of hypotheses of each instance."""
        return self.scores.shape[1] - 1

    def add(self, growing: Hypotheses, candidates: Candidates, finishing: Tensor) -> None:
        """Add the candidates among the K best that end their hypothesis, up to K finished hypotheses for each instance.

        `finishing` (B, W) is true for a candidate that ends its hypothesis.
        """
        beam, length = self.beam, growing.length
        ends = finishing[:, :beam] & (candidates.scores[:, :beam] > DEAD)
        if none_known(ends):
            return
        # Candidates are best first: a candidate that ends gets the next free slot, and is dropped where none is free.
        slots = self.count[:, None] + ends.cumsum(1) - 1
        ends = ends & (slots < beam)
        # Candidates that do not end are written too, into the last slot: to leave them out, the host would have to know
        # which ones end, and wait for the device.
        slots = slots.masked_fill(~ends, beam)
        past, slots_of_past = (x[..., None].expand(-1, -1, length) for x in (candidates.origins[:, :beam], slots))
        self.tokens[..., :length].scatter_(1, slots_of_past, growing.tokens[..., :length].gather(1, past))
        self.tokens[..., length].scatter_(1, slots, candidates.tokens[:, :beam])
        self.scores.scatter_(1, slots, candidates.scores[:, :beam])
        self.lengths.scatter_(1, slots, length + 1)
        self.count = self.count + ends.sum(1)

    def keep(self, instances: Tensor) -> None:
        """Remove all instances from the batch but the ones at the indices `instances`."""
        self.tokens, self.scores = self.tokens[instances], self.scores[instances]
        self.lengths, self.count = self.lengths[instances], self.count[instances]

    def complete(self, growing: Hypotheses) -> Tensor:
        """Return which instances (B) are done, since K hypotheses are finished or no hypothesis can be extended."""
        return (self.count == self.beam) | (growing.scores == DEAD).all(1)

    def outputs(self, instances: Tensor) -> list[list[tuple[float, list[int]]]]:
        """Return the scores and the outputs of the finished hypotheses of `instances`, in the order of their ends."""
        counts = self.count[instances].tolist()
        scores, lengths = self.scores[instances].tolist(), self.lengths[instances].tolist()
        tokens = self.tokens[instances].tolist()
        return [
            [(scores[i][slot], tokens[i][slot][: lengths[i][slot]]) for slot in range(count)]
            for i, count in enumerate(counts)
        ]


def best_continuations(log_probabilities: Tensor, scores: Tensor, count: int) -> Candidates:
    """Return the `count` best continuations of each instance, without a search in the whole vocabulary.

    `log_probabilities` (B, K, V) are those of the next outputs, and `scores` (B, K) are those of the hypotheses, in
    float64. A continuation whose score is not a number has the score of a dead slot.
    """
    # The pieces are cut into blocks. The W best continuations are in the W blocks that have the best maxima, so that
    # all other blocks are only read once, for their maxima.
    vocabulary, maxima = log_probabilities.shape[-1], block_maxima(log_probabilities)
    blocks = _best(scores[..., None] + maxima.double(), min(count, maxima[0].numel())).indices
    origins = blocks // maxima.shape[-1]
    pieces = (blocks % maxima.shape[-1] * BLOCK)[..., None] + torch.arange(BLOCK, device=blocks.device)
    # The last block may be shorter: its places after the last piece are barred.
    is_piece, pieces = pieces < vocabulary, pieces.clamp(max=vocabulary - 1)
    places = (origins[..., None] * vocabulary + pieces).flatten(1)
    totals = log_probabilities.flatten(1).gather(1, places).double()
    totals += scores.gather(1, origins).repeat_interleave(BLOCK, dim=1)
    chosen_scores, chosen = _best(totals.masked_fill_(~is_piece.flatten(1), DEAD), count)
    return Candidates(chosen_scores, origins.gather(1, chosen // BLOCK), pieces.flatten(1).gather(1, chosen))


def block_maxima(log_probabilities: Tensor) -> Tensor:
    """Return the largest log-probability of each block of pieces (B, K, M)."""
    whole = log_probabilities.shape[-1] // BLOCK * BLOCK
    blocks, rest = log_probabilities.split((whole, log_probabilities.shape[-1] - whole), dim=-1)
    maxima = blocks.unflatten(-1, (-1, BLOCK)).amax(-1) if whole else blocks
    return torch.cat((maxima, rest.amax(-1, keepdim=True)), dim=-1) if rest.shape[-1] else maxima


def _best(scores: Tensor, count: int) -> torch.return_types.topk:
    # A score that is NaN becomes that of a dead slot: otherwise topk would rank it above every number.
    return scores.nan_to_num(nan=DEAD, neginf=DEAD).flatten(1).topk(count)
