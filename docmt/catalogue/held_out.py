"""The documents of training text that become dev or test, for corpora that come without these splits."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from docmt.base.checks import Checked, all_of, at_least, count_or_none, need, setting
from docmt.base.names import SPLITS

TRAIN, *HELD_OUT = SPLITS  # The split from which documents are held out, and the splits that they become.


# The check of the distance between documents that are held out.
another = all_of(count_or_none, at_least(2, ", since training needs documents too"))


@dataclass(frozen=True)
class HeldOutConfig(Checked):
    """The documents of training text that a split gets: the first ones, or every n-th one."""

    first: int | None = setting(None, "the first documents, this number of them", count_or_none)
    every: int | None = setting(None, "every document whose number this number divides", another)
    at_most: int | None = setting(None, "with every: the largest number of documents; none = all", count_or_none)

    def __post_init__(self) -> None:
        """Check that either `first` or `every` is stated, and `at_most` only with `every`."""
        super().__post_init__()
        stated = [name for name in ("first", "every") if getattr(self, name) is not None]
        need(len(stated) == 1, "first", stated or "nothing", "a number of first or of every, and not of both")
        fits = self.at_most is None or self.every is not None
        need(fits, "at_most", self.at_most, "none beside first, which is a number of documents")

    def takes(self, number: int) -> bool:
        """Return whether the split gets document `number`, from 1 among those that the splits before left."""
        if self.first is not None:
            return number <= self.first
        return number % self.every == 0 and (self.at_most is None or number <= self.at_most * self.every)


@dataclass
class Allocation:
    """The split of each training document; dev comes first: test gets documents of those that dev has left."""

    held_out: Mapping[str, HeldOutConfig]
    _numbers: dict[str, int] = field(default_factory=lambda: dict.fromkeys(HELD_OUT, 0))

    def next_split(self) -> str:
        """Return the split of the next document of the training text."""
        for split in HELD_OUT:
            if split in self.held_out:
                self._numbers[split] += 1
                if self.held_out[split].takes(self._numbers[split]):
                    return split
        return TRAIN
