"""A text that another corpus has learnt, so that models of both have the same pieces under the same numbers."""

from pathlib import Path

from docmt.base.errors import UserError
from docmt.text.learn import config_of
from docmt.text.pipeline import TextPipeline
from docmt.text.settings import TokensSettings


def take(settings: TokensSettings, learnt: Path | None) -> TextPipeline | None:
    """The pipeline in `learnt`, the `text/` of the corpus that the settings name; None where they name no other corpus.

    Raises UserError where a folder is given that is not asked for, or none that is, and where what was learnt there is
    of other settings or languages.
    """
    other = settings.takes_from
    if other is None:
        if learnt is not None:
            what, where = "a text is given, and none is to be taken", "--learnt"
            raise UserError(what, where=where, found=str(learnt), expected="nothing, where text.learnt_on is none")
        return None
    if learnt is None:
        expected = f"the text/ that this text has on {other}"
        raise UserError("the text of another corpus is to be taken", where="--learnt", expected=expected)
    pipeline, wanted = TextPipeline.load(learnt), config_of(settings)
    if pipeline.config != wanted:
        names = [name for name, value in vars(wanted).items() if getattr(pipeline.config, name) != value]
        found, expected = (
            ", ".join(f"{name} {getattr(config, name)}" for name in names) for config in (pipeline.config, wanted)
        )
        raise UserError("another text was learnt there", where=str(learnt), found=found, expected=expected)
    return pipeline
