"""Options that several commands have."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Device = Annotated[
    Literal["auto", "cpu", "cuda"], typer.Option(envvar="DOCMT_DEVICE", help="auto = the GPU where there is one")
]
Threads = Annotated[int | None, typer.Option(min=1, help="CPU threads [default: one a core]")]
Workers = Annotated[int | None, typer.Option(min=1, help="processes; no result depends on it [default: one a core]")]
Learnt = Annotated[
    Path | None, typer.Option(help="text/ of the corpus that `text.learnt_on` of the settings names, if it is another")
]
