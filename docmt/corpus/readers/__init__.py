"""Readers, one a file: each turns the files of a corpus into documents, one at a time.

Text is taken as it stands: markup is resolved and outer white space stripped, but nothing is normalised, since
what the references look like is part of a corpus.
"""

from collections.abc import Callable
from itertools import chain
from typing import Any

from docmt.catalogue.readers import CombinedConfig, FileReaderConfig, ReaderConfig
from docmt.corpus.clean import cleaned
from docmt.corpus.inputs import Inputs, Reading
from docmt.corpus.readers.contrapro import read_contrapro
from docmt.corpus.readers.contrastive_table import read_contrastive_table
from docmt.corpus.readers.discevalmt import read_discevalmt
from docmt.corpus.readers.eos import read_eos
from docmt.corpus.readers.files import read_files
from docmt.corpus.readers.iwslt_tags import read_iwslt_tags
from docmt.corpus.readers.iwslt_xml import read_iwslt_xml
from docmt.corpus.readers.lines import read_aligned_lines
from docmt.corpus.readers.nist_sgm import read_nist_sgm
from docmt.corpus.readers.table import read_table
from docmt.corpus.readers.toy import read_toy
from docmt.corpus.readers.verses import read_verses
from docmt.corpus.readers.voita import read_voita

READERS: dict[str, Callable[[Any, Inputs], Reading]] = {
    "contrapro": read_contrapro,
    "contrastive_table": read_contrastive_table,
    "discevalmt": read_discevalmt,
    "eos": read_eos,
    "files": read_files,
    "iwslt_tags": read_iwslt_tags,
    "iwslt_xml": read_iwslt_xml,
    "lines": read_aligned_lines,
    "nist_sgm": read_nist_sgm,
    "table": read_table,
    "toy": read_toy,
    "verses": read_verses,
    "voita": read_voita,
}
"""By `reader.kind`; each takes its settings from `docmt.catalogue.readers.READER_CONFIGS`."""


def read(config: ReaderConfig, inputs: Inputs) -> Reading:
    """What the reader gives, cleaned as its settings say; of several readers (`combined`) one after another."""
    if isinstance(config, CombinedConfig):
        parts = [read(part, inputs) for part in config.parts]
        return Reading(
            chain.from_iterable(part.documents for part in parts),
            chain.from_iterable(part.contrastive for part in parts),
        )
    reading = READERS[config.kind](config, inputs)
    return cleaned(reading, config, inputs.changed) if isinstance(config, FileReaderConfig) else reading
