"""HAN against a version written from its sections: one token, one previous sentence, one head at a time."""

import pytest
import torch
from helpers.model_cases import CASES, FIRST_WORD, model_of, step
from helpers.oracle_parts import Oracle, assert_logits_of_the_equations, cases_of, exact_positions, framed_documents
from torch import Tensor

from docmt.base.vocabulary import BOS, CLS, EOS, MASK, UNK
from docmt.nn import looks
from docmt.nn.cache import Cache
from docmt.nn.frames import frame_batch
from docmt.nn.rows import Rows


class HanOracle(Oracle):
    def attention(self, name: str, query: Tensor, group: Tensor, whole: Tensor) -> Tensor:
        return self.multi_head(name, query, group)

    def encode(self, source: list[list[int]]) -> list[Tensor]:
        return self.hierarchical("source_context", source, super().encode(source))

    def decode(self, target: list[list[int]], memory: list[Tensor]) -> list[Tensor]:
        return self.hierarchical("target_context", target, super().decode(target, memory))

    def hierarchical(self, name: str, sentences: list[list[int]], x: list[Tensor]) -> list[Tensor]:
        """Sections 2.1 and 2.2, a token at a time; nothing where the model has no such part."""
        if f"{name}.gate.weight" not in self.weights:
            return x
        words = [
            [state for token, state in zip(tokens, rows, strict=True) if token >= FIRST_WORD or token == MASK]
            for tokens, rows in zip(sentences, x, strict=True)
        ]
        result = []
        for number, rows in enumerate(x):
            before = words[max(number - self.config.context_sentences, 0) : number]
            before = [torch.stack(states) for states in before if states]
            result.append(torch.stack([self.in_context(name, state, before) for state in rows]))
        return result

    def in_context(self, name: str, state: Tensor, before: list[Tensor]) -> Tensor:
        context = torch.zeros_like(state)
        if before:
            query = self.norm(f"{name}.word_query_norm", state)
            summaries = [self.multi_head(f"{name}.word_attention", query, words) for words in before]
            summaries = torch.stack([self.norm(f"{name}.summary_norm", summary) for summary in summaries])
            query = self.norm(f"{name}.sentence_query_norm", state)
            context = self.multi_head(f"{name}.sentence_attention", query, summaries)
            (change,) = self.feed_forward(f"{name}.feed_forward", [self.norm(f"{name}.feed_forward_norm", context)])
            context = context + change
        share = torch.sigmoid(self.linear(f"{name}.gate", torch.cat((state, context))))
        return self.norm(f"{name}.norm", (1 - share) * state + share * context)


@pytest.mark.parametrize("case", cases_of("han"))
def test_logits_are_those_of_the_equations(case):
    assert_logits_of_the_equations(case, HanOracle)


# Sentences without words, before and between others; unknown and dropped words; more sentences than are looked at.
SOURCE = [[[9, UNK, 10], [UNK], [11], [MASK, 12], [13, 14], [15, UNK]], [[UNK], [16, 17], [18]], [[19]]]
TARGET = [[[20], [UNK], [], [21, MASK], [22], [23, 24]], [[], [25], [26, UNK]], [[27]]]


def assert_words_are_the_context(case: str) -> None:
    model = model_of(case)
    exact_positions(model)
    batch = frame_batch(Rows.from_lists(SOURCE, TARGET), CASES[case].frame)
    with torch.no_grad():
        expected = torch.cat([HanOracle(model).logits(*document) for document in framed_documents(batch)])
        logits = model.logits(model(batch).states)
    torch.testing.assert_close(logits, expected, atol=1e-11, rtol=0)


@pytest.mark.parametrize("case", cases_of("han"))
def test_what_is_no_word_is_no_context(case):
    assert_words_are_the_context(case)


@pytest.mark.parametrize(
    "case, symbol", [("han", BOS), ("han", EOS), ("han", UNK), ("han decoder", BOS), ("han joint", CLS)]
)
def test_a_symbol_that_is_not_masked_is_noticed(case, symbol, monkeypatch):
    """A planted fault; `<pad>` and `<sep>` stand in no frame of HAN."""
    monkeypatch.setattr(looks, "NO_WORDS", [other for other in looks.NO_WORDS if other != symbol])
    with pytest.raises(AssertionError):
        assert_words_are_the_context(case)


@pytest.mark.parametrize("case", ["han decoder", "han joint"])
def test_steps_over_what_is_no_word_are_those_of_the_equations(case):
    model = model_of(case)
    exact_positions(model)
    batch = frame_batch(Rows.from_lists(SOURCE[:1], TARGET[:1]), CASES[case].frame)
    with torch.no_grad():
        (document,) = framed_documents(batch)
        expected = HanOracle(model).logits(*document)
        cache = Cache(model.encode(batch.source), 1, model.config.frame)
        logits = [model.logits(step(model, token[None], cache)) for token in batch.target_in.tokens]
    torch.testing.assert_close(torch.cat(logits), expected, atol=1e-11, rtol=0)
