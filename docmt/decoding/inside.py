"""A trained model's use of lexical chains: its attention to the words of a chain, and its use of latent variables.

Three measures are computed for each word of a chain and each token of the target sentence. `alignment` is the soft
alignment of the word with the token: lexical chains (Lyu et al. 2022), eq. 8 and Figure 4 of section 5.3. `similarity`
is the similarity of the decoding step that writes the token to the latent variable of the chain: eq. 17 and Figure 6 of
section 5.5. `attention` is the weight of the word in the cross-attention of the top layer, averaged over heads; it is
not in the paper, and is the only measure for models without latent variables.

Departs: in the paper's Figure 6 the target sentence is the translation of the model; here it is the reference, for all
measures, so that a single pass of the model computes them.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from torch import nn

from docmt.base.artifacts import write_json
from docmt.base.columns import INSIDE, SEGMENTS
from docmt.base.errors import UserError, nearest
from docmt.base.ragged import places, starts
from docmt.base.tables import write_arrow
from docmt.base.vocabulary import Vocabulary
from docmt.decoding.segments import View
from docmt.nn.frames import frame_batch
from docmt.nn.noise import document_keys
from docmt.nn.rows import Rows
from docmt.nn.shapes import Float, RunWeights, Tensor
from docmt.nn.streams import Batch
from docmt.search.source import NOISE


@dataclass(frozen=True, eq=False)
class SentenceMeasures:
    """The measures of one sentence of a batch with T decoder outputs (pieces and an end symbol) and S source tokens."""

    attention: Float[Tensor, "T S"]  # sums to 1 over the source tokens
    # A row for each member of a chain in the sentence, in the order of the source; it sums to 1 over the outputs.
    alignment: RunWeights | None  # None where the model has no latent variables, as is `similarity`
    # From 0 to 1, a row for each output, a column for each chain in the sentence (`docmt.nn.streams.Chains.relevant`).
    similarity: RunWeights | None


@dataclass(frozen=True, eq=False)
class InspectedDocument:
    """The segments of a document of a view; `first` has the number of the first sentence of each segment."""

    name: str
    rows: Rows
    first: np.ndarray

    @classmethod
    def read(cls, view: View, split: str, name: str | None, model: nn.Module) -> "InspectedDocument":
        """Read the document `name` of a split; None means the first document with the longest lexical chain.

        Raises UserError where the view has no such document, or does not fit the model.
        """
        table, chains = view.read(f"{split}.arrow", SEGMENTS, model)
        names = table["document"].to_pylist()
        if name is None:
            longest = [max(lengths, default=0) for lengths in chains["lengths"].to_pylist()]
            name = names[int(np.argmax(longest))]
        chosen = [row for row, other in enumerate(names) if other == name]
        if not chosen:
            where = str(view.folder / f"{split}.arrow")
            raise UserError("no such document", where=where, found=name, remedy=nearest(name, set(names)))
        return cls(name, Rows.from_table(table, chains).take(chosen), table["first"].to_numpy()[chosen])


def write_inside(path: Path, table: pa.Table) -> None:
    """Write an INSIDE table as an Arrow file or, where the name of the file ends in .json, as a JSON list of rows."""
    if path.suffix == ".json":
        write_json(path, table.to_pylist())
    else:
        write_arrow(path, table)


def inside(model: nn.Module, document: InspectedDocument, source: Vocabulary, target: Vocabulary) -> pa.Table:
    """Return the INSIDE table of a document: a row for each member of each lexical chain."""
    rows, frame = document.rows, model.config.frame
    keys = document_keys(NOISE, np.arange(len(rows)))
    batch = frame_batch(rows, frame).with_keys(keys).to(next(model.parameters()).device)
    measures = look_inside(model, batch)
    numbers = np.repeat(document.first, rows.sentences) + places(rows.sentences)
    outputs = [target.decode(ids.tolist()) for ids in batch.target_out.split(batch.target_in.sentences.lengths)]
    words, begin = rows.chains.words(rows.source_words), starts(rows.source_lengths.flat())
    ids = rows.source_ids.flat()
    entries = [
        {
            "document": document.name,
            "chain": chain,
            "piece": source.pieces[ids[words[member]]],
            "sentence": int(numbers[sentence]),
            "place": int(words[member] - begin[sentence]),
            "outputs": outputs[sentence],
            **values,
        }
        for chain, member, sentence, values in _members(batch, measures)
    ]
    return pa.Table.from_pylist(sorted(entries, key=lambda row: (row["chain"], row["sentence"], row["place"])), INSIDE)


@torch.no_grad()
def look_inside(model: nn.Module, batch: Batch) -> list[SentenceMeasures]:
    """Return the measures of each sentence of a batch, by one pass that reads the references as the model's output."""
    # The latent variables are those of decoding, which do not depend on the target.
    memory = model.encode(batch.source)
    attending = model.decoder[-1].cross_attention
    fusing = model.fusion if model.config.kind == "lexical_chain" and model.config.latent else None
    with ExitStack() as watched:
        attended = watched.enter_context(arguments(attending))
        fused = [] if fusing is None else watched.enter_context(arguments(fusing))
        model.decode(batch.target_in, memory)
    # The weights are computed again from the arguments of the attention, since attention itself never stores them.
    x, place = attended[0]
    attention = place.weights(attending, x)
    if fusing is None:
        return [SentenceMeasures(weights, None, None) for weights in attention]
    states, chains = fused[0][0], memory.chains
    members = memory.states.index_select(0, chains.tokens)
    sentences = batch.target_in.sentences
    alignment = model.posterior.alignment.weights(members, chains, states, sentences)
    padded, _ = fusing.similarity(*fused[0])
    similarity = [rows[:length] for rows, length in zip(padded, sentences.lengths, strict=True)]
    return [SentenceMeasures(*measures) for measures in zip(attention, alignment, similarity, strict=True)]


@contextmanager
def arguments(module: nn.Module) -> Iterator[list[tuple]]:
    """Yield a list to which the arguments of each call of `module` are added, until the end of the block."""
    calls: list[tuple] = []
    handle = module.register_forward_pre_hook(lambda _, inputs: calls.append(inputs))
    try:
        yield calls
    finally:
        handle.remove()


def _members(
    batch: Batch, measures: list[SentenceMeasures]
) -> Iterator[tuple[int, int, int, dict[str, list[float] | None]]]:
    """Yield (chain, its member, the member's sentence, the measures of the member), sentence by sentence."""
    chains, offsets = batch.source.chains, batch.source.sentences.offsets.tolist()
    chain, tokens, relevant = (part.tolist() for part in (chains.runs.ids(), chains.tokens, chains.relevant))
    by_sentence = chains.order.split(chains.sentences.lengths)
    for sentence, (measure, members) in enumerate(zip(measures, by_sentence, strict=True)):
        for number, member in enumerate(members.tolist()):
            column = relevant[sentence].index(chain[member])
            values = {"attention": measure.attention[:, tokens[member] - offsets[sentence]].tolist()}
            values["alignment"] = None if measure.alignment is None else measure.alignment[number].tolist()
            values["similarity"] = None if measure.similarity is None else measure.similarity[:, column].tolist()
            yield chain[member], member, sentence, values
