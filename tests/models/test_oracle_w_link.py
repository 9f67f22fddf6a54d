"""W-Link against a version written from its reading: one link, one word of it, one head at a time."""

import math

import pytest
import torch
from helpers.model_cases import batch_of, chains_of, documents, model_of
from helpers.oracle_parts import Oracle, assert_logits_of_the_equations, cases_of, exact_positions, framed_documents
from torch import Tensor

from docmt.base.vocabulary import SPECIALS
from docmt.models.w_link import disagreement
from docmt.nn.segments import Segments


class WLinkOracle(Oracle):
    links: tuple[list[tuple[int, int]], ...] = ()
    """Of the document being encoded: for each link its words, as numbers of sentence and place."""
    attended: list[list[Tensor]]
    """Weights of the cross-attention that was computed last: of the top layer."""

    def attention(self, name: str, query: Tensor, group: Tensor, whole: Tensor) -> Tensor:
        return self.multi_head(name, query, group)

    def encode(self, source: list[list[int]]) -> list[Tensor]:
        self.links = links_of(source)
        return super().encode(source)

    def encoder_layer(self, at: str, x: list[Tensor]) -> list[Tensor]:
        x = self.sublayer(f"{at}.after_self", x, lambda y: self.attend_self(f"{at}.self_attention", y, causal=False))
        if f"{at}.shared_context.gate.weight" in self.weights:
            x = self.shared(f"{at}.shared_context", x)
        return self.sublayer(f"{at}.after_feed_forward", x, lambda y: self.feed_forward(f"{at}.feed_forward", y))

    def shared(self, name: str, x: list[Tensor]) -> list[Tensor]:
        result = [rows.clone() for rows in x]
        for link in self.links:
            normed = [self.norm(f"{name}.residual.norm", x[sentence][place]) for sentence, place in link]
            for (sentence, place), word in zip(link, normed, strict=True):
                seen = self.multi_head(f"{name}.attention", word, torch.stack(normed))
                share = torch.sigmoid(self.linear(f"{name}.gate", torch.cat((word, seen))))
                result[sentence][place] = x[sentence][place] + share * seen
        return result

    def agreement(self, source: list[list[int]], target: list[list[int]]) -> Tensor:
        """The Jensen-Shannon divergence of the translations of each link, summed over the links of a document."""
        memory = self.encode(source)
        states, total = self.decode(target, memory), torch.zeros((), dtype=torch.float64)
        for link in self.links:
            translations = [self.translation(sentence, place, states[sentence]) for sentence, place in link]
            mean = torch.stack(translations).mean(0)
            for distribution in translations:
                total = total + (distribution * (distribution / mean).log()).sum() / len(link)
        return total

    def translation(self, sentence: int, place: int, states: Tensor) -> Tensor:
        """The distribution over translations of a word, given the states of its target sentence."""
        weights = torch.stack([attended[place] for attended in self.attended[sentence]])
        return (self.weights["output.weight"] @ (weights / weights.sum() @ states)).softmax(0)

    def attend_source(self, name: str, x: list[Tensor], memory: list[Tensor]) -> list[Tensor]:
        """Keeps the weights: by target sentence and its tokens, those of the source sentence's tokens."""
        self.attended = [
            [self.mean_weights(name, query, seen) for query in rows] for rows, seen in zip(x, memory, strict=True)
        ]
        return super().attend_source(name, x, memory)

    def mean_weights(self, name: str, query: Tensor, seen: Tensor) -> Tensor:
        size = self.config.width // self.config.heads
        q, k = self.linear(f"{name}.q", query), self.linear(f"{name}.k", seen)
        parts = [slice(head * size, (head + 1) * size) for head in range(self.config.heads)]
        return torch.stack([(k[:, part] @ q[part] / math.sqrt(size)).softmax(0) for part in parts]).mean(0)


def links_of(source: list[list[int]]) -> tuple[list[tuple[int, int]], ...]:
    """The links of a framed document, by the rule of the cases."""
    places = [
        (number, place)
        for number, sentence in enumerate(source)
        for place, token in enumerate(sentence)
        if token >= len(SPECIALS)
    ]
    words = [[token for token in sentence if token >= len(SPECIALS)] for sentence in source]
    return tuple([places[word] for word in link] for link in chains_of(words))


@pytest.mark.parametrize("case", cases_of("w_link"))
def test_logits_are_those_of_the_reading(case):
    assert_logits_of_the_equations(case, WLinkOracle)


@pytest.mark.parametrize("case", ["w_link", "w_link pre-norm", "w_link agreeing"])
def test_the_agreement_is_that_of_the_reading(case):
    model, batch = model_of(case), batch_of(case, *documents())
    exact_positions(model)
    with torch.no_grad():
        oracle, term = WLinkOracle(model), model(batch).loss_terms["agreement"]
        expected = sum(oracle.agreement(*document) for document in framed_documents(batch))
    torch.testing.assert_close(term.total, expected, atol=1e-11, rtol=0)
    assert term.count == sum(len(links_of(source)) for source, _ in framed_documents(batch)) > 5


def test_the_divergence_is_zero_to_the_logarithm_of_the_members():
    """By hand: alike, apart, and half apart, ln 2 - (3/4) ln (3/2) ... as two entropies."""
    certain = torch.tensor([[60.0, 0, 0], [0, 60.0, 0], [0, 0, 60.0]], dtype=torch.float64)
    half = torch.tensor([[60.0, 60.0, 0]], dtype=torch.float64)

    def value(rows: Tensor) -> float:
        return disagreement(rows, Segments.from_lengths([len(rows)])).item()

    assert value(certain[[0, 0]]) == pytest.approx(0, abs=1e-12)
    assert value(certain) == pytest.approx(torch.tensor(3.0).log().item())
    mean = torch.tensor([0.75, 0.25], dtype=torch.float64)
    expected = -(mean * mean.log()).sum().item() - torch.tensor(2.0).log().item() / 2
    assert value(torch.cat((certain[:1], half))) == pytest.approx(expected)


def test_the_divergence_is_finite_where_probabilities_vanish():
    logits = torch.tensor([[300.0, 0, -300], [-300, 0, 300.0], [0, 0, -torch.inf]], requires_grad=True)
    loss = disagreement(logits, Segments.from_lengths([2, 1]))
    loss.backward()
    assert loss.item() == pytest.approx(torch.tensor(2.0).log().item())
    assert logits.grad.isfinite().all()
