"""Translations of documents by a trained model, which cuts documents as its own test documents were cut."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from pathlib import Path

import pyarrow as pa

from docmt.base.columns import SEGMENTS
from docmt.base.text_patterns import NOTHING_VISIBLE
from docmt.decoding.files import COLUMNS, document_numbers, nbest_rows, restored_lines
from docmt.decoding.segments import Restore, SegmentTable
from docmt.decoding.strategy import Decoded, Fallbacks, decode_segments
from docmt.decoding.translator import Progress, quiet
from docmt.nn.positions import SIDES, check_positions
from docmt.settings.data import CutConfig
from docmt.settings.decode import DecodeConfig
from docmt.trained.engine import translator_of
from docmt.trained.model import TrainedModel
from docmt.views.cuts import cut_documents, sentence_costs
from docmt.views.segments import segments_of, sentences_of, with_copies

WHERE = "standard input"  # The name of the text in messages


@dataclass(frozen=True)
class Translated:
    """The translations of `count` lines; only the lines at `places` have text."""

    decoded: Decoded | None  # None where no line has text
    places: list[int]
    count: int
    restore: Restore

    @property
    def fallbacks(self) -> Fallbacks:
        """The numbers of windows whose output has a different number of sentences, and of their repairs."""
        return self.decoded.fallbacks if self.decoded else Fallbacks()

    @property
    def cut_lines(self) -> list[int]:
        """The number of the first line, from 1, of each segment whose translation was cut at its maximum length."""
        if self.decoded is None:
            return []
        segments = zip(self.decoded.first_lines, self.decoded.searches, strict=True)
        are_cut = [(first, any(ranked[0].forced_ends for ranked in searches)) for first, searches in segments]
        return [self.places[first] + 1 for first, is_cut in are_cut if is_cut]

    @property
    def is_by_document(self) -> bool:
        """Whether each translation is of a whole document, since the model does not mark sentences."""
        return self.decoded is not None and self.decoded.lines == "documents"

    def texts(self) -> list[str]:
        """Return a translation for each line, or for each document (`is_by_document`)."""
        if self.decoded is None:
            return [""] * self.count
        restored = restored_lines(self.decoded.translations[-1], self.decoded.line_lengths, self.restore)
        texts = [text for _, text in restored]
        if self.is_by_document:
            return texts
        of_line = dict(zip(self.places, texts, strict=True))
        return [of_line.get(place, "") for place in range(self.count)]

    def n_best(self) -> Iterable[tuple[str, ...]]:
        """Return the header and the rows of the n-best list (`docmt.decoding.files`) as cells.

        The column `line` has the number of the input line, or of the document (`is_by_document`).
        """
        if self.decoded is None:
            return [COLUMNS]
        numbers = None if self.is_by_document else [place + 1 for place in self.places]
        return nbest_rows(self.decoded, self.restore, numbers)


def translate_lines(
    model: TrainedModel,
    lines: list[str],
    config: DecodeConfig,
    progress: Progress = quiet,
    names: Sequence[str] | None = None,
) -> Translated:
    """Translate lines, each a sentence; a blank line ends a document, unless `names` has the document of each line.

    A line without a visible character gets an empty translation.

    Raises UserError where the model does not say how documents are cut, for a segment that is longer than its table of
    positions, and where its stop list is missing.
    """
    encode = model.pipeline.source.encode
    # What has nothing visible would get a translation, of invisible pieces or of none.
    ids = [[] if NOTHING_VISIBLE.fullmatch(line) else encode(line) for line in lines]
    documents = document_numbers(lines, ids) if names is None else _named_numbers(names, ids)
    places, numbers, decoded = list(documents), list(documents.values()), None
    if places:
        cut = model.test_cut()
        table = _segments([ids[place] for place in places], numbers, cut)
        check_positions(Path(WHERE), table, [model.network.config.learned_positions], SIDES[:1])
        sentences = _sentences([lines[place] for place in places], numbers, table)
        segments = SegmentTable.from_table(table, WHERE, model.chains(sentences))
        decoded = decode_segments(segments, cut, translator_of(model, cut, config, progress))
    return Translated(decoded, places, len(lines), model.pipeline.target.restore)


def _named_numbers(names: Sequence[str], ids: Sequence[list[int]]) -> dict[int, int]:
    """Return the number of the document, from 0, of each line that has pieces, by the place of the line."""
    # `accumulate` yields its initial value even where there is no name.
    runs = accumulate((name != before for before, name in pairwise(names)), initial=0) if names else ()
    return {place: number for place, (number, pieces) in enumerate(zip(runs, ids, strict=True)) if pieces}


def translate_documents(
    model: TrainedModel, documents: Sequence[Sequence[str]], config: DecodeConfig, progress: Progress = quiet
) -> tuple[list[list[str]], Translated]:
    """Translate documents to one line per sentence, or per document for a model that does not mark sentences.

    Returns the lines of each document, and the translations of all sentences as lines of one text.

    Raises UserError as `translate_lines` does.
    """
    sentences = [sentence for document in documents for sentence in document]
    numbers = [number for number, document in enumerate(documents) for _ in document]
    translated = translate_lines(model, sentences, config, progress, list(map(str, numbers)))
    with_text = sorted({numbers[place] for place in translated.places})
    lines: list[list[str]] = [[] for _ in documents]
    for text, number in zip(translated.texts(), with_text if translated.is_by_document else numbers, strict=True):
        lines[number].append(text)
    return lines, translated


def _segments(ids: list[list[int]], documents: list[int], cut: CutConfig) -> pa.Table:
    """Return SEGMENTS of sentences without translations; `documents` has the document number of each sentence."""
    columns = {
        "document": pa.array([str(document) for document in documents]),
        "sentence": pa.array([n for _, group in groupby(documents) for n, _ in enumerate(group)], pa.int32()),
        "source_ids": pa.chunked_array([pa.array(ids, SEGMENTS.field("source_ids").type)]),
        "target_ids": pa.chunked_array([pa.array([[]] * len(ids), SEGMENTS.field("target_ids").type)]),
    }
    rows = sentences_of(pa.table(columns), WHERE)
    if cut.partial_copy is not None:
        rows = with_copies(rows, cut.window - 1, cut.partial_copy)
    costs = sentence_costs(rows.source.lengths, rows.target.lengths)
    return pa.Table.from_batches([segments_of(rows, cut_documents(rows.documents, costs, cut))])


def _sentences(sentences: list[str], documents: list[int], segments: pa.Table) -> Iterator[list[str]]:
    """Yield the sentences of each segment; `documents` has the document number of each of the `sentences`."""
    opens = {number: place for place, number in reversed([*enumerate(documents)])}
    for segment in segments.select(["document", "first", "source_lengths"]).to_pylist():
        start = opens[int(segment["document"])] + segment["first"]
        yield sentences[start : start + len(segment["source_lengths"])]


def fallback_text(fallbacks: Fallbacks) -> str:
    """Return a message about outputs whose number of sentences differs from that of their source."""
    return (
        f"{fallbacks.windows} segments got another number of sentences; {fallbacks.sentences} sentences were "
        f"translated again, alone; {fallbacks.merged} lines are several sentences joined"
    )
