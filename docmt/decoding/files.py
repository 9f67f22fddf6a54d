"""The files of stage 6: translations, a line for each sentence or document, and a record of the decoding.

In a user's file of source text, each line is a sentence, and a blank line separates documents.

`test.nbest.tsv` has the best hypotheses of every search, one in each row. The rows of a search are consecutive, with
the best hypothesis first. The columns are:

- `line`: the number of the line of `test.txt` with the first sentence of the search, from 1
- `segment`: the number of the segment of the test view, from 1
- `rank`: the rank of the hypothesis in its search, from 1
- `score`: the score divided by the length penalty, by which hypotheses are ranked
- `log_probability`: the sum of the log-probabilities of all outputs, in nats; it is the forced score of the hypothesis,
  but for sentences of the frame `closed` that were cut at their maximum length
- `tokens`, `text`: the hypothesis as tokens and as plain text; its sentences are joined by ` _eos `, and their number
  may differ from the number of sentences of the segment

A text that a spreadsheet program would compute (`- Yes`, `=1`) has an apostrophe before it, which
`docmt.base.spreadsheets.unshield` removes.

A search translates a segment (a sentence, a window or an instance) or, where the model is synchronous, a sentence of a
segment. Hypotheses of windows are listed as the search returned them, also where a window was translated again since
its output had a different number of sentences.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import nn

from docmt.base.artifacts import atomic_file, remove_file, write_json
from docmt.base.columns import CONTRASTIVE_SEGMENTS
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.recipe import read_settings
from docmt.base.spreadsheets import tsv_line
from docmt.base.tables import write_arrow
from docmt.decoding.contrastive import score_variants
from docmt.decoding.segments import Restore, SegmentTable, Sentence, View
from docmt.decoding.strategy import Decoded, decode_segments
from docmt.decoding.translator import Progress, Translator, quiet
from docmt.search.translations import Translation
from docmt.settings.data import ViewConfig
from docmt.settings.decode import DecodeConfig

NBEST = "test.nbest.tsv"  # The name of the file of n-best lists
COLUMNS = ("line", "segment", "rank", "score", "log_probability", "tokens", "text")
"""The columns of the file of n-best lists."""
BETWEEN_SENTENCES = " _eos "  # The text between two sentences of a hypothesis in an n-best list


@dataclasses.dataclass(frozen=True)
class TranslationSettings:
    """The content of the `job.json` of stage 6; `version` is the version of the step."""

    version: int
    study: str
    corpus: str
    system: str
    scale: str
    seed: int
    decode: DecodeConfig
    view: ViewConfig


def read_passages(path: Path) -> tuple[list[list[str]], DecodeConfig]:
    """Return the sentences of each document in the `job.json` of a passage, and the settings of the search.

    Raises UserError where the file is missing or has another form.
    """
    chosen, where = read_settings(path, "decode", "documents"), str(path)
    decode, documents = parse(DecodeConfig, chosen["decode"], where, ("decode",)), chosen["documents"]
    if not isinstance(documents, list) or not all(isinstance(document, list) for document in documents):
        raise UserError(
            "not the settings of a passage", where=where, expected="documents: a list of sentences for each"
        )
    return documents, decode


def write_translations(
    settings: TranslationSettings, translator: Translator, view: View, output: Path, restore: Restore
) -> dict[str, Any]:
    """Translate the test segments of a view into the folder `output`, and return facts for the record of the job.

    `translator` has the model, and the settings of the search as `settings` states them.

    The files are `test.txt` (plain text), `test.tok.txt` (tokens) and `decoding.json`. For windows of several sentences
    there are also `test.j1.txt`, `test.j1.tok.txt` and so on, two files for each position in the window. Where
    `decode.n_best` is not 0, there is also `test.nbest.tsv`. The field `lines` of `decoding.json` says whether a line
    is a sentence or a document.

    Raises UserError where the view does not fit the model, or is missing or damaged.
    """
    segments = SegmentTable.read(view, translator.model)
    decoded = decode_segments(segments, settings.view.test, translator)
    for old in (*output.glob("test.j*.txt"), *output.glob(NBEST)):
        # An earlier run with other settings may have left the positions of a longer window, or an n-best list.
        remove_file(old)
    for name, sentences in decoded.files().items():
        write_lines(output, name, restored_lines(sentences, decoded.line_lengths, restore))
    if settings.decode.n_best:
        with atomic_file(output / NBEST) as stream:
            stream.writelines(tsv_line(row) + "\n" for row in nbest_rows(decoded, restore))
    write_json(output / "decoding.json", decoding_record(settings, segments, decoded, translator))
    return {**speed(decoded, translator), **translator.facts()}


def write_contrastive(
    settings: TranslationSettings,
    model: nn.Module,
    view: View,
    output: Path,
    progress: Progress = quiet,
    whole: bool = False,
) -> None:
    """Score the contrastive variants of a view into the file `output`.

    Where `whole` is true, the sentences before the last one are scored too. Raises UserError where the view does not
    fit the model, or is missing or damaged.
    """
    table, chains = view.read("contrastive.arrow", CONTRASTIVE_SEGMENTS, model)
    write_arrow(output, score_variants(model, table, chains, settings.decode.batch_tokens, progress, whole))


def restored_lines(runs: list[Sentence], lengths: list[int], restore: Restore) -> list[tuple[str, str]]:
    """Return the tokens and the plain text of each line; line i consists of `lengths[i]` runs of pieces."""
    # `restore` is applied to each run by itself, since a run begins a sentence, and no word continues in the next run.
    restored = map(restore, runs)
    lines = (zip(*islice(restored, length), strict=True) for length in lengths)
    return [(" ".join(tokens), " ".join(text)) for tokens, text in lines]


def write_lines(folder: Path, name: str, restored: list[tuple[str, str]]) -> None:
    """Write the file `<name>.tok.txt` with tokens and the file `<name>.txt` with plain text."""
    for ending, lines in zip((".tok.txt", ".txt"), zip(*restored, strict=True), strict=True):
        with atomic_file(folder / f"{name}{ending}") as stream:
            stream.writelines(line + "\n" for line in lines)


def nbest_rows(decoded: Decoded, restore: Restore, numbers: Sequence[int] | None = None) -> Iterator[tuple[str, ...]]:
    """Yield the header and the rows of `test.nbest.tsv` as cells.

    `numbers` has the number of each line, where lines are not numbered 1, 2, 3 and so on.
    """
    yield COLUMNS
    segments = zip(decoded.first_lines, decoded.searches, strict=True)
    for segment, (first, searches) in enumerate(segments, start=1):
        for line, ranked in enumerate(searches, start=first):
            number = line + 1 if numbers is None else numbers[line]
            for rank, translation in enumerate(ranked, start=1):
                yield (*map(str, (number, segment, rank)), *_cells(translation, restore))


def _cells(translation: Translation, restore: Restore) -> tuple[str, ...]:
    restored = zip(*map(restore, translation.sentences), strict=True)
    return (
        f"{translation.normalised:.6f}",
        f"{translation.score:.6f}",
        *(BETWEEN_SENTENCES.join(texts) for texts in restored),
    )


def decoding_record(
    settings: TranslationSettings, segments: SegmentTable, decoded: Decoded, translator: Translator
) -> dict[str, Any]:
    """Return the content of `decoding.json`: the settings of the search, and the counts of its work.

    Tokens are pieces.
    """
    model, work = translator.model, dataclasses.asdict(translator.counts)
    del work["seconds"]  # it is in the record: the same translations have the same files
    decode = dataclasses.asdict(settings.decode)
    if settings.decode.max_length_of != "batch":
        del decode["batch_tokens"]  # of the machine, as the seconds are
    return {
        "version": settings.version,
        "strategy": decoded.strategy,
        "lines": decoded.lines,
        "view": settings.view.test.name,
        "frame": model.config.frame,
        **decode,
        "sentences": decoded.sentences,
        "segments": len(segments.rows),
        "fallback_windows": decoded.fallbacks.windows,
        "fallback_sentences": decoded.fallbacks.sentences,
        "merged_sentences": decoded.fallbacks.merged,
        "positions": {f"j{j}": dataclasses.asdict(position) for j, position in enumerate(decoded.positions, start=1)},
        **work,
    }


def speed(decoded: Decoded, translator: Translator) -> dict[str, Any]:
    """Return the speed of decoding for the record of the job.

    Tokens are pieces; `search_seconds` is the time of the search alone, without the time of loading and writing.
    """
    work = translator.counts
    return {
        "search_seconds": work.seconds,
        "source_tokens_per_s": work.source_tokens / work.seconds,
        "target_tokens_per_s": work.target_tokens / work.seconds,
        "sentences_per_s": decoded.sentences / work.seconds,
        "device": next(translator.model.parameters()).device.type,
        "threads": torch.get_num_threads(),
    }


def document_numbers(lines: list[str], ids: list[Sentence]) -> dict[int, int]:
    """Return the number of the document, from 0, of each line that has pieces to translate.

    `ids` has the piece ids of each line. A blank line ends a document; a line that is not blank but has no pieces, such
    as a line of invisible characters, does not.
    """
    numbers: dict[int, int] = {}
    number, written = 0, False
    for index, line in enumerate(lines):
        if ids[index]:
            numbers[index], written = number, True
        elif not line.strip() and written:
            number, written = number + 1, False
    return numbers
