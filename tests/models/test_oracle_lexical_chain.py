"""Lexical chains against a version written from the paper's equations: one sentence, one chain, one word at a time."""

import math

import pytest
import torch
from helpers.model_cases import CASES, batch_of, chains_of, documents, logits_of, model_of
from helpers.oracle_parts import Oracle, cases_of, exact_positions, framed_documents
from torch import Tensor


class ChainOracle(Oracle):
    """Lyu et al. 2022; `chains` are lists of places, (sentence, place in the framed sentence)."""

    def __init__(self, model, chains: list[list[tuple[int, int]]]) -> None:
        super().__init__(model)
        self.chains = chains

    def attention(self, name: str, query: Tensor, group: Tensor, whole: Tensor) -> Tensor:
        return self.multi_head(name, query, group)

    def encoder_layer(self, at: str, x: list[Tensor]) -> list[Tensor]:
        x = self.sublayer(f"{at}.after_self", x, lambda y: self.attend_self(f"{at}.self_attention", y, causal=False))
        if self.config.general_attention:
            x = self.sublayer(f"{at}.general.residual", x, lambda y: self.general_context(f"{at}.general.attention", y))
        if self.config.lexical_attention:
            x = self.lexical_consistency(f"{at}.lexical", x)
        return self.sublayer(f"{at}.after_feed_forward", x, lambda y: self.feed_forward(f"{at}.feed_forward", y))

    def general_context(self, name: str, x: list[Tensor]) -> list[Tensor]:
        """Eq. 2 and 3: what the sentence's [cls] sees of all [cls], for each of its tokens."""
        summaries = torch.stack([rows[0] for rows in x])
        return [self.multi_head(name, rows[0], summaries).repeat(len(rows), 1) for rows in x]

    def lexical_consistency(self, name: str, x: list[Tensor]) -> list[Tensor]:
        """Eq. 4, and the replacement after it."""
        result = [rows.clone() for rows in x]
        for chain in self.chains:
            members = torch.stack([x[sentence][place] for sentence, place in chain])
            new = self.sublayer(
                f"{name}.residual",
                [members],
                lambda y: [torch.stack([self.multi_head(f"{name}.attention", row, y[0]) for row in y[0]])],
            )[0]
            for (sentence, place), row in zip(chain, new, strict=True):
                result[sentence][place] = row
        return result

    def gaussian(self, name: str, x: Tensor) -> tuple[Tensor, Tensor]:
        """Eq. 10 and 11: mean and log variance."""
        hidden = self.linear(f"{name}.hidden", x).clamp(min=0)
        log_variance = self.linear(f"{name}.log_variance", hidden)
        if self.config.latent_variance == "softplus":
            log_variance = (1 + log_variance.exp()).log()
        return self.linear(f"{name}.mean", hidden), log_variance

    def prior(self, memory: list[Tensor], chain: list) -> tuple[Tensor, Tensor]:
        """Eq. 13 and 14."""
        members = torch.stack([memory[sentence][place] for sentence, place in chain])
        return self.gaussian("prior", members.amax(0))

    def posterior(self, memory: list[Tensor], states: list[Tensor], chain: list) -> tuple[Tensor, Tensor]:
        """Eq. 6 to 11."""
        members = torch.stack([memory[sentence][place] for sentence, place in chain])
        translations = []
        for (sentence, _), word in zip(chain, members, strict=True):
            scores = [(self.weights["posterior.alignment.weight.weight"] @ word) @ row for row in states[sentence]]
            weights = torch.stack(scores).softmax(0)
            translations.append(sum(w * row for w, row in zip(weights, states[sentence], strict=True)))
        return self.gaussian("posterior", torch.cat((members.amax(0), torch.stack(translations).amax(0))))

    def kl(self, source: list, target: list) -> float:
        """Eq. 15, summed over chains."""
        memory = self.encode(source)
        states, total = super().decode(target, memory), 0.0
        for chain in self.chains:
            (m, v), (n, w) = self.posterior(memory, states, chain), self.prior(memory, chain)
            for a, b, c, d in zip(m.tolist(), v.tolist(), n.tolist(), w.tolist(), strict=True):
                total += 0.5 * (math.exp(b - d) + (a - c) ** 2 / math.exp(d) - 1 - (b - d))
        return total

    def decode(self, target: list[list[int]], memory: list[Tensor]) -> list[Tensor]:
        """Eq. 16 to 18, by the mean of the prior."""
        states = super().decode(target, memory)
        if not self.config.latent:
            return states
        z = [self.prior(memory, chain)[0] for chain in self.chains]
        return [torch.stack([self.fuse(z, number, row) for row in rows]) for number, rows in enumerate(states)]

    def fuse(self, z: list[Tensor], sentence: int, state: Tensor) -> Tensor:
        feature = torch.zeros(self.config.latent_width, dtype=torch.float64)
        query = self.weights["fusion.query.weight"] @ state
        for latent, chain in zip(z, self.chains, strict=True):
            if any(where == sentence for where, _ in chain):
                cosine = query @ latent / (query.norm() * latent.norm())
                feature = feature + 0.5 * (cosine + 1) * latent
        return torch.tanh(self.linear("fusion.fusion", torch.cat((feature, state))))


def places(document: list) -> list[list[tuple[int, int]]]:
    """A sentence's symbol stands before its words."""
    flat = [(number, place + 1) for number, words in enumerate(document) for place in range(len(words))]
    return [[flat[member] for member in chain] for chain in chains_of(document)]


@pytest.mark.parametrize("case", cases_of("lexical_chain"))
def test_logits_and_divergence_are_those_of_the_equations(case):
    model, (source, target) = model_of(case), documents()
    batch = batch_of(case, source, target)
    exact_positions(model)
    framed = framed_documents(batch)
    oracles = [ChainOracle(model, places(document)) for document in source]
    with torch.no_grad():
        expected = [oracle.logits(*document) for oracle, document in zip(oracles, framed, strict=True)]
        torch.testing.assert_close(logits_of(model, batch), torch.cat(expected), atol=1e-10, rtol=0)
        terms = model(batch).loss_terms
    assert set(terms) == ({"kl"} if CASES[case].latent else set())
    if terms:
        divergence = sum(oracle.kl(*document) for oracle, document in zip(oracles, framed, strict=True))
        assert terms["kl"].total.item() == pytest.approx(divergence, abs=1e-9)
        assert terms["kl"].count == sum(len(oracle.chains) for oracle in oracles) > 4
