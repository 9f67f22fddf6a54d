"""`docmt views`: stage 3."""

from pathlib import Path
from typing import Annotated

from docmt.cli.options import Workers, input_file, input_folder, output_folder


def views(
    settings: Annotated[Path, input_file("settings.json of stage 3")],
    tokens: Annotated[Path, input_folder("folder of stage 2: tokens.arrow[, contrastive.arrow]")],
    output: Annotated[Path, output_folder("folder for train, dev, test.arrow, card.json[, contrastive.arrow]")],
    workers: Workers = None,
) -> None:
    """Cut a corpus's documents into the segments of a view."""
    from docmt.base.artifacts import read_json
    from docmt.base.parse import parse
    from docmt.cli.progress import workers_of
    from docmt.views.build import ViewsSettings, build_view

    build_view(parse(ViewsSettings, read_json(settings), str(settings)), tokens, output, workers_of(workers))
