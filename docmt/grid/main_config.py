"""The file config.yaml: its schema, and its reading with the overrides of the command line."""

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from docmt.base.checks import (
    Checked,
    each,
    each_key,
    each_value,
    in_schema,
    need,
    need_name,
    need_path,
    need_seeds,
    needed,
    section,
    setting,
    whole,
)
from docmt.base.credentials import refuse_credentials
from docmt.base.errors import UserError
from docmt.base.names import DeviceName
from docmt.base.parse import check_keys, laid_over, mapping, parse, parse_what_is_right
from docmt.base.paths import PAPER
from docmt.base.yaml_files import Lines, load_text, load_yaml
from docmt.catalogue.missing import is_remote
from docmt.settings.data import TextConfig, ViewConfig
from docmt.settings.decode import DecodeConfig, Engine
from docmt.settings.models import MODEL_CONFIGS
from docmt.settings.scoring import ScoringConfig
from docmt.settings.train import Precision, TrainConfig

MOST_SHARDS = 10_000  # The largest number of shards; a larger number is a typing mistake.
StoreMode = Literal["pull", "push", "both", "off"]  # What a run does with the store.


@in_schema(pattern="^[hH][tT][tT][pP][sS]?:")
def need_address(name: str, value: str) -> None:
    """Raise BadValue unless `value` is an http or https address, and the host that it stands in for has no user."""
    need("@" not in name, "hosts", "a host with a user", "a host, such as huggingface.co")
    need(is_remote(value), name, value, "an http or https address")


@dataclass(frozen=True)
class DefaultsConfig:
    """The section `defaults` of config.yaml: the settings that every system starts from."""

    text: str = needed("name of a preset of `texts`")
    view: dict = needed("cut of documents into segments")
    model: dict[str, dict] = needed("settings of each architecture; those of `transformer` are shared by all")
    train: dict = needed("settings of training")
    decode: dict = needed("settings of decoding")


@dataclass(frozen=True, kw_only=True)
class RunConfig(Checked):
    """The keys of config.yaml that enter the grid without change."""

    mirror: str | None = setting(
        None, "a path or URL where files of corpora are looked for before the sources of the catalogue", need_path
    )
    local: dict[str, str] = section(
        dict, "by corpus, a folder of your own with files that only a person can bring", each_value(need_path)
    )
    hosts: dict[str, str] = section(
        dict,
        "addresses that stand in for hosts of the catalogue, such as a copy of the Hub at your site",
        each_value(need_address),
    )
    downloads: Literal["login", "job"] = setting(
        "login", "whether files of corpora are downloaded where snakemake itself runs, or as jobs of a cluster"
    )
    missing: Literal["stop", "skip"] = setting(
        "skip",
        "what to do where files are missing that docmt cannot download: skip leaves out what needs them, stop starts "
        "nothing",
    )
    fetch_checkpoints: bool = setting(False, "whether to download missing pretrained checkpoints, some GB each")
    scale: str = setting(PAPER, "a file of workflow/scales, whose settings replace those of studies")
    device: DeviceName = setting("auto", "auto (a GPU where there is one), cpu or cuda")
    shards: int = setting(
        1, "number of jobs that each pass of stage 2 over a corpus is divided into", whole(1, MOST_SHARDS)
    )
    human: dict[str, str] = section(
        dict, "by study, the file with the output of `docmt read-sheets --json`", each_value(need_path)
    )
    store: str | None = setting(
        None,
        "a place that teams share, for finished artifacts: a folder, s3://BUCKET/PATH or gs://BUCKET/PATH",
        need_path,
    )
    store_mode: StoreMode = setting(
        "both", "whether a run pulls artifacts from the store, pushes what it makes, does both, or does neither (off)"
    )
    store_keys: str | None = setting(
        None,
        "a file of keys as ssh-keygen's allowed_signers: a run uses only artifacts that one of them has signed",
        need_path,
    )

    @property
    def pulls(self) -> bool:
        """Whether a run takes artifacts from a store."""
        return self.store is not None and self.store_mode in ("pull", "both")

    @property
    def pushes(self) -> bool:
        """Whether a run gives artifacts to a store."""
        return self.store is not None and self.store_mode in ("push", "both")


