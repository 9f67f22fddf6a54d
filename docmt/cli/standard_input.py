"""Documents from standard input as the segments, and the lexical chains, that a model was trained on."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from docmt.settings.data import CutConfig
    from docmt.text.pipeline import TextPipeline


@dataclass(frozen=True)
class Given:
    """Sentences that have no translation yet, their ids, and the number of each one's document, in rising order."""

    sentences: list[str]
    ids: list[list[int]]
    documents: list[int]

    def cut(self, cut: "CutConfig") -> "pa.Table":
        """SEGMENTS of the documents."""
        import pyarrow as pa

        from docmt.base.columns import SEGMENTS
        from docmt.views.cuts import cut_documents, sentence_costs
        from docmt.views.segments import segments_of, sentences_of

        nothing = [[]] * len(self.sentences)
        columns = {
            "document": pa.array([str(document) for document in self.documents]),
            "sentence": pa.array([n for _, group in groupby(self.documents) for n, _ in enumerate(group)], pa.int32()),
            "source_ids": pa.chunked_array([pa.array(self.ids, SEGMENTS.field("source_ids").type)]),
            "target_ids": pa.chunked_array([pa.array(nothing, SEGMENTS.field("target_ids").type)]),
        }
        rows = sentences_of(pa.table(columns), "standard input")
        costs = sentence_costs(rows.source.lengths, rows.target.lengths)
        return pa.Table.from_batches([segments_of(rows, cut_documents(rows.documents, costs, cut))])

    def chains(self, pipeline: "TextPipeline", segments: "pa.Table", stop_words: Path) -> "pa.Table":
        """SEGMENT_CHAINS of `segments`. Raises UserError where the stop list is missing."""
        import pyarrow as pa

        from docmt.base.chains import chains_of
        from docmt.base.columns import SEGMENT_CHAINS
        from docmt.chains.documents import read_stop_words

        stopped = read_stop_words(stop_words)
        words = [pipeline.source.words(sentence) for sentence in self.sentences]
        opens = {number: place for place, number in reversed([*enumerate(self.documents)])}
        rows = []
        for segment in segments.select(["document", "first", "source_lengths"]).to_pylist():
            start = opens[int(segment["document"])] + segment["first"]
            texts, counts = zip(*words[start : start + len(segment["source_lengths"])], strict=True)
            rows.append(dict(zip(SEGMENT_CHAINS.names, chains_of(texts, counts, stopped), strict=True)))
        return pa.Table.from_pylist(rows, SEGMENT_CHAINS)
