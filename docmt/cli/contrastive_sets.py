"""Contrastive sets as plain files, read, cut and scored by a model's own text pipeline and view."""

import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from docmt.base.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa

    from docmt.corpus.inputs import ContrastiveItem
    from docmt.nn.device import DeviceName
    from docmt.text.pipeline import TextPipeline

FormName = Literal["table", "voita", "discevalmt", "contrapro"]


@dataclass(frozen=True)
class Sets:
    """The files, a set each, by its name; `options` are those of the form's reader."""

    form: FormName
    files: tuple[Path, ...]
    options: Mapping[str, object]

    def read(self, source_language: str, target_language: str) -> "list[ContrastiveItem]":
        """Control characters become spaces. What the reader dropped or replaced is told on standard error.

        Raises UserError where a file is missing or not of the form, and for items that no corpus may have.
        """
        from docmt.base.parse import parse
        from docmt.catalogue.readers import ReaderConfig
        from docmt.corpus.inputs import Inputs
        from docmt.corpus.readers import read
        from docmt.corpus.validate import validated_items

        kind, items = "contrastive_table" if self.form == "table" else self.form, []
        with tempfile.TemporaryDirectory() as scratch:
            for file in self.files:
                settings = {"kind": kind, "sets": {file.stem: file.name}, "control": "space", **self.options}
                inputs = Inputs(file.parent, Path(scratch), source_language, target_language)
                reading = read(parse(ReaderConfig, settings, str(file)), inputs)
                items += validated_items(reading.contrastive, str(file), inputs.problems)
                tell_changes(file, inputs.changed)
        if not items:
            raise UserError("no contrastive items", where=", ".join(map(str, self.files)))
        return items


def tell_changes(file: Path, changed: Counter[str]) -> None:
    for what, count in changed.items():
        if count:
            typer.echo(f"docmt: {file}: {what}: {count}", err=True)


def forced_scores(
    sets: Sets, folder: Path, batch_tokens: int, device: "DeviceName", threads: int | None, whole: bool
) -> "pa.Table":
    """CONTRASTIVE_SCORES of the sets by the model of a folder; `whole`: see `docmt.decoding.contrastive.scored`.

    Raises UserError for what `Sets.read` refuses, and for a sentence without any token.
    """
    from docmt.api.translate import own_cut
    from docmt.base.columns import STOP_WORDS
    from docmt.cli.opening import open_model
    from docmt.cli.progress import shown_progress
    from docmt.decoding.contrastive import scored
    from docmt.settings.models import READS_CHAINS
    from docmt.text.beside import contrastive_tokens
    from docmt.views.contrastive import contrastive_segments

    network, pipeline = open_model(folder, device, threads)
    items = sets.read(pipeline.config.source_language, pipeline.config.target_language)
    where = ", ".join(map(str, sets.files))
    segments = contrastive_segments(contrastive_tokens(as_table(items), pipeline.sides, where), own_cut(folder))
    reads_chains = network.config.kind in READS_CHAINS
    chains = chains_of_segments(items, segments, pipeline, folder / STOP_WORDS) if reads_chains else None
    with shown_progress("contrastive scores", "variants") as progress:
        return scored(network, segments, chains, batch_tokens, progress, whole)


def as_table(items: "list[ContrastiveItem]") -> "pa.Table":
    """CONTRASTIVE, an item's number being its place."""
    import pyarrow as pa

    from docmt.base.columns import CONTRASTIVE

    columns = {name: [getattr(item, name) for item in items] for name in CONTRASTIVE.names if name != "item"}
    return pa.table({**columns, "item": range(len(items))}, CONTRASTIVE)


def chains_of_segments(
    items: "list[ContrastiveItem]", segments: "pa.Table", pipeline: "TextPipeline", stop_words: Path
) -> "pa.Table":
    """SEGMENT_CHAINS of the variants. Raises UserError where the stop list is missing."""
    import pyarrow as pa

    from docmt.base.chains import chains_of
    from docmt.base.columns import SEGMENT_CHAINS
    from docmt.chains.stop_words import read_stop_words

    stopped, rows = read_stop_words(stop_words), []
    for segment in segments.select(["item", "source_lengths"]).to_pylist():
        seen = items[segment["item"]].source[-len(segment["source_lengths"]) :]
        texts, counts = zip(*map(pipeline.source.words, seen), strict=True)
        rows.append(dict(zip(SEGMENT_CHAINS.names, chains_of(texts, counts, stopped), strict=True)))
    return pa.Table.from_pylist(rows, SEGMENT_CHAINS)
