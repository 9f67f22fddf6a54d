"""Stage 6: the scores of the variants of a contrastive set, with those of the sentences before the judged one."""

from dataclasses import replace
from functools import partial

from docmt.base.paths import CONTRASTIVE_WHOLE
from docmt.steps import contrastive

run = partial(contrastive.run, whole=True)

STEP = replace(
    contrastive.STEP,
    name="contrastive_whole",
    about="Score the contrastive variants of a view, with the sentences before the judged sentence.",
    folder=CONTRASTIVE_WHOLE,
    run=run,
)
