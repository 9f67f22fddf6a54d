"""What targets have in common from their beginnings on: where tokens and source are the same, so are the states."""

from dataclasses import replace

import numpy as np

from docmt.nn.segments import places, starts
from docmt.nn.streams import Stream


def sharing_prefixes(targets: Stream, first: np.ndarray) -> Stream:
    """The same stream, whose instance i has the rows of instance `first[i]` for as long as their tokens are the same.

    `first[i]`: itself, or an instance before it with the same source.
    """
    tokens, lengths = targets.tokens.numpy(), np.asarray(targets.instances.lengths, dtype=np.int64)
    begins, place = starts(lengths), places(lengths)
    instance = np.repeat(np.arange(len(lengths)), lengths)
    there = begins[first][instance] + place
    is_other = place >= lengths[first][instance]
    is_other |= tokens != tokens[np.where(is_other, 0, there)]
    common = np.where(first == np.arange(len(first)), 0, lengths)
    np.minimum.at(common, instance[is_other], place[is_other])
    is_own = place >= common[instance]
    rows = np.cumsum(is_own) - 1
    return replace(targets, layout=targets.layout.sharing(np.where(is_own, rows, rows[np.where(is_own, 0, there)])))
