"""Readers, one a file: each turns the files of a corpus into documents.

Text is taken as it stands: markup is resolved and outer white space stripped, but nothing is normalised, since
what the references look like is part of a corpus.
"""

from collections.abc import Callable
from typing import Any

from docmt.corpus.inputs import Inputs, Reading
from docmt.corpus.readers.iwslt_xml import read_iwslt_xml
from docmt.corpus.readers.lines import read_aligned_lines
from docmt.corpus.readers.toy import read_toy
from docmt.corpus.readers.verses import read_verses

READERS: dict[str, Callable[[Any, Inputs], Reading]] = {
    "toy": read_toy,
    "verses": read_verses,
    "iwslt_xml": read_iwslt_xml,
    "lines": read_aligned_lines,
}
"""By `reader.kind`; each takes its settings from `docmt.core.catalogue.READER_CONFIGS`."""
