"""Tasks that only context solves, the cue being in the source; and a plain loop to learn them in seconds.

`pronoun`: the first sentence shows a gender, the pronouns of the later ones need it.
`chain`: a document has two words of two translations each; the sentence in which a word stands first also shows which
one holds, later sentences have the bare word. `free`: in half of the documents nothing shows it, but the translations
still agree.
Words are translated one by one, in their order; digits are copied.
"""

from dataclasses import dataclass

import numpy as np
import torch

from docmt.models import build
from docmt.models.transformer import Transformer
from docmt.nn.frames import frame_batch
from docmt.nn.rows import Rows
from docmt.nn.streams import Batch, Memory
from docmt.settings.models import TransformerConfig
from docmt.training.losses import smoothed_cross_entropy

MAN, WOMAN, IT, HE, SHE = range(7, 12)
DIGITS = np.arange(12, 18)
WORDS = np.arange(18, 22)
"""Words of two translations, `2 * word - 14` and the one after it."""
CUES = (22, 23)
VOCABULARY = 32


@dataclass(frozen=True)
class Documents:
    """Sides as lists of documents of sentences of words; `judged` has True for the target words that need context."""

    source: list
    target: list
    chains: list
    judged: list

    def rows(self) -> Rows:
        return Rows.from_lists(self.source, self.target, self.chains)

    def by_sentence(self) -> "Documents":
        """Each sentence a document of its own."""
        source, target, judged = (
            [[sentence] for document in side for sentence in document]
            for side in (self.source, self.target, self.judged)
        )
        return Documents(source, target, [[] for _ in source], judged)

    def take(self, indices: np.ndarray) -> "Documents":
        return Documents(*([side[i] for i in indices] for side in vars(self).values()))

    def batch(self, config: TransformerConfig) -> tuple[Batch, torch.Tensor]:
        """With True where a judged word is to be predicted; the frame's own symbols never are."""
        batch = frame_batch(self.rows(), config.frame)
        is_judged = torch.zeros(len(batch.target_out), dtype=torch.bool)
        flat = torch.tensor([mark for document in self.judged for sentence in document for mark in sentence])
        is_judged[batch.target_out >= MAN] = flat
        return batch, is_judged


def pronoun(count: int, seed: int, sentences: int = 3) -> Documents:
    draw = np.random.default_rng(seed)
    documents = [pronoun_document(draw, sentences) for _ in range(count)]
    return Documents(*map(list, zip(*documents, strict=True)))


def pronoun_document(draw: np.random.Generator, sentences: int) -> tuple[list, list, list, list]:
    gender, source, target, judged = int(draw.integers(2)), [], [], []
    for number in range(sentences):
        digits = draw.choice(DIGITS, size=draw.integers(1, 4)).tolist()
        source.append([(MAN, WOMAN)[gender] if number == 0 else IT, *digits])
        target.append([(MAN, WOMAN)[gender] if number == 0 else (HE, SHE)[gender], *digits])
        judged.append([number > 0] + [False] * len(digits))
    return source, target, [], judged


def chain(count: int, seed: int, free: bool = False) -> Documents:
    draw = np.random.default_rng(seed)
    documents = [chain_document(draw, has_cue=not free or bool(draw.integers(2))) for _ in range(count)]
    return Documents(*map(list, zip(*documents, strict=True)))


def chain_document(draw: np.random.Generator, has_cue: bool) -> tuple[list, list, list, list]:
    words = draw.choice(WORDS, size=2, replace=False).tolist()
    senses = dict(zip(words, draw.integers(2, size=2).tolist(), strict=True))
    source, target, judged = [], [], []
    order = [*words, *draw.permutation(words * 2).tolist()]
    for number, word in enumerate(order):
        sentence = [word, *draw.choice(DIGITS, size=draw.integers(1, 3)).tolist()]
        if has_cue and number < len(words):
            sentence.append(CUES[senses[word]])
        sentence = draw.permutation(sentence).tolist()
        source.append(sentence)
        target.append([2 * w - 14 + senses[w] if w in senses else w for w in sentence])
        judged.append([w in senses and has_cue and number >= len(words) for w in sentence])
    flat = [w for sentence in source for w in sentence]
    return source, target, [[i for i, w in enumerate(flat) if w == word] for word in words], judged


def learn(
    config: TransformerConfig, documents: Documents, updates: int, lr: float = 5e-3, at_once: int = 40, seed: int = 1
) -> Transformer:
    """Train from scratch with Adam, linear warm-up and decay; the objective is that of `docmt.training.losses`."""
    torch.manual_seed(seed)
    draw, model = np.random.default_rng(seed), build(config, VOCABULARY, VOCABULARY).train()
    optimiser = torch.optim.Adam(model.parameters(), lr, betas=(0.9, 0.98))
    rates = torch.optim.lr_scheduler.OneCycleLR(optimiser, lr, total_steps=updates, pct_start=0.15)
    for update in range(1, updates + 1):
        some = documents.take(draw.choice(len(documents.source), size=at_once, replace=False))
        batch, _ = some.batch(config)
        states, terms = model(batch)
        loss, _ = smoothed_cross_entropy(states, model.output.weight, batch.target_out, 0.0)
        weights = model.term_weights(update)
        (loss + sum(weights[name] * term.total for name, term in terms.items())).div(len(batch.target_out)).backward()
        optimiser.step()
        optimiser.zero_grad()
        rates.step()
    return model.eval()


@torch.no_grad()
def accuracy(model: Transformer, documents: Documents) -> float:
    """Share of judged words that the model predicts, given the target up to them; in percent."""
    batch, is_judged = documents.batch(model.config)
    return judged_accuracy(model, batch, is_judged, model.encode(batch.source))


def judged_accuracy(model: Transformer, batch: Batch, is_judged: torch.Tensor, memory: Memory) -> float:
    predictions = model.logits(model.decode(batch.target_in, memory)).argmax(dim=-1)
    return 100 * (predictions == batch.target_out)[is_judged].double().mean().item()
