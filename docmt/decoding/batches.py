"""Which segments are computed together."""

from collections.abc import Sequence


def token_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Indices of items in batches of at most `budget` tokens, longest first; an item beyond it is a batch by itself.

    Items of similar length are together, since a batch takes as many steps as its longest item; and the longest
    come first, so that a lack of memory shows at once.
    """
    batches: list[list[int]] = []
    room = 0
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if not batches or lengths[index] > room:
            batches.append([])
            room = budget
        batches[-1].append(index)
        room -= lengths[index]
    return batches
