"""The BLEU of validations, for trainings whose settings have `select_by: bleu`."""

from collections.abc import Sequence
from pathlib import Path

from docmt.training.validate import Score, Sentences

FAMILY = "13a"


def dev_bleu(text: Path) -> Score:
    """Return a function that gives BLEU (0 to 100) of translations in ids; `text` is the folder of the text pipeline.

    A line is an instance of the view, its sentences joined: s-BLEU of a sentence view, else BLEU of instances, whether
    or not the model's number of sentences is the reference's. The reference is rebuilt from ids, so that this number
    compares validations of one training, and nothing else. An unknown word of a translation counts as left out.

    Raises UserError where a file of the folder is missing or damaged.
    """
    # Machines that train may have no packages for text: they need them only for this score.
    from docmt.base.vocabulary import UNK
    from docmt.scoring.bleu import FAMILIES, bleu
    from docmt.text.pipeline import TextPipeline

    pipeline = TextPipeline.load(text)
    metric = FAMILIES[FAMILY].metric(pipeline.config.target_language)

    def line(instance: Sentences) -> str:
        return " ".join(pipeline.target.restore(words)[1] for words in instance)

    def score(translations: Sequence[Sentences], references: Sequence[Sentences]) -> float:
        known = [[[piece for piece in words if piece != UNK] for words in instance] for instance in translations]
        return bleu(metric, list(map(line, known)), [list(map(line, references))], "instance")["score"]

    return score
