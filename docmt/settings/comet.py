"""The settings of COMET: `scoring.comet` of config.yaml."""

from dataclasses import dataclass
from pathlib import Path

from docmt.base.checks import Checked, need_path, setting, whole
from docmt.base.errors import UserError
from docmt.settings.programs import CommandLine, need_command, words_of

# Why COMET is not scored where settings name a model alone: a study can state its model, and not the user's Python.
NO_PYTHON = "scoring.comet.command of config.yaml names no Python with unbabel-comet (docs/how-to/score-with-comet.md)"
# The names of the two folders in messages.
COMET_MODEL, COMET_ENCODER = "a checkpoint of COMET", "the encoder of COMET"

# The files of a checkpoint of COMET, as the Hub has them.
HPARAMS, CHECKPOINT = "hparams.yaml", "checkpoints/model.ckpt"
# The files of a tokenizer that may be beside the config.json of the encoder.
ENCODER_FILES = (
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"),
    *("sentencepiece.bpe.model", "vocab.txt", "vocab.json", "merges.txt"),
)


@dataclass(frozen=True)
class CometConfig(Checked):
    """The settings of COMET and document-level COMET, which a program in an environment of its own computes."""

    command: CommandLine | None = setting(
        None,
        "command of the Python of an environment with unbabel-comet, such as ../comet/bin/python; none = no COMET",
        need_command,
    )
    model: str | None = setting(
        None, "folder of the checkpoint: hparams.yaml, checkpoints/model.ckpt; none = no COMET", need_path
    )
    encoder: str | None = setting(
        None,
        "folder of config.json and tokenizer of the checkpoint's encoder, such as xlm-roberta-large; none = the"
        " encoder that the library finds in its cache",
        need_path,
    )
    context: int = setting(
        2, "doc-COMET: previous sentences that are read with each sentence; 0: no doc-COMET", whole(0, 1_000)
    )
    batch: int = setting(16, "sentences computed at once (for some checkpoints scores depend on it)", whole(1, 100_000))

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the command; none where there is no COMET."""
        return () if self.command is None else words_of(self.command)


def files_of_comet(model: str | Path | None, encoder: str | Path | None) -> dict[str, Path]:
    """Return the files of a checkpoint of COMET and of its encoder by their roles among the inputs of a job.

    Raises UserError where one is missing. `model` and `encoder` are None where the settings do not name them.
    """
    files = {f"comet_model/{file.name}": file for file in ([] if model is None else comet_files(model))}
    of_encoder = [] if encoder is None else encoder_files(encoder)
    return files | {f"comet_encoder/{file.name}": file for file in of_encoder}


def comet_files(model: str | Path) -> list[Path]:
    """Return the paths of the files of a checkpoint of COMET; raise UserError where one is missing."""
    return [_file(Path(model), name, COMET_MODEL) for name in (HPARAMS, CHECKPOINT)]


def encoder_files(encoder: str | Path) -> list[Path]:
    """Return the paths of config.json and of the files of the tokenizer of an encoder; its weights are not read.

    Raises UserError where there is no config.json, or no tokenizer.
    """
    config = _file(Path(encoder), "config.json", COMET_ENCODER)
    tokenizer = [Path(encoder, name) for name in ENCODER_FILES if Path(encoder, name).is_file()]
    if not tokenizer:
        raise UserError("no tokenizer", where=str(encoder), expected=" or ".join(ENCODER_FILES))
    return [config, *tokenizer]


def _file(folder: Path, name: str, what: str) -> Path:
    path = folder / name
    if not path.is_file():
        remedy = f"it belongs to {what}: see docs/how-to/score-with-comet.md"
        raise UserError("file not found", where=str(path), remedy=remedy)
    return path


def has_comet(folder: Path, what: str) -> bool:
    """Return whether a folder has the files of COMET_MODEL or COMET_ENCODER; false for any other `what`."""
    files = {COMET_MODEL: comet_files, COMET_ENCODER: encoder_files}.get(what)
    try:
        return files is not None and bool(files(folder))
    except UserError:
        return False
