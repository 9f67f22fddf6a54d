"""What the oracles of all architectures share: a Transformer written from its equations, by loops and without masks.

One document at a time; states are one tensor of rows a sentence. An oracle reads a model's parameters by name, and
nothing else of it. Another architecture is a subclass that says who sees whom.
"""

import math
import re

import torch
from helpers.model_cases import CASES, batch_of, documents, logits_of, model_of
from torch import Tensor

from docmt.nn.streams import Batch, Stream


def wave_at(place: int, width: int) -> Tensor:
    """Section 3.5 of Vaswani et al., in the form of fairseq: halves, and rows 0 and 1 are never used."""
    half = width // 2
    angles = [(place + 2) * 10000 ** (-i / (half - 1)) for i in range(half)]
    return torch.tensor([f(angle) for f in (math.sin, math.cos) for angle in angles], dtype=torch.float64)


def parts_of(name: str, parameter: Tensor) -> list[tuple[str, Tensor]]:
    """The projections that lie in a parameter, by names of their own: `qkv.weight` has `q.weight` and two others."""
    match = re.fullmatch(r"(.*\.)(q|kv|qkv)(\.weight|\.bias)", name)
    if not match:
        return [(name, parameter)]
    before, roles, leaf = match.groups()
    return [(before + role + leaf, part) for role, part in zip(roles, parameter.chunk(len(roles)), strict=True)]


def relu(x: Tensor) -> Tensor:
    return x.clamp(min=0)


def gelu(x: Tensor) -> Tensor:
    return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))


class Oracle:
    """A Transformer whose attention sees the whole document."""

    def __init__(self, model) -> None:
        self.config = model.config
        named = [(name, tensor.detach()) for name, tensor in model.state_dict().items()]
        self.weights = {part: weight for name, tensor in named for part, weight in parts_of(name, tensor)}

    def linear(self, name: str, x: Tensor) -> Tensor:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name: str, x: Tensor) -> Tensor:
        centred = x - x.mean(-1, keepdim=True)
        scaled = centred / (centred.square().mean(-1, keepdim=True) + self.config.norm_epsilon).sqrt()
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def position(self, side: str, place: int) -> Tensor:
        if self.config.position_table == "learned":
            return self.weights[f"{side}_embedding.position.weight"][place]
        return wave_at(place, self.config.width)

    def embed(self, side: str, sentences: list[list[int]]) -> list[Tensor]:
        scale = math.sqrt(self.config.width) if self.config.embedding_scale else 1
        place, result = 0, []
        for sentence in sentences:
            place = 0 if self.config.positions == "restarting" else place
            rows = torch.zeros(len(sentence), self.config.width, dtype=torch.float64)
            for number, token in enumerate(sentence):
                rows[number] = self.weights[f"{side}_embedding.weight"][token] * scale + self.position(side, place)
                place += 1
            result.append(self.norm(f"{side}_embedding.norm", rows) if self.config.embedding_norm else rows)
        return result

    def multi_head(self, name: str, query: Tensor, seen: Tensor) -> Tensor:
        """Eq. 1 and section 3.2.2 of Vaswani et al.: one query vector, the rows that it may see."""
        size = self.config.width // self.config.heads
        q, k, v = self.linear(f"{name}.q", query), self.linear(f"{name}.k", seen), self.linear(f"{name}.v", seen)
        heads = []
        for head in range(self.config.heads):
            part = slice(head * size, (head + 1) * size)
            weights = (k[:, part] @ q[part] / math.sqrt(size)).softmax(0)
            heads.append(weights @ v[:, part])
        return self.linear(f"{name}.output", torch.cat(heads))

    def attention(self, name: str, query: Tensor, group: Tensor, whole: Tensor) -> Tensor:
        """`group`, `whole`: what it may see of its own sentence, and of the document."""
        return self.multi_head(name, query, whole)

    def attend_self(self, name: str, x: list[Tensor], causal: bool) -> list[Tensor]:
        result = []
        for number, rows in enumerate(x):
            earlier = torch.cat([rows[:0], *x[:number]])
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

    def feed_forward(self, name: str, x: list[Tensor]) -> list[Tensor]:
        activation = {"relu": relu, "gelu": gelu}[self.config.activation]
        return [self.linear(f"{name}.outer", activation(self.linear(f"{name}.inner", rows))) for rows in x]

    def sublayer(self, name: str, x: list[Tensor], work) -> list[Tensor]:
        name = f"{name}.norm"
        if self.config.norm == "pre":
            y = work([self.norm(name, rows) for rows in x])
            return [rows + change for rows, change in zip(x, y, strict=True)]
        return [self.norm(name, rows + change) for rows, change in zip(x, work(x), strict=True)]

    def encoder_layer(self, at: str, x: list[Tensor]) -> list[Tensor]:
        x = self.sublayer(f"{at}.after_self", x, lambda y: self.attend_self(f"{at}.self_attention", y, causal=False))
        return self.sublayer(f"{at}.after_feed_forward", x, lambda y: self.feed_forward(f"{at}.feed_forward", y))

    def decoder_layer(self, at: str, x: list[Tensor], memory: list[Tensor]) -> list[Tensor]:
        x = self.sublayer(f"{at}.after_self", x, lambda y: self.attend_self(f"{at}.self_attention", y, causal=True))
        x = self.sublayer(f"{at}.after_cross", x, lambda y: self.attend_source(f"{at}.cross_attention", y, memory))
        return self.sublayer(f"{at}.after_feed_forward", x, lambda y: self.feed_forward(f"{at}.feed_forward", y))

    def end(self, stack: str, x: list[Tensor]) -> list[Tensor]:
        """What stands after the last layer of the encoder, or of the decoder."""
        return [self.norm(f"{stack}_norm", rows) for rows in x] if self.config.norm == "pre" else x

    def encode(self, source: list[list[int]]) -> list[Tensor]:
        x = self.embed("source", source)
        for layer in range(self.config.encoder_layers):
            x = self.encoder_layer(f"encoder.{layer}", x)
        return self.end("encoder", x)

    def decode(self, target: list[list[int]], memory: list[Tensor]) -> list[Tensor]:
        x = self.embed("target", target)
        for layer in range(self.config.decoder_layers):
            x = self.decoder_layer(f"decoder.{layer}", x, memory)
        return self.end("decoder", x)

    def logits(self, source: list[list[int]], target: list[list[int]]) -> Tensor:
        """Of the framed sentences of a document: a row for each token of the decoder's input."""
        return torch.cat(self.decode(target, self.encode(source))) @ self.weights["output.weight"].T


