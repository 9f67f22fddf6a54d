"""Batches as packed streams: tokens without padding, one sentence after another, cut into sentences and instances."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import torch

from docmt.base.ragged import spans, starts
from docmt.nn.noise import branch_keys, drop_words, narrowed_key_scope, token_keys
from docmt.nn.segments import Layout, Segments, upload
from docmt.nn.shapes import AnyStates, Int, Numbers, RowKeys, SourceStates, Tensor, Tokens


@contextmanager
def selected_rows(x: AnyStates, index: Numbers, branches: Numbers | None = None) -> Iterator[AnyStates]:
    """Yield the rows `index` of a stream, whose noise modules find until the end of the block.

    Where `index` has a row several times, `branches` numbers its copies, so that they have different noise.
    """
    with narrowed_key_scope(index, branches):
        yield x.index_select(0, index)


@dataclass(frozen=True, eq=False)
class Chains:
    """The lexical chains of a source stream; a chain has the tokens of a word that a document repeats.

    A token is in at most one chain.

    Paper: lexical chains (Lyu et al. 2022), section 3: S_j = (a_k, b_k), k = 1..K.
    """

    tokens: Numbers
    """The place of each member in the stream, chain after chain."""
    runs: Segments
    """The chains as runs of `tokens`."""
    relevant: Int[Tensor, "_ _"]
    """A row for each sentence: the numbers of the chains in it; the number of all chains fills the rest of a row."""

    order: Numbers
    """The members in the order of their sentences, as indices of `tokens`."""
    sentences: Segments
    """Runs of `order`: the members of each sentence."""
    counts: np.ndarray
    """The number of chains of each instance, on the host."""

    def of_instances(self, which: np.ndarray) -> Numbers:
        """Return the numbers of the chains of the instances `which`, in that order."""
        return upload(spans(starts(self.counts)[which], self.counts[which]), self.tokens.device)

    def to(self, device: torch.device | str) -> "Chains":
        """Return the chains on the device."""
        tensors = (part.to(device, non_blocking=True) for part in (self.tokens, self.relevant, self.order))
        tokens, relevant, order = tensors
        return Chains(tokens, self.runs.to(device), relevant, order, self.sentences.to(device), self.counts)


@dataclass(frozen=True, eq=False)
class Stream:
    """The tokens of whole instances, one after another."""

    tokens: Tokens
    layout: Layout
    chains: Chains | None = None
    """The lexical chains of a source stream; None where the instances were read without chains."""
    keys: RowKeys | None = None
    """The noise key of each token; None where there is no noise, or where torch's generator draws it."""
    padding: int = 0
    """The number of tokens at the end that only pad the stream (`docmt.nn.compiled`)."""
    on_host: np.ndarray | None = None
    """A copy of `tokens` on the host, where these are on another device (`to`)."""

    def host_tokens(self) -> np.ndarray:
        """Return the tokens on the host, which does not wait for the device."""
        return self.tokens.numpy() if self.on_host is None else self.on_host

    @property
    def sentences(self) -> Segments:
        """The sentences of the stream."""
        return self.layout.sentences

    @property
    def instances(self) -> Segments:
        """The instances of the stream."""
        return self.layout.instances

    def to(self, device: torch.device | str) -> "Stream":
        """Return the stream on the device; the host keeps a copy of the tokens."""
        chains = None if self.chains is None else self.chains.to(device)
        keys = None if self.keys is None else self.keys.to(device, non_blocking=True)
        tokens = self.tokens.to(device, non_blocking=True)
        return Stream(tokens, self.layout.to(device), chains, keys, self.padding, self.host_tokens())

    def with_keys(self, documents: np.ndarray, side: str) -> "Stream":
        """Return the stream with a noise key for each token.

        `documents` has the noise key of each instance; `side` is source or target.
        """
        return replace(self, keys=token_keys(documents, self.instances.lengths, side))

    def twice(self) -> "Stream":
        """Return the stream and the stream once more, with other noise; its tokens are not read any more."""
        keys = None if self.keys is None else torch.cat((self.keys, branch_keys(self.keys, 0)))
        return replace(self, layout=self.layout.twice(), keys=keys)

    def with_word_dropout(self, share: float) -> "Stream":
        """Return the stream with each word replaced by `<mask>` with probability `share`, drawn by the token's key."""
        return replace(self, tokens=drop_words(self.tokens, share, self.keys), on_host=None)


@dataclass(frozen=True, eq=False)
class Memory:
    """An encoded source: its final states and its layout."""

    states: SourceStates
    layout: Layout
    both: Layout | None = None
    """The layout of both streams together, where the states are those of a long, then of a short stream."""

    def by_sentence(self) -> "Memory":
        """Return the memory with each sentence as an instance, for models that decode sentences synchronously."""
        return replace(self, layout=Layout(self.layout.sentences, self.layout.sentences))

    def repeat_instances(self, source: Stream, which: np.ndarray) -> "Memory":
        """Return the memory where instance i has the source of the present instance `which[i]`.

        `source` is the stream of the sources of the new instances, which gives the layout and the chains. The numbers
        in `which` begin with 0, never fall, and omit no instance.
        """
        lengths = np.asarray(self.layout.instances.lengths)
        # The states are not copied: the new layout says which row of the states each token has.
        layout = source.layout.with_shared_rows(spans(starts(lengths)[which], lengths[which]))
        return replace(self, layout=layout, both=self.both and layout.twice())


@dataclass(frozen=True, eq=False)
class Batch:
    """The input of a pass of the model, and `target_out`, whose token t is predicted from `target_in` up to token t.

    Where the input streams are padded, `target_out` is shorter than `target_in`: the padding has no output.
    """

    source: Stream
    target_in: Stream
    target_out: Tokens

    def __str__(self) -> str:
        """Return the numbers of tokens of the batch and of its longest instances, for messages."""
        source, target = (len(stream.tokens) - stream.padding for stream in (self.source, self.target_in))
        longest = f"{self.source.instances.longest} and {self.target_in.instances.longest}"
        return f"a batch of {source} source and {target} target tokens, the longest instances of {longest}"

    def to(self, device: torch.device | str) -> "Batch":
        """Return the batch on the device."""
        return Batch(self.source.to(device), self.target_in.to(device), self.target_out.to(device, non_blocking=True))

    def with_keys(self, documents: np.ndarray) -> "Batch":
        """Return the batch with noise keys; `documents` has the key of each instance (`noise.document_keys`)."""
        return replace(
            self,
            source=self.source.with_keys(documents, "source"),
            target_in=self.target_in.with_keys(documents, "target"),
        )

    def with_word_dropout(self, share: float) -> "Batch":
        """Return the batch with word dropout on the source and on the decoder's input; `target_out` is unchanged."""
        return replace(
            self, source=self.source.with_word_dropout(share), target_in=self.target_in.with_word_dropout(share)
        )
