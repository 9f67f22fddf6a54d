"""Batches of segments that are searched together.

This module imports nothing of docmt, since `docmt export-model --to ctranslate2` copies it.
"""

from collections.abc import Sequence


def token_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Return the indices of items in batches of at most `budget` tokens, the longest items first.

    An item that is longer than `budget` is a batch by itself.
    """
    batches: list[list[int]] = []
    room = 0
    # Items of similar length are in the same batch, since a batch takes as many steps as its longest item. The longest
    # items come first, so that a lack of memory shows at once.
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if not batches or lengths[index] > room:
            batches.append([])
            room = budget
        batches[-1].append(index)
        room -= lengths[index]
    return batches
