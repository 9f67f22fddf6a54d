"""`toy`: documents and contrastive sets from the grammar of `docmt.corpus.toy`."""

from collections.abc import Iterator
from random import Random

from docmt.base.names import SPLITS
from docmt.catalogue.readers import ToyConfig
from docmt.corpus.inputs import Document, Inputs, Reading, Side
from docmt.corpus.toy.contrast import draw_items
from docmt.corpus.toy.stories import draw_story


def read_toy(config: ToyConfig, inputs: Inputs) -> Reading:
    """Splits and sets draw from their own generators, so that the size of one does not change another."""
    contrastive = draw_items(config.distances, config.contrastive_items, Random(f"{config.seed}/contrastive"))
    return Reading(_documents(config), contrastive)


def _documents(config: ToyConfig) -> Iterator[Document]:
    sizes = (config.train_documents, config.dev_documents, config.test_documents)
    told = set()
    for split, size in zip(SPLITS, sizes, strict=True):
        rng = Random(f"{config.seed}/{split}")
        for number in range(1, size + 1):
            pairs = draw_story(config.shortest, config.longest, rng).told()
            # No document twice: what is tested was not trained on.
            while pairs in told:
                pairs = draw_story(config.shortest, config.longest, rng).told()
            told.add(pairs)
            where = f"toy {split} {number}"
            source, target = (Side(sentences, where) for sentences in zip(*pairs, strict=True))
            yield Document(split, f"{split}{number:04d}", source, target, where)
