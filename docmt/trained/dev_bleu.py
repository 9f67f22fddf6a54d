"""The BLEU of validations, for trainings whose settings have `select_by: bleu`."""

from collections.abc import Sequence
from pathlib import Path

from docmt.training.task import Score, Sentences

FAMILY = "13a"


def dev_bleu(text: Path) -> Score:
    """Return a function that gives BLEU (0 to 100) of translations in ids; `text` is the folder of the text pipeline.

    A line is an instance of the view, with its sentences joined. So the score is s-BLEU for a view of single sentences,
    and BLEU of instances otherwise, where the numbers of sentences of translation and reference may differ. The
    reference is restored from ids, so that this BLEU compares validations of one training, and nothing else.

    Raises UserError where a file of the folder is missing or damaged.
    """
    # These modules are imported here: machines that train may lack their packages, which only this score needs.
    from docmt.base.vocabulary import UNK
    from docmt.scoring.bleu import FAMILIES, bleu
    from docmt.text.pipeline import TextPipeline

    pipeline = TextPipeline.load(text)
    metric = FAMILIES[FAMILY].metric(pipeline.config.target_language)

    def line(instance: Sentences) -> str:
        return " ".join(pipeline.target.restore(words)[1] for words in instance)

    def score(translations: Sequence[Sentences], references: Sequence[Sentences]) -> float:
        # Unknown pieces of a translation are left out.
        known = [[[piece for piece in words if piece != UNK] for words in instance] for instance in translations]
        return bleu(metric, list(map(line, known)), [list(map(line, references))], "instance")["score"]

    return score