@dataclass(frozen=True, kw_only=True)
class MainConfig(RunConfig):
    """All keys of config.yaml."""

    studies: tuple[str, ...] = setting(
        ("demo",), "names of studies in workflow/studies, or paths of your own studies", each(need_path)
    )
    corpora: tuple[str, ...] = setting(
        (), "paths of your own corpus files, beside those in workflow/corpora", each(need_path)
    )
    seeds: tuple[int, ...] = setting((1,), "seeds of trainings; a system is trained once with each seed", need_seeds)
    texts: dict[str, TextConfig] = section(
        dict, "stage 2 by name: how raw sentences become subword pieces", each_key(need_name)
    )
    defaults: DefaultsConfig = needed("the settings of a system that neither it nor a system that it extends states")
    precision: Precision | None = setting(
        None, "`train.precision` of every system, in place of what studies and the scale state; none = as they state it"
    )
    engine: Engine | None = setting(
        None, "`decode.engine` of every system that the engine can translate; none = as studies state it"
    )
    scoring: ScoringConfig = section(ScoringConfig, "settings of scores (stage 7); a study may state some of them")


def load_main_config(root: Path, overrides: dict) -> tuple[MainConfig, Lines]:
    """Read config.yaml with the overrides of the command line, and check each value by its type and range."""
    config, lines, problems = load_what_is_right(root, overrides)
    if config is None or problems:
        raise problems[0]
    return config, lines


def load_what_is_right(root: Path, overrides: dict) -> tuple[MainConfig | None, Lines, list[UserError]]:
    """Read config.yaml as `load_main_config` does; return every mistake beside the settings without the wrong ones.

    The settings are None where `defaults` is missing or wrong, from which every system starts. Raises UserError where
    the file is missing, or is no YAML.
    """
    value, lines = load_yaml(root / "config.yaml")
    refuse_credentials(json.dumps(overrides, default=str), "--config")
    lines.give(overrides)
    value = laid_over(mapping(value, lines), {key: _typed(item) for key, item in overrides.items()})
    if value.get("store_mode") is False:
        value["store_mode"] = "off"  # YAML reads the word as false
    config, problems = parse_what_is_right(MainConfig, value, lines)
    if config is not None:
        try:
            _check_defaults(config.defaults, lines)
        except UserError as problem:
            return None, lines, [*problems, problem]
    return config, lines, problems


def _typed(value: Any) -> Any:
    """Return an override with its types: Snakemake passes `seeds=[1,2]`, mappings and `true` as texts."""
    if value in ("true", "false"):
        return value == "true"
    if isinstance(value, list):
        return [_typed_item(item) for item in value]
    if isinstance(value, dict):
        return {key: _typed_item(item) for key, item in value.items()}
    return value


def _typed_item(item: Any) -> Any:
    return load_text(item, "--config") if isinstance(item, str) else _typed(item)


def _check_defaults(defaults: DefaultsConfig, lines: Lines) -> None:
    """Raise UserError for a default that no system could have; the message has the line of config.yaml."""
    check_keys(defaults.model, MODEL_CONFIGS, lines, ("defaults", "model"))
    for kind, values in defaults.model.items():
        # The section's own name is the kind.
        known = [declared.name for declared in fields(MODEL_CONFIGS[kind]) if declared.name != "kind"]
        check_keys(values, known, lines, ("defaults", "model", kind))
        parse(MODEL_CONFIGS[kind], {**values, "kind": kind}, lines, ("defaults", "model", kind))
    parse(ViewConfig, defaults.view, lines, ("defaults", "view"))
    parse(TrainConfig, defaults.train, lines, ("defaults", "train"))
    parse(DecodeConfig, defaults.decode, lines, ("defaults", "decode"))
