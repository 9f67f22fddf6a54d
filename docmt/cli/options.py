"""The options that several commands share, and the checks of the paths of a command before the command runs."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from typer.models import OptionInfo, ParameterInfo
from typer.utils import get_params_from_function

from docmt.base.artifacts import read_object
from docmt.base.errors import UserError
from docmt.base.names import LANGUAGES_ARE, DeviceName, is_language
from docmt.base.paths import TRAINING

if TYPE_CHECKING:
    from docmt.trained.model import TrainedModel

MOST = 4096  # The largest number of threads or processes: with more of them, a machine does nothing but start them.

MOST_TOKENS = 10**9  # The largest number of tokens, or pairs of sentences, of a batch: more than any memory holds.


def language_code(value: str) -> str:
    """Return the code of a language; refuse other texts.

    Otherwise `chinese` instead of `zh` would be tokenised and scored like an unknown language.
    """
    if not is_language(value):
        raise typer.BadParameter(f"{value!r} is not {LANGUAGES_ARE}.")
    return value


def input_file(about: str, *names: str) -> Any:
    """Return an option for a file to read; `-` stands for standard input, and a folder is refused."""
    return typer.Option(*names, help=about, dir_okay=False, metavar="FILE")


def input_folder(about: str, *names: str) -> Any:
    """Return an option for a folder to read from."""
    return typer.Option(*names, help=about, file_okay=False, metavar="FOLDER")


def output_file(about: str, *names: str) -> Any:
    """Return an option for a file to write; `check_paths` refuses paths that cannot be written."""
    return typer.Option(*names, help=about, dir_okay=False, writable=True, metavar="FILE")


def output_folder(about: str, *names: str) -> Any:
    """Return an option for a folder to write."""
    return typer.Option(*names, help=about, file_okay=False, writable=True, metavar="FOLDER")


Device = Annotated[DeviceName, typer.Option(envvar="DOCMT_DEVICE", help="auto: the GPU where there is one")]
Threads = Annotated[
    int | None,
    typer.Option(min=1, max=MOST, help="CPU threads [default: 1 for narrow models, else free cores]"),
]
PLACE = TRAINING.at(corpus="CORPUS", system="SYSTEM", seed="N")
Model = Annotated[
    Path,
    input_folder(f"folder of a model, or {PLACE}, of which the newest version is used"),
]
Source = Annotated[Path, input_file("source text, a sentence per line")]
Hypotheses = Annotated[
    list[Path], input_file("translations, a sentence per line; repeat the option for several systems")
]
References = Annotated[
    list[Path],
    input_file(
        "reference, a sentence per line; repeat the option for several references, of which some lines may be blank",
        "--reference",
    ),
]
Documents = Annotated[
    Path | None, input_file("name of the document of each line [default: blank lines separate documents]")
]
TrainSource = Annotated[Path | None, input_file("source side of more parallel text, a tokenised sentence per line")]
TrainTarget = Annotated[Path | None, input_file("target side of more parallel text, a tokenised sentence per line")]
TargetLanguage = Annotated[
    str,
    typer.Option(
        help="ISO 639-1 code of the target language: 13a has other tokenisers for Chinese, Japanese and Korean",
        callback=language_code,
    ),
]
BatchTokens = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_TOKENS,
        help="tokens computed at once (memory and speed) [default: 4096; a GPU: by its memory]",
    ),
]
Seed = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="seed of the random numbers")]
Root = Annotated[Path, input_folder("folder with config.yaml and results/")]
Mirror = Annotated[
    str | None,
    typer.Option(envvar="DOCMT_MIRROR", help="folder or URL that holds files [default: mirror of config.yaml]"),
]
Config = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE", help="other values of keys of config.yaml, as in snakemake: --config scale=smoke seeds=[1]"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON instead of tables and lines")]


KEY_AND_VALUE = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)


def repeat_config(words: list[str]) -> list[str]:
    """Return the words of a command line with `--config` before each KEY=VALUE that follows the first one.

    Snakemake takes `--config a=1 b=2`, so that a user types the same behind a command of docmt.
    """
    repeated: list[str] = []
    for word in words:
        if KEY_AND_VALUE.fullmatch(word) and len(repeated) > 1 and repeated[-2] == "--config":
            repeated.append("--config")
        repeated.append(word)
    return repeated


def overrides(config: list[str] | None, option: str = "--config") -> dict[str, Any]:
    """Return the keys and values that an option gives; raise UserError for a text that is not KEY=VALUE."""
    from docmt.base.yaml_files import load_text

    values = {}
    for item in config or []:
        key, equals, value = item.partition("=")
        if not equals:
            raise UserError("not a key with a value", where=option, found=item, expected="KEY=VALUE")
        values[key] = load_text(value, option)
    return values


def files_in(folder: Path) -> list[str]:
    """Return the paths of all files in a folder that a command has written."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def open_model(folder: Path, device: Device, threads: int | None) -> "TrainedModel":
    """Open a trained model; see `TrainedModel.open`."""
    from docmt.base.recipe import CARD, model_folder

    # A folder without a model is refused before torch is imported, which takes a second.
    folder = model_folder(folder)
    read_object(folder / CARD)
    from docmt.trained.model import TrainedModel

    return TrainedModel.open(folder, device, threads)


class PathArgument(NamedTuple):
    """A path of the command line, with the name of its option or argument."""

    name: str
    path: Path
    is_output: bool


def parameters_of(command: Callable[..., None]) -> dict[str, ParameterInfo]:
    """Return the option or the argument of each parameter of a command."""
    stated = {name: parameter.default for name, parameter in get_params_from_function(command).items()}
    return {name: known for name, known in stated.items() if isinstance(known, ParameterInfo)}


def given_paths(command: Callable[..., None], values: dict[str, Any]) -> Iterator[PathArgument]:
    """Yield the paths among the values of a command's parameters; a parameter declared as `writable` is an output."""
    for name, known in parameters_of(command).items():
        value = values.get(name)
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, Path):
                yield PathArgument(option_name(name, known), path, known.writable)


def check_paths(paths: list[PathArgument]) -> None:
    """Raise UserError for an output path whose parent is a file, or that is also another path of the command."""
    for output in (path for path in paths if path.is_output):
        parent = next(parent for parent in output.path.absolute().parents if os.path.lexists(parent))
        if not parent.is_dir():
            raise UserError("not a folder", where=str(parent), found="a file", expected=f"the folder of {output.name}")
        for other in paths:
            if other is not output and os.path.realpath(other.path) == os.path.realpath(output.path):
                raise UserError(
                    f"{other.name} and {output.name} are the same",
                    where=str(output.path),
                    expected="a path that no other option names",
                    remedy=f"name another path for {output.name}, which would be written over {other.name}",
                )


def option_name(name: str, known: ParameterInfo) -> str:
    """Return the name of a parameter on the command line: --an-option, or AN_ARGUMENT."""
    if not isinstance(known, OptionInfo):
        return name.upper()
    return next(iter(known.param_decls or ()), f"--{name.replace('_', '-')}")
