"""Contrastive sets as plain files, read, cut and scored by a model's own text pipeline and view."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from docmt.core.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa

    from docmt.corpus.inputs import ContrastiveItem
    from docmt.nn.device import DeviceName
    from docmt.text.pipeline import TextPipeline


@dataclass(frozen=True)
class Sets:
    """The files, a set each, by its name, and what else `docmt contrastive` was told of them."""

    form: str
    files: tuple[Path, ...]
    context_sentences: int
    documents: str | None

    def read(self, source_language: str, target_language: str) -> "list[ContrastiveItem]":
        """Raises UserError where a file is missing or not of the form."""
        from docmt.core.parse import parse
        from docmt.corpus.inputs import Inputs

        kind, config, reader = readers()[self.form]
        options = {} if self.form != "contrapro" else {"context_sentences": self.context_sentences}
        if self.documents is not None:
            options["documents"] = str(Path.cwd() / self.documents)
        items = []
        with tempfile.TemporaryDirectory() as scratch:
            for file in self.files:
                settings = parse(config, {"kind": kind, "sets": {file.stem: file.name}, **options}, str(file))
                inputs = Inputs(file.parent, Path(scratch), source_language, target_language)
                items += reader(settings, inputs).contrastive
        if not items:
            raise UserError("no contrastive items", where=", ".join(map(str, self.files)))
        return items


def readers() -> dict[str, tuple[str, type, Callable]]:
    """By form: the reader's kind, its settings, itself."""
    from docmt.core.contrastive_readers import ContraProConfig, ContrastiveTableConfig, DiscEvalMtConfig
    from docmt.corpus.readers.contrapro import read_contrapro
    from docmt.corpus.readers.contrastive_table import read_contrastive_table
    from docmt.corpus.readers.discevalmt import read_discevalmt

    return {
        "table": ("contrastive_table", ContrastiveTableConfig, read_contrastive_table),
        "discevalmt": ("discevalmt", DiscEvalMtConfig, read_discevalmt),
        "contrapro": ("contrapro", ContraProConfig, read_contrapro),
    }


def forced_scores(sets: Sets, folder: Path, batch_tokens: int, device: "DeviceName", threads: int | None) -> "pa.Table":
    """CONTRASTIVE_SCORES of the sets by the model of a folder.

    Raises UserError for what `Sets.read` refuses, and for a sentence without any token.
    """
    from docmt.cli.opening import open_model
    from docmt.cli.progress import shown_progress
    from docmt.cli.translate import own_cut
    from docmt.core.architectures import READS_CHAINS
    from docmt.core.documents import STOP_WORDS
    from docmt.decoding.contrastive import scored
    from docmt.text.contrastive import contrastive_tokens
    from docmt.views.contrastive import contrastive_segments

    network, pipeline = open_model(folder, device, threads)
    items = sets.read(pipeline.config.source_language, pipeline.config.target_language)
    where = ", ".join(map(str, sets.files))
    segments = contrastive_segments(contrastive_tokens(as_table(items), pipeline.sides, where), own_cut(folder))
    reads_chains = network.config.kind in READS_CHAINS
    chains = chains_of_segments(items, segments, pipeline, folder / STOP_WORDS) if reads_chains else None
    with shown_progress("contrastive scores", "variants") as progress:
        return scored(network, segments, chains, batch_tokens, progress)


def as_table(items: "list[ContrastiveItem]") -> "pa.Table":
    """CONTRASTIVE, an item's number being its place."""
    import pyarrow as pa

    from docmt.core.documents import CONTRASTIVE

    columns = {name: [getattr(item, name) for item in items] for name in CONTRASTIVE.names if name != "item"}
    return pa.table({**columns, "item": range(len(items))}, CONTRASTIVE)


def chains_of_segments(
    items: "list[ContrastiveItem]", segments: "pa.Table", pipeline: "TextPipeline", stop_words: Path
) -> "pa.Table":
    """SEGMENT_CHAINS of the variants. Raises UserError where the stop list is missing."""
    import pyarrow as pa

    from docmt.chains.stop_words import read_stop_words
    from docmt.core.chains import chains_of
    from docmt.core.documents import SEGMENT_CHAINS

    stopped, rows = read_stop_words(stop_words), []
    for segment in segments.select(["item", "source_lengths"]).to_pylist():
        seen = items[segment["item"]].source[-len(segment["source_lengths"]) :]
        texts, counts = zip(*map(pipeline.source.words, seen), strict=True)
        rows.append(dict(zip(SEGMENT_CHAINS.names, chains_of(texts, counts, stopped), strict=True)))
    return pa.Table.from_pylist(rows, SEGMENT_CHAINS)
