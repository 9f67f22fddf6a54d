"""Beam search over many instances at once, with the models' cached decoding.

In one step the model reads the last outputs, and the rules bar outputs that must not come next. Of the 2K best
continuations of an instance, those that end and are among the K best are finished, and the K best that do not end are
extended further. At most K continuations can end, since each hypothesis has one ending, so that K always remain.

The stop rule is fairseq's: an instance is done when K hypotheses have ended, or when no hypothesis is left that could
end. It then leaves the batch, so that the time of a step follows the remaining work. A hypothesis that would end later
is not waited for, even where the length penalty might rank it higher.

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
    """Return the length penalty that divides a hypothesis' log-probability.

    `length`: the number of all outputs, ends of sentences included.
    Paper: gnmt is Wu et al. 2016, eq. 14, without the coverage penalty. unified_dnmt is the variant in the public code
    of the lexical-chain paper's author (unified-dnmt, onmt/beam.py), which rewards length less.
    """
    if config.length_penalty == "average":
        return length**config.length_alpha
    if config.length_penalty == "gnmt":
        return ((5 + length) / 6) ** config.length_alpha
    if config.length_penalty == "unified_dnmt":
        return (5 + length / 6) ** config.length_alpha
    return 1.0


EndedHypotheses = list[tuple[float, list[int]]]
"""The scores and outputs of an instance's finished hypotheses, in the order in which they ended."""


@dataclass(frozen=True)
class Translation:
    """A finished hypothesis of an instance."""

    sentences: list[list[int]]
    """The ids of each target sentence, without special symbols (`<unk>` may occur); no sentence is empty.

    In the frame `unmarked` this is one run for all sentences of the instance.
    """
    score: float
    """The sum of the log-probabilities (nats) of all outputs, ends of sentences included.

    It equals the forced score of the sentences (`docmt.search.forced`); in the frame `closed` only where no sentence
    was cut at its maximum length.
    """
    normalised: float
    """`score` divided by the length penalty, by which hypotheses are ranked."""
    forced_ends: int
    """The number of sentences that reached their maximum length; in the frames `joined` and `unmarked` 0 or 1."""


@torch.inference_mode()
def beam_search(model: nn.Module, rows: Rows, config: DecodeConfig) -> list[list[Translation]]:
    """Return the at most `config.beam` best translations of each instance, best first.

    There are fewer where the search does not finish as many. Where the model is synchronous, each sentence is searched
    by itself, and an instance gets one translation, which joins the best translations of its sentences. The targets of
    `rows` are not used. The model is in evaluation mode, on the device to use.
    Raises UserError where the model's scores are not numbers.

    Paper: G-Transformer, section 4.3: one search for the whole instance.
    """
    searches = search_instances(model, rows, config)
    if not model.synchronous:
        return [translations for (translations,) in searches]
    return [[join_translations([translations[0] for translations in sentences])] for sentences in searches]


@torch.inference_mode()
def search_instances(model: nn.Module, rows: Rows, config: DecodeConfig) -> list[list[list[Translation]]]:
    """Return the translations of each search of each instance.

    An instance has one search or, where the model is synchronous, one for each of its sentences; see `beam_search`.
    """
    device = next(model.parameters()).device
    limits = instance_limits(rows, config, RULES[model.config.frame].counted_besides)
    memory = model.encode(frame_source(rows, model.config.frame).to(device))
    if not model.synchronous:
        return [[translations] for translations in search_memory(model, memory, limits, config)]
    searches = iter(search_memory(model, memory.by_sentence(), [[limit] for row in limits for limit in row], config))
    return [list(islice(searches, len(row))) for row in limits]


def search_memory(
    model: nn.Module, memory: Memory, limits: list[list[int]], config: DecodeConfig
) -> list[list[Translation]]:
    """Return the translations of each instance of an encoded memory, with one search for all instances.

    `limits`: the maximum number of words of each sentence of each instance.
    """
    search = Search(model, memory, limits, config.beam)
    ended = search.run(FRAMES[model.config.frame].input_before.edge)
    return [rank_translations(ended[number], row, search.rules, config) for number, row in enumerate(limits)]


def join_translations(translations: list[Translation]) -> Translation:
    """Return the translations of consecutive sentences as one translation, whose scores are their sums."""
    return Translation(
        [words for translation in translations for words in translation.sentences],
        sum(translation.score for translation in translations),
        sum(translation.normalised for translation in translations),
        sum(translation.forced_ends for translation in translations),
    )


def rank_translations(
    ended: EndedHypotheses, limits: list[int], rules: Rules, config: DecodeConfig
) -> list[Translation]:
    """Return an instance's translations, the best first; equal ones in the order in which they ended.

    Raises UserError where no hypothesis has ended, since the model's scores are not numbers.
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
        """Start with an empty hypothesis per instance; `limits` as for `search_memory`."""
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
        """Search until all instances are done and return their ended hypotheses by number of instance.

        `opening`: the decoder's first input.
        """
        inputs = torch.full_like(self.growing.words, opening)
        while self.alive:
            self.step(inputs)
            inputs = self.rules.inputs(self.growing.last)
        return self.ended

    def step(self, inputs: Tensor) -> None:
        """Extend all hypotheses by one output; `inputs` (B, K) are the decoder's inputs."""
        logits = self.model.logits(self.model.step(inputs.flatten(), self.cache))
        candidates = self.expand(logits.unflatten(0, inputs.shape))
        sentence = self.growing.sentence.gather(1, candidates.origins)
        finishing = self.rules.finishing(candidates.tokens, sentence)
        self.finished.add(self.growing, candidates, finishing)
        # A stable sort keeps the candidates that do not end best first; at least K of the 2K do not end.
        living = candidates.take(finishing.byte().argsort(dim=1, stable=True)[:, : self.beam])
        self.growing.extend(living, self.rules.separator)
        self.cache.reorder((self.first_slots[: len(self.alive)] + living.origins).flatten())
        self.drop_complete()

    def expand(self, logits: Tensor) -> Candidates:
        """Return the 2K best continuations of each instance, from the logits (B, K, V) of its hypotheses."""
        # Normalised before the rules bar outputs: all other outputs keep the model's probability.
        log_probabilities = logits.log_softmax(-1)
        self.rules.bar(log_probabilities, self.growing)
        best, tokens = log_probabilities.topk(min(2 * self.beam, logits.shape[-1]))
        scores = self.growing.scores[..., None] + best.double()
        # NaN counts as a dead slot: otherwise topk would rank it above every number.
        scores, places = scores.nan_to_num(nan=DEAD, neginf=DEAD).flatten(1).topk(2 * self.beam)
        return Candidates(scores, places // best.shape[-1], tokens.flatten(1).gather(1, places))

    def drop_complete(self) -> None:
        """Remove the instances that are done from the batch, and save their ended hypotheses."""
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
