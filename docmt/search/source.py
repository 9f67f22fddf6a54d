"""The source of a search, with the noise of a model that samples its latent variables."""

import zlib

import numpy as np
from torch import nn

from docmt.nn.frames import frame_source
from docmt.nn.noise import document_keys
from docmt.nn.rows import Rows
from docmt.nn.streams import Stream

NOISE = 0
"""The seed of a model that samples its latent variables; it is fixed, so that the samples are the same each time."""


def source_of(model: nn.Module, rows: Rows) -> Stream:
    """Return the source stream of instances on the model's device."""
    source = frame_source(rows, model.config.frame)
    if getattr(model.config, "latent_in_inference", "mean") == "sample":
        # With `latent_in_inference: sample` the noise of an instance follows from its source alone, so that its latent
        # variables are the same each time and in any batch.
        source = source.with_keys(instance_keys(rows), "source")
    return source.to(next(model.parameters()).device)


def instance_keys(rows: Rows) -> np.ndarray:
    """Return the noise key of each instance."""
    return document_keys(NOISE, np.array([zlib.crc32(ids.tobytes()) for ids in rows.source_ids], dtype=np.uint64))