def exact_positions(model) -> None:
    """Tables of positions in double precision; the model's own are made in single precision."""
    if model.config.position_table == "sinusoidal":
        for embedding in (model.source_embedding, model.target_embedding):
            waves = [wave_at(place, model.config.width) for place in range(40)]
            embedding.position.table = torch.stack([torch.zeros_like(waves[0])] * 2 + waves)


def cut_documents(stream: Stream) -> list[list[list[int]]]:
    """The tokens of a stream by document and sentence."""
    sentences = [part.tolist() for part in stream.tokens.split(stream.sentences.lengths)]
    by_document = []
    for count in stream.layout.sentences_per_instance():
        by_document.append(sentences[:count])
        sentences = sentences[count:]
    return by_document


def framed_documents(batch: Batch) -> list[tuple[list[list[int]], list[list[int]]]]:
    """The documents of a batch: framed source sentences, framed sentences of the decoder's input."""
    return list(zip(cut_documents(batch.source), cut_documents(batch.target_in), strict=True))


def assert_logits_of_the_equations(case: str, oracle: type[Oracle]) -> None:
    """The model's logits on random documents are the oracle's."""
    model, batch = model_of(case), batch_of(case, *documents())
    exact_positions(model)
    with torch.no_grad():
        expected = torch.cat([oracle(model).logits(*document) for document in framed_documents(batch)])
        torch.testing.assert_close(logits_of(model, batch), expected, atol=1e-11, rtol=0)


def cases_of(*kinds: str) -> list[str]:
    """Names of the cases of these architectures."""
    return [case for case, config in CASES.items() if config.kind in kinds]
