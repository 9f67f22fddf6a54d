"""Each architecture against a version written from the equations: loops over layers, sentences and heads, no masks.

It reads the model's parameters by name and nothing else of it.
"""

import math

import pytest
import torch
from model_cases import CASES, batch_of, documents, logits_of, model_of
from torch import Tensor


def wave_at(position: int, width: int) -> Tensor:
    half = width // 2
    angles = [position * 10000 ** (-i / (half - 1)) for i in range(half)]
    return torch.tensor([f(angle) for f in (math.sin, math.cos) for angle in angles], dtype=torch.float64)


class Oracle:
    """One document at a time; states are one list of rows a sentence."""

    def __init__(self, model):
        self.config = model.config
        self.weights = {name: tensor.detach() for name, tensor in model.state_dict().items()}

    def linear(self, name: str, x: Tensor) -> Tensor:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name: str, x: Tensor) -> Tensor:
        centred = x - x.mean(-1, keepdim=True)
        scaled = centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        return scaled * self.weights[f"{name}.norm.weight"] + self.weights[f"{name}.norm.bias"]

    def embed(self, side: str, sentences: list[list[int]]) -> list[Tensor]:
        width, position, rows = self.config.width, 2, []
        for sentence in sentences:
            states = []
            for token in sentence:
                wave = wave_at(position, width)
                states.append(self.weights[f"{side}_embedding.weight"][token] * math.sqrt(width) + wave)
                position += 1
            rows.append(torch.stack(states) if states else torch.zeros(0, width, dtype=torch.float64))
        return rows

    def multi_head(self, name: str, query: Tensor, seen: Tensor) -> Tensor:
        """Eq. 1 and section 3.2.2 of Vaswani et al.: one query vector, the rows that it may see."""
        size = self.config.width // self.config.heads
        q, k, v = (
            self.linear(f"{name}.query", query),
            self.linear(f"{name}.key", seen),
            self.linear(f"{name}.value", seen),
        )
        heads = []
        for head in range(self.config.heads):
            part = slice(head * size, (head + 1) * size)
            weights = (k[:, part] @ q[part] / math.sqrt(size)).softmax(0)
            heads.append(weights @ v[:, part])
        return self.linear(f"{name}.output", torch.cat(heads))

    def attention(self, name: str, query: Tensor, group: Tensor, whole: Tensor) -> Tensor:
        """Plain, group or combined attention (G-Transformer eq. 6 to 10), as the parameters' names say."""
        if f"{name}.gate.weight" in self.weights:
            local = self.multi_head(f"{name}.group", query, group)
            global_ = self.multi_head(f"{name}.global_", query, whole)
            g = torch.sigmoid(self.linear(f"{name}.gate", torch.cat((local, global_))))
            return local * g + global_ * (1 - g)
        return self.multi_head(name, query, group if self.config.kind == "g_transformer" else whole)

    def sublayer(self, name: str, x: list[Tensor], work) -> list[Tensor]:
        if self.config.norm == "pre":
            y = work([self.norm(name, rows) for rows in x])
            return [rows + change for rows, change in zip(x, y, strict=True)]
        return [self.norm(name, rows + change) for rows, change in zip(x, work(x), strict=True)]

    def feed_forward(self, name: str, x: list[Tensor]) -> list[Tensor]:
        return [self.linear(f"{name}.outer", self.linear(f"{name}.inner", rows).clamp(min=0)) for rows in x]

    def attend_self(self, name: str, x: list[Tensor], causal: bool) -> list[Tensor]:
        result = []
        for number, rows in enumerate(x):
            earlier = torch.cat(x[:number]) if number else rows[:0]
            new = torch.zeros_like(rows)
            for place, query in enumerate(rows):
                group = rows[: place + 1] if causal else rows
                whole = torch.cat((earlier, group)) if causal else torch.cat(x)
                new[place] = self.attention(name, query, group, whole)
            result.append(new)
        return result

    def attend_source(self, name: str, x: list[Tensor], memory: list[Tensor]) -> list[Tensor]:
        result = []
        for number, rows in enumerate(x):
            new = torch.zeros_like(rows)
            for place, query in enumerate(rows):
                new[place] = self.attention(name, query, memory[number], torch.cat(memory))
            result.append(new)
        return result

    def end(self, name: str, x: list[Tensor]) -> list[Tensor]:
        if self.config.norm == "post":
            return x
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return [torch.nn.functional.layer_norm(rows, (self.config.width,), weight, bias) for rows in x]

    def logits(self, source: list[list[int]], target: list[list[int]]) -> Tensor:
        x = self.embed("source", source)
        for layer in range(self.config.encoder_layers):
            at = f"encoder.{layer}"
            x = self.sublayer(
                f"{at}.after_self", x, lambda y, at=at: self.attend_self(f"{at}.self_attention", y, False)
            )
            x = self.sublayer(
                f"{at}.after_feed_forward", x, lambda y, at=at: self.feed_forward(f"{at}.feed_forward", y)
            )
        memory, x = self.end("encoder_norm", x), self.embed("target", target)
        for layer in range(self.config.decoder_layers):
            at = f"decoder.{layer}"
            x = self.sublayer(f"{at}.after_self", x, lambda y, at=at: self.attend_self(f"{at}.self_attention", y, True))
            x = self.sublayer(
                f"{at}.after_cross", x, lambda y, at=at: self.attend_source(f"{at}.cross_attention", y, memory)
            )
            x = self.sublayer(
                f"{at}.after_feed_forward", x, lambda y, at=at: self.feed_forward(f"{at}.feed_forward", y)
            )
        return torch.cat(self.end("decoder_norm", x)) @ self.weights["output.weight"].T


def cut_documents(stream):
    """The tokens of a stream by document and sentence."""
    sentences = [part.tolist() for part in stream.tokens.split(stream.sentences.lengths)]
    found = []
    for count in stream.layout.sentences_per_instance():
        found.append(sentences[:count])
        sentences = sentences[count:]
    return found


@pytest.mark.parametrize("case", CASES)
def test_logits_are_those_of_the_equations(case):
    model, batch = model_of(case), batch_of(case, *documents())
    oracle = Oracle(model)
    for embedding in (model.source_embedding, model.target_embedding):
        # The model's own table is made in single precision.
        embedding.positions = torch.stack([wave_at(place, model.config.width) for place in range(40)])
    with torch.no_grad():
        expected = [
            oracle.logits(source, target)
            for source, target in zip(cut_documents(batch.source), cut_documents(batch.target_in), strict=True)
        ]
        torch.testing.assert_close(logits_of(model, batch), torch.cat(expected), atol=1e-11, rtol=0)
