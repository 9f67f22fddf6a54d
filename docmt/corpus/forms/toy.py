"""The form `toy`, which reads no file: text and contrastive sets are drawn from the grammar in `docmt.corpus.toy`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Literal, Self

from docmt.base.checks import MOST_SEED, even, in_schema, need, needed, setting, whole, within
from docmt.base.names import SPLITS
from docmt.catalogue.fixtures import FixtureConfig, story
from docmt.catalogue.forms import KIND, ReaderConfig
from docmt.corpus.inputs import ContrastiveItem, Document, ReaderInputs, SideText
from docmt.corpus.toy.grammar import PHENOMENA
from docmt.corpus.toy.stories import draw_items, draw_story

documents_of_a_split = whole(1, 100_000_000)


@in_schema(minItems=1, items={"minimum": 1})
def need_distances(name: str, value: tuple[int, ...]) -> None:
    """Raise BadValue where there is no distance, or one below 1."""
    need(min(value, default=0) >= 1, name, list(value), "one or more, each 1 or more")


@dataclass(frozen=True)
class ToyConfig(ReaderConfig):
    """The settings of the form `toy`."""

    kind: Literal["toy"] = needed(KIND)
    seed: int = setting(1, "another seed is another corpus", whole(0, MOST_SEED))
    train_documents: int = setting(3000, "documents of the train split", documents_of_a_split)
    dev_documents: int = setting(100, "documents of the dev split", documents_of_a_split)
    test_documents: int = setting(100, "documents of the test split", documents_of_a_split)
    shortest: int = setting(6, "sentences of the shortest document", story)
    longest: int = setting(20, "sentences of the longest document", within("at most 100,000", maximum=100_000))
    contrastive_items: int = setting(
        100, "items of each contrastive set at each distance; an even number, since they come in pairs", even
    )
    distances: tuple[int, ...] = setting(
        (1, 2, 3, 5), "sentences from the deciding sentence to the judged one", need_distances
    )

    def __post_init__(self) -> None:
        """Raise BadValue where the longest document is shorter than the shortest one."""
        super().__post_init__()
        need(self.longest >= self.shortest, "longest", self.longest, f"shortest ({self.shortest}) or more")

    def small(self, fixture: FixtureConfig) -> Self:
        """Return the same settings with the numbers of documents and items, and the lengths, of a fixture."""
        sizes = {f"{split}_documents": number for split, number in fixture.documents.items()}
        same = {name: getattr(fixture, name) for name in ("shortest", "longest", "contrastive_items")}
        return replace(self, **sizes, **same)


def documents(config: ToyConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Draw the documents of all splits."""
    # Each split has its own random generator, and so have the contrastive sets; therefore the size of a split does not
    # change the random numbers of the others.
    sizes = (config.train_documents, config.dev_documents, config.test_documents)
    seen = set()
    for split, size in zip(SPLITS, sizes, strict=True):
        rng = Random(f"{config.seed}/{split}")
        for number in range(1, size + 1):
            pairs = draw_story(config.shortest, config.longest, rng).pairs()
            # A document that has occurred is drawn again, so that no test document is also a training document.
            while pairs in seen:
                pairs = draw_story(config.shortest, config.longest, rng).pairs()
            seen.add(pairs)
            where = f"toy {split} {number}"
            source, target = (SideText(sentences, where) for sentences in zip(*pairs, strict=True))
            yield Document(split, f"{split}{number:04d}", source, target, where)


def items(config: ToyConfig, inputs: ReaderInputs) -> Iterator[ContrastiveItem]:
    """Draw the items of each phenomenon at each distance."""
    rng = Random(f"{config.seed}/contrastive")
    for phenomenon, distance in product(PHENOMENA, config.distances):
        yield from draw_items(phenomenon, distance, config.contrastive_items, rng)
