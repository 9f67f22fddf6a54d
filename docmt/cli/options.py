"""Options that several commands have, and options of each kind of path."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from docmt.settings.scoring import LANGUAGE

MOST = 4096
"""Threads or processes: with more of them a machine does nothing but start them."""

MOST_TOKENS = 10**9
"""Of a batch: more than any memory holds."""

MINUTES = 10_000_000
"""The longest time that can be given, some 19 years: the system's clocks take no number at all."""


def language_code(value: str) -> str:
    """Checks an option: `chinese` would be scored, and tokenised, as if it were any language but Chinese."""
    if not LANGUAGE.fullmatch(value):
        raise typer.BadParameter(f"{value!r} is no code of a language, such as zh or en.")
    return value


def input_file(about: str, *names: str) -> Any:
    """An option; a folder is refused, and what is not there by who reads it."""
    return typer.Option(*names, help=about, dir_okay=False)


def input_folder(about: str, *names: str) -> Any:
    return typer.Option(*names, help=about, file_okay=False)


def output_file(about: str, *names: str) -> Any:
    """An option; see `docmt.cli.paths` for what is refused."""
    return typer.Option(*names, help=about, dir_okay=False, writable=True)


def output_folder(about: str, *names: str) -> Any:
    return typer.Option(*names, help=about, file_okay=False, writable=True)


Device = Annotated[
    Literal["auto", "cpu", "cuda"], typer.Option(envvar="DOCMT_DEVICE", help="auto = the GPU where there is one")
]
Threads = Annotated[int | None, typer.Option(min=1, max=MOST, help="CPU threads [default: one a core]")]
Workers = Annotated[
    int | None, typer.Option(min=1, max=MOST, help="processes; no result depends on it [default: one a core]")
]
Learnt = Annotated[
    Path | None, input_folder("text/ of the corpus that `text.learnt_on` of the settings names, if it is another")
]
Model = Annotated[Path, input_folder("the model's folder: model.safetensors, model.json, text/")]
View = Annotated[Path, input_folder("folder of stage 3: test.arrow[, contrastive.arrow]")]
Chains = Annotated[Path | None, input_folder("stage 4's folder of the view, for models that read lexical chains")]
