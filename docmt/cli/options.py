"""Options that several commands have, options of each kind of path, and what is refused of these before a command."""

import inspect
import os
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from typer.models import OptionInfo, ParameterInfo

from docmt.base.artifacts import read_json, read_object
from docmt.base.errors import UserError
from docmt.base.names import LANGUAGES_ARE, DeviceName, is_language
from docmt.base.parse import parse

if TYPE_CHECKING:
    from docmt.api.model import TrainedModel

MOST = 4096
"""Threads or processes: with more of them a machine does nothing but start them."""

MOST_TOKENS = 10**9
"""Of a batch: more than any memory holds."""

MINUTES = 10_000_000
"""The longest time that can be given, some 19 years: the system's clocks take no number at all."""


def language_code(value: str) -> str:
    """Checks an option: `chinese` would be scored, and tokenised, as if it were any language but Chinese."""
    if not is_language(value):
        raise typer.BadParameter(f"{value!r} is not {LANGUAGES_ARE}.")
    return value


def input_file(about: str, *names: str) -> Any:
    """An option; a folder is refused, and what is not there by who reads it."""
    return typer.Option(*names, help=about, dir_okay=False)


def input_folder(about: str, *names: str) -> Any:
    return typer.Option(*names, help=about, file_okay=False)


def output_file(about: str, *names: str) -> Any:
    """An option; see `check_paths` for what is refused."""
    return typer.Option(*names, help=about, dir_okay=False, writable=True)


def output_folder(about: str, *names: str) -> Any:
    return typer.Option(*names, help=about, file_okay=False, writable=True)


Device = Annotated[DeviceName, typer.Option(envvar="DOCMT_DEVICE", help="auto = the GPU where there is one")]
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
Root = Annotated[Path, input_folder("folder with config.yaml and workflow/")]
Documents = Annotated[
    Path | None, input_file("each line's document, by name [default: blank lines stand between documents]")
]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON")]


def told(kind: type, settings: Path) -> Any:
    """What a job is told by its settings.json, as the dataclass `kind`."""
    return parse(kind, read_json(settings), str(settings))


def open_model(folder: Path, device: Device, threads: int | None) -> "TrainedModel":
    """See `TrainedModel.open`. A folder that is no model's is refused before torch, which takes a second to import."""
    read_object(folder / "model.json")
    from docmt.api.model import TrainedModel

    return TrainedModel.open(folder, device, threads)


class Given(NamedTuple):
    """A path of the command line, by the name of its option or argument."""

    name: str
    path: Path
    is_output: bool


def given_paths(command: Callable[..., None], values: dict[str, Any]) -> Iterator[Given]:
    """The paths among the values of a command's parameters; what is written is declared as `writable`."""
    hints = typing.get_type_hints(command, include_extras=True)
    for name in inspect.signature(command).parameters:
        known = next((one for one in getattr(hints[name], "__metadata__", ()) if isinstance(one, ParameterInfo)), None)
        value = values.get(name)
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, Path) and known:
                yield Given(_shown(name, known), path, known.writable)


def check_paths(given: list[Given]) -> None:
    """Raises UserError for an output that cannot be where it is named, or is another of the paths."""
    for output in (one for one in given if one.is_output):
        _check_folder(output)
        for other in given:
            if other is not output and os.path.realpath(other.path) == os.path.realpath(output.path):
                raise UserError(
                    f"{other.name} and {output.name} are the same",
                    where=str(output.path),
                    expected="an output that is nothing else",
                    remedy=f"name another path for {output.name}, which would be written over {other.name}",
                )


def _check_folder(output: Given) -> None:
    there = next(parent for parent in output.path.absolute().parents if os.path.lexists(parent))
    if not there.is_dir():
        raise UserError("not a folder", where=str(there), found="a file", expected=f"the folder of {output.name}")


def _shown(name: str, known: ParameterInfo) -> str:
    if not isinstance(known, OptionInfo):
        return name.upper()
    return next(iter(known.param_decls or ()), f"--{name.replace('_', '-')}")
