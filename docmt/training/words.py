"""The source words of a training: words of the text before it is cut into pieces, without special symbols."""

from pathlib import Path

import numpy as np

from docmt.base.ragged import sums
from docmt.base.vocabulary import CONTINUES, Vocabulary
from docmt.nn.rows import Rows
from docmt.settings.pretrained import ROWS
from docmt.training.loop import Training
from docmt.training.update import epoch_updates, target_tokens

AT_ONCE = 1 << 16
"""The number of instances whose ids are counted together, which limits the memory."""


def source_words(text: Path, training: Training) -> int:
    """Return the number of source words of all updates so far; a word counts each time that it is trained on.

    `text` is the folder of the vocabularies. The instances of each update follow from the settings alone, so that
    nothing needs to be counted during the training.
    """
    task, status = training.task, training.status
    words = words_of_instances(text, task.rows)
    lengths = target_tokens(task.rows)
    updates = epoch_updates(lengths, task.train.tokens_per_update, task.seed, status.epoch)[: status.position]
    return status.epoch * int(words.sum()) + sum(int(words[instances].sum()) for instances in updates)


def words_of_instances(text: Path, rows: Rows) -> np.ndarray:
    """Return the number of source words of each instance; a piece that the vocabulary lacks counts as a word.

    A word of n pieces has n - 1 pieces with the mark `CONTINUES`.
    """
    pieces = Vocabulary.load(text / "vocabulary.source.txt").pieces
    has_mark = str.startswith if (text / ROWS.format(side="source")).is_file() else str.endswith
    counts = np.array([not has_mark(piece, CONTINUES) for piece in pieces], dtype=np.int64)
    parts = (rows.source_ids.take(slice(first, first + AT_ONCE)) for first in range(0, len(rows), AT_ONCE))
    return np.concatenate([sums(counts[part.flat()], part.lengths) for part in parts])
