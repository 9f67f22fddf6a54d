"""The file config.yaml: its schema, and its reading with the overrides of the command line."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from docmt.base.checks import need, need_between, need_path, need_seeds, setting
from docmt.base.errors import UserError
from docmt.base.names import NAMES_HAVE, DeviceName, is_name
from docmt.base.parse import check_keys, mapping, parse, parse_what_is_right
from docmt.base.paths import PAPER
from docmt.base.yaml_files import Lines, load_text, load_yaml
from docmt.catalogue.missing import is_remote
from docmt.settings.data import TextConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import MODEL_CONFIGS
from docmt.settings.scoring import ScoringConfig
from docmt.settings.train import TrainConfig

MOST_SHARDS = 10_000
"""The largest number of shards; a larger number is a typing mistake."""
MOST_HOURS = 1e9
"""The largest number of device-hours of a run."""
StoreMode = Literal["pull", "push", "both", "off"]
"""What a run does with the store."""


@dataclass(frozen=True)
class DefaultsConfig:
    """The section `defaults` of config.yaml: the settings that every system starts from."""

    text: str
    view: dict
    model: dict[str, dict]
    train: dict
    decode: dict


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """The keys of config.yaml that enter the grid without change."""

    mirror: str | None = setting(
        None, "a path or URL where files of corpora are looked for before the sources of the catalogue"
    )
    local: dict[str, str] = field(default_factory=dict)
    hosts: dict[str, str] = field(
        default_factory=dict,
        metadata={
            "about": "addresses that stand in for hosts of the catalogue, such as a copy of the Hub at your site"
        },
    )
    downloads: Literal["login", "job"] = setting(
        "login", "whether files of corpora are downloaded where snakemake itself runs, or as jobs of a cluster"
    )
    missing: Literal["stop", "skip"] = setting(
        "skip", "what to do with studies where files are missing that docmt cannot download"
    )
    fetch_checkpoints: bool = setting(False, "whether to download missing pretrained checkpoints, some GB each")
    scale: str = setting(PAPER, "a file of workflow/scales, whose settings replace those of studies")
    device: DeviceName = "auto"
    shards: int = setting(1, "number of jobs that each pass of stage 2 over a corpus is divided into")
    retrain_hours: float = setting(
        1.0, "device-hours of finished trainings that a run may replace; above them it stops before the first job"
    )
    device_hours: float | None = setting(
        None, "device-hours of all trainings in results/ and of a run together; a run beyond them starts no job"
    )
    human: dict[str, str] = field(default_factory=dict)
    store: str | None = setting(
        None, "a place that teams share, for finished artifacts: a folder, s3://BUCKET/PATH or gs://BUCKET/PATH"
    )
    store_mode: StoreMode = setting(
        "both", "whether a run pulls artifacts from the store, pushes what it makes, does both, or does neither (off)"
    )

    store_keys: str | None = setting(
        None, "a file of keys as ssh-keygen's allowed_signers: a run uses only artifacts that one of them has signed"
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

    studies: tuple[str, ...] = setting(("demo",), "names of studies in workflow/studies, or paths of your own studies")
    corpora: tuple[str, ...] = setting((), "paths of your own corpus files, beside those in workflow/corpora")
    seeds: tuple[int, ...] = setting((1,), "seeds of trainings; a system is trained once with each seed")
    texts: dict[str, TextConfig] = field(default_factory=dict)
    defaults: DefaultsConfig = field(
        metadata={"about": "the settings of a system that neither it nor a system that it extends states"}
    )
    scoring: ScoringConfig = field(default_factory=ScoringConfig)

    def __post_init__(self) -> None:
        """Raise BadValue for a path, the name of a text, a seed or a number of shards that is not allowed."""
        need_path("mirror", self.mirror)
        need_path("store", self.store)
        need_path("store_keys", self.store_keys)
        for name in ("studies", "corpora"):
            for path in getattr(self, name):
                need_path(name, path)
        for name in ("local", "human"):
            for key, path in getattr(self, name).items():
                need_path(f"{name}.{key}", path)
        for host, base in self.hosts.items():
            need(is_remote(base), f"hosts.{host}", base, "an http or https address")
        for text in self.texts:
            need(is_name(text), "texts", text, NAMES_HAVE)
        need_seeds("seeds", self.seeds)
        need_between(1, MOST_SHARDS, "shards", self.shards)
        need_between(0, MOST_HOURS, "retrain_hours", self.retrain_hours)
        if self.device_hours is not None:
            need_between(0, MOST_HOURS, "device_hours", self.device_hours)


def load_main_config(root: Path, overrides: dict) -> tuple[MainConfig, Lines]:
    """Read config.yaml with the overrides of the command line, and check each value by its type and range."""
    value, lines = _stated(root, overrides)
    config = parse(MainConfig, value, lines)
    _check_defaults(config.defaults, lines)
    return config, lines


def load_what_is_right(root: Path, overrides: dict) -> tuple[MainConfig | None, Lines, list[UserError]]:
    """Read config.yaml as `load_main_config` does; return every mistake beside the settings without the wrong ones.

    The settings are None where `defaults` is missing or wrong, from which every system starts. Raises UserError where
    the file is missing, or is no YAML.
    """
    value, lines = _stated(root, overrides)
    config, problems = parse_what_is_right(MainConfig, value, lines)
    if config is not None:
        try:
            _check_defaults(config.defaults, lines)
        except UserError as problem:
            return None, lines, [*problems, problem]
    return config, lines, problems


def _stated(root: Path, overrides: dict) -> tuple[dict, Lines]:
    """Return what config.yaml states, with the overrides of the command line, and the lines of its keys."""
    value, lines = load_yaml(root / "config.yaml")
    value = {**mapping(value, lines), **{key: _typed(item) for key, item in overrides.items()}}
    if value.get("store_mode") is False:
        value["store_mode"] = "off"  # YAML reads the word as false
    return value, lines


def _typed(value: Any) -> Any:
    """Return an override with its types: snakemake passes `--config seeds=[1,2]` as a list of texts, `true` as text."""
    if value in ("true", "false"):
        return value == "true"
    if isinstance(value, list):
        return [load_text(item, "--config") if isinstance(item, str) else _typed(item) for item in value]
    return value


def _check_defaults(defaults: DefaultsConfig, lines: Lines) -> None:
    """Raise UserError for a default that no system could have; the message has the line of config.yaml."""
    check_keys(defaults.model, MODEL_CONFIGS, lines, ("defaults", "model"))
    for kind, values in defaults.model.items():
        parse(MODEL_CONFIGS[kind], {**values, "kind": kind}, lines, ("defaults", "model", kind))
    parse(TrainConfig, defaults.train, lines, ("defaults", "train"))
    parse(DecodeConfig, defaults.decode, lines, ("defaults", "decode"))
