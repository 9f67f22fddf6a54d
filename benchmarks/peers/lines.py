"""The lines of the page: who is measured beside whom, and what the issue of their speed aims at."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from peers.job import BASE, DEEP, TINY, Shape

Task = Literal["train", "decode"]
GROUPS = {
    "sentences": "Training of sentence models",
    "documents": "Training of document models",
    "decoding": "Decoding, beam 5",
    "lengths": "Long documents, one to an update, 6 + 6 layers",
    "groups": "Group attention alone, by the length of documents",
}
"""The tables of the page and their titles."""
MODELS = {
    "g_transformer": ("G-Transformer", {"kind": "g_transformer"}, 18),
    "lexical_chain": ("lexical chains", {"kind": "lexical_chain"}, 18),
    "long_short": ("long-short, windows of 3", {"kind": "long_short"}, 3),
}
"""The document models: name, settings, sentences of a segment."""
TOKENS_A_SENTENCE = 22
"""Target tokens of a sentence of the corpus, its end with them."""
BEAM = 5
MOST_COUNTED = 4096
"""Tokens of a document, at most, for the matrix products of its update to be counted."""


@dataclass(frozen=True)
class Side:
    """One side of a pair: a toolkit, its name on the page, and the options of its job."""

    toolkit: str
    label: str
    options: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    """The model that is decoded with (`peers.prepared`)."""


@dataclass(frozen=True)
class Line:
    """A line of a table: two sides and the ratio that is aimed at, None where there is no aim."""

    name: str
    group: str
    task: Task
    shape: Shape
    ours: Side
    peer: Side
    aim: float | None = None

    @property
    def has_floor(self) -> bool:
        """Whether products are counted.

        They are not for long documents, whose attention then has its whole table in memory, and not for CTranslate2.
        """
        return self.ours.options.get("tokens", 0) <= MOST_COUNTED and "engine" not in self.ours.options


FAIRSEQ, OPENNMT = Side("fairseq", "fairseq"), Side("opennmt", "OpenNMT-py")
OURS = Side("docmt", "docmt")


def lines() -> list[Line]:
    return [*sentence_lines(), *document_lines(), *decoding_lines(), *length_lines(), *group_lines()]


def sentence_lines() -> Iterator[Line]:
    bf16 = replace(OURS, label="docmt, bf16", options={"train": {"precision": "bf16"}})
    for shape, aim in ((TINY, 1.5), (BASE, 1.15)):
        for peer in (FAIRSEQ, OPENNMT):
            yield Line(f"{shape.name}-{peer.toolkit}", "sentences", "train", shape, OURS, peer, aim)
    yield Line("base-bf16-fp32", "sentences", "train", BASE, bf16, replace(OURS, label="docmt, fp32"))
    for peer in (FAIRSEQ, OPENNMT):
        yield Line(f"base-bf16-{peer.toolkit}", "sentences", "train", BASE, bf16, peer, 2.2)


def document_lines() -> Iterator[Line]:
    aims = {"g_transformer": (0.70, 0.88), "lexical_chain": (0.88, 0.95), "long_short": (0.58, 0.55)}
    for number, shape in enumerate((TINY, BASE)):
        for name, (label, model, sentences) in MODELS.items():
            more = {"aggregation_inner": shape.inner // 2} if name == "long_short" else {}
            ours = Side("docmt", label, {"model": model | more, "sentences": sentences})
            sentence = replace(OURS, label="docmt's sentence model")
            line = Line(f"{shape.name}-{name}", "documents", "train", shape, ours, sentence, aims[name][number])
            yield line
            if name == "g_transformer":
                peer = replace(FAIRSEQ, label="fairseq's sentence model")
                yield replace(line, name=f"{line.name}-fairseq", peer=peer, aim=1.0)


def decoding_lines() -> Iterator[Line]:
    # Of 512 to 16,384 source tokens and of 32 to 128 sentences, these were as fast as any.
    ours = Side("docmt", "docmt, the model of fairseq", {"beam": BEAM, "batch_tokens": 2048}, "imported")
    fairseq = Side("fairseq", "fairseq", {"beam": BEAM, "batch_sentences": 64}, "fairseq")
    ct2 = Side("ctranslate2", "CTranslate2, fp32", {"beam": BEAM, "batch_tokens": 2048}, "ctranslate2")
    yield Line("decode-fairseq", "decoding", "decode", TINY, ours, fairseq, 2.2)
    int8 = replace(ct2, label="CTranslate2, int8", options={**ct2.options, "compute_type": "int8"})
    yield Line("decode-ctranslate2", "decoding", "decode", TINY, ours, ct2, 0.75)
    # Rounded parameters give other translations: no aim.
    yield Line("decode-ctranslate2-int8", "decoding", "decode", TINY, ours, int8)
    through = replace(
        ours, label="docmt, decode.engine: ctranslate2", options={**ours.options, "engine": "ctranslate2"}
    )
    yield Line("decode-engine", "decoding", "decode", TINY, through, ct2, 1.0)
    # More documents at once fill the products of a step better; sentences are as fast in any batch.
    options = {**ours.options, "sentences": 18, "batch_tokens": 16384}
    documents = replace(ours, label="docmt, G-Transformer", model="g_transformer", options=options)
    sentences = replace(ours, label="docmt's sentence model", model="sentence")
    yield Line("decode-documents", "decoding", "decode", TINY, documents, sentences, 0.5)


def length_lines() -> Iterator[Line]:
    lengths = [(DEEP, tokens) for tokens in (1024, 2048, 4096, 8192, 16384)] + [(BASE, 1024), (BASE, 4096)]
    for shape, tokens in lengths:
        options = {"sentences": tokens // TOKENS_A_SENTENCE, "tokens": tokens}
        label = f"G-Transformer, {tokens:,} tokens, width {shape.width}"
        ours = Side("docmt", label, {**options, "model": {"kind": "g_transformer"}})
        peer = Side("docmt", "Transformer over the whole document", options)
        name = f"length-{tokens}" if shape is DEEP else f"{shape.name}-length-{tokens}"
        updates = max(1, 4096 * shape.tokens // (tokens * BASE.tokens))
        sized = replace(shape, warm_up=1, updates=updates)
        yield Line(name, "lengths", "train", sized, ours, peer, 1.0)


def group_lines() -> Iterator[Line]:
    def documents(tokens: int) -> Side:
        options = {"model": model, "sentences": round(tokens / TOKENS_A_SENTENCE), "tokens": 4096}
        return Side("docmt", f"documents of {tokens:,} tokens", options)

    model = {"kind": "g_transformer", "combined_layers": 0}
    for tokens in (256, 1024, 4096):
        yield Line(f"group-{tokens}", "groups", "train", TINY, documents(tokens), documents(64))
