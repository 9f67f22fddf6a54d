"""What decoding keeps of the sentences that a hypothesis has written, where each is looked at by itself."""

import torch

from docmt.nn.attention import attend_padded
from docmt.nn.caches import Progress, reserve
from docmt.nn.shapes import (
    HypothesisFlags,
    HypothesisHeads,
    HypothesisRowHeads,
    Int,
    Numbers,
    PaddedPairs,
    Pairs,
    SeenRows,
    Tensor,
)


class ContextCache:
    """Keys and values of the words of the last sentences of each hypothesis, and of the one that it is writing.

    Each hypothesis has a row for each of them: the sentence being written takes the row of the one that is too far
    back, so that nothing moves when a sentence ends.
    """

    def __init__(self, sentences: int) -> None:
        """`sentences`: so many previous ones are looked at."""
        self.kept = sentences + 1
        self.pairs: PaddedPairs | None = None
        """Rows hypothesis by hypothesis."""
        self.words: Int[Tensor, "N P"] | None = None
        """How many words each row holds."""
        self.longest = 0
        """Tokens of the longest sentence so far."""

    def attend(
        self, q: HypothesisHeads, k: HypothesisHeads, v: HypothesisHeads, is_word: HypothesisFlags, progress: Progress
    ) -> tuple[HypothesisRowHeads, SeenRows]:
        """Put in the newest tokens, and let each see the words of each previous sentence, apart.

        Gives what was seen, and in which rows there was anything to be seen.
        """
        row = progress.sentence % self.kept
        self._put(torch.stack((k, v)), row, is_word, progress)
        words = self.words.scatter(1, row[:, None], 0)
        may_attend = torch.arange(self.longest, device=q.device) < words.flatten()[:, None]
        keys, values = self.pairs[:, :, :, : self.longest].transpose(2, 3)
        seen = attend_padded(q.repeat_interleave(self.kept, dim=0)[:, None], keys, values, may_attend)[:, 0]
        return seen.unflatten(0, (-1, self.kept)), words > 0

    def _put(self, newest: Pairs, row: Numbers, is_word: HypothesisFlags, progress: Progress) -> None:
        """Write the newest tokens at the ends of their rows; what is no word is not counted, and written over."""
        if self.words is None:
            self.words = row.new_zeros((len(row), self.kept))
        before = self.words.gather(1, row[:, None])[:, 0].masked_fill(progress.cursor == 0, 0)
        self.longest = max(self.longest, progress.longest)
        self.pairs = reserve(self.pairs, newest.repeat_interleave(self.kept, dim=1), self.longest)
        place = torch.arange(len(row), device=row.device) * self.kept + row
        self.pairs[:, place, :, before] = newest.transpose(0, 1)
        self.words = self.words.scatter(1, row[:, None], (before + is_word)[:, None])

    def take(self, index: Numbers, *_: object) -> None:
        if self.pairs is None:
            return
        self.pairs = self.pairs.unflatten(1, (-1, self.kept)).index_select(1, index).flatten(1, 2)
        self.words = self.words.index_select(0, index)
