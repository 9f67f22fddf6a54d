"""What the planner reads by code of its own: systems, the defaults of config.yaml, names, metrics, published numbers.

The dataclasses of these parts have mappings of any content; `docmt.plan` parses it later, with what a system inherits.
`OVERRIDES` and `WHOLE` have their schemas.
"""

import copy
import dataclasses
import re
from typing import Any

from docmt.base.checks import need_name
from docmt.base.names import NAME, SPLITS
from docmt.grid.external import BESIDE
from docmt.grid.main_config import DefaultsConfig, RunConfig, StoreMode
from docmt.grid.resolve import Elsewhere, StatedSystem
from docmt.grid.study import PLACE, RESERVED, SECTIONS
from docmt.kinds.counts import STATED, CountsTable
from docmt.kinds.gaps import GapsTable
from docmt.kinds.human import VERDICTS, HumanRow
from docmt.kinds.points import PointsFigure, Series
from docmt.kinds.positions import Level, PositionSeries, PositionsFigure
from docmt.kinds.systems import RowConfig, SystemsTable
from docmt.reporting.item import need_published
from docmt.reporting.study import FindingCell, MeasuredAs, StudyConfig
from docmt.settings.data import CutConfig, ViewConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.external import EXTERNAL
from docmt.settings.metric import NO_DETAIL
from docmt.settings.metrics import METRICS
from docmt.settings.models import MODEL_CONFIGS
from docmt.settings.scoring import ScoringConfig
from docmt.settings.train import TrainConfig
from generators.json_schemas import NUMBER_AS_KEY, Definitions, Override, Schema, has_kind, sentence

OF_TEST = [*[field.name for field in dataclasses.fields(CutConfig)][:4], "partial_copy"]
"""The fields of a cut that dev and test may have: how documents are cut and filled, not what training leaves out."""
SWEEP = {
    "type": "array",
    "minItems": 1,
    "uniqueItems": True,
    "items": {"type": "number"},
    "description": "Values of a sweep: a system for each; {} in its name and in its settings is replaced by the value.",
}
SHEET = ".sheet"
"""A part of names that sheets for annotators have, and no item."""
NAME_OF_SWEEP = rf"^(?:{NAME.pattern})?\{{\}}[A-Za-z0-9_.+-]*$"
"""The pattern of a name that has the place of the value once."""


def view(definitions: Definitions) -> Schema:
    """Return the schema of a view: one cut for all splits, or the cuts `train` and `test`."""
    cut = definitions.named("CutConfig", lambda: definitions.mapping(CutConfig))
    test = definitions.named("CutOfTest", lambda: cut_of_test(definitions.mapping(CutConfig)))
    names = [field.name for field in dataclasses.fields(ViewConfig)]
    long = definitions.mapping(ViewConfig)
    cuts = dict(zip(names, (cut, test), strict=True))
    properties = {name: {**cuts[name], "description": long["properties"][name]["description"]} for name in names}
    short = cut_of_test(definitions.mapping(CutConfig))["properties"]
    return {
        "type": "object",
        "properties": {**properties, **short},
        "additionalProperties": False,
        "if": {"anyOf": [{"required": [name]} for name in names]},
        "then": {"required": names, "propertyNames": {"enum": names}},
    }


def cut_of_test(cut: Schema) -> Schema:
    """Return the schema of a cut of dev and test, in which all that concerns training has its default."""
    fixed = {
        name: {"const": schema["default"], **{key: schema[key] for key in ("description", "default")}}
        for name, schema in cut["properties"].items()
        if name not in OF_TEST
    }
    return {**cut, "properties": {**cut["properties"], **fixed}}


def model_of(kind: str, definitions: Definitions, left_out: tuple[str, ...] = ()) -> Schema:
    """Return the schema of the settings of an architecture, of which any may be left out."""
    cls = MODEL_CONFIGS[kind]
    schema = definitions.mapping(cls, left_out)
    if isinstance(cls.frames, tuple):  # of other architectures the frames depend on further settings
        schema["properties"]["frame"]["enum"] = list(cls.frames)
    return schema


def model_of_system(definitions: Definitions) -> Schema:
    """Return the schema of `model` of a system; without `kind` its keys are those of any architecture."""
    kinds = {
        kind: definitions.named(f"Model_{kind}", lambda kind=kind: model_of(kind, definitions))
        for kind in MODEL_CONFIGS
    }
    properties: dict[str, Schema] = {}
    for kind in reversed(MODEL_CONFIGS):
        for name, schema in copy.deepcopy(definitions.schemas[f"Model_{kind}"]["properties"]).items():
            if properties.get(name, schema) != schema:
                schema.pop("default", None)
            properties[name] = schema
    kind = {"enum": list(kinds), "description": properties.pop("kind")["description"]}
    inherited = {"properties": {"kind": kind, **properties}, "additionalProperties": False}
    rules = [{"if": has_kind(kind), "then": kinds[kind]} for kind in kinds]
    return {
        "type": "object",
        "properties": {"kind": kind},
        "allOf": [*rules, {"if": {"not": {"required": ["kind"]}}, "then": inherited}],
    }


def models_of_defaults(definitions: Definitions) -> Schema:
    """Return the schema of `defaults.model`: a section for each architecture, whose name is the kind."""
    sections = {
        kind: definitions.named(f"Defaults_{kind}", lambda kind=kind: model_of(kind, definitions, ("kind",)))
        for kind in MODEL_CONFIGS
    }
    described = {kind: {**section, "description": f"Settings of {kind}."} for kind, section in sections.items()}
    return {"type": "object", "properties": described, "additionalProperties": False}


def system(definitions: Definitions) -> Schema:
    """Return the schema of a system of a study: one that docmt trains, or one whose translations others make."""
    trained = definitions.mapping(StatedSystem)
    for schema in trained["properties"].values():
        schema.pop("default", None)  # a key that is not stated is inherited
    external = {
        key: {**definitions.reference(cls), "description": sentence(f"the system is {cls.about}")}
        for key, cls in EXTERNAL.items()
    }
    alone = [
        {"if": {"required": [key]}, "then": {"propertyNames": {"enum": [key, *BESIDE, "sweep"]}}} for key in EXTERNAL
    ]
    is_first = {"not": {"required": ["extends"], "properties": {"extends": {"type": "string"}}}}
    transformer = {"if": {"not": {"required": ["kind"]}}, "then": {"$ref": "#/definitions/Model_transformer"}}
    rule = {"if": is_first, "then": {"properties": {"model": transformer}}}
    return {**trained, "properties": {**trained["properties"], **external}, "allOf": [*alone, rule]}


def systems(definitions: Definitions) -> Schema:
    """Return the schema of the systems of a study; a name with `{}` is that of a sweep."""
    one = definitions.named("System", lambda: system(definitions))
    sweep = definitions.named("Sweep", lambda: with_places(system(definitions), definitions))
    return {
        "type": "object",
        "patternProperties": {need_name.schema["pattern"]: one, NAME_OF_SWEEP: sweep},
        "propertyNames": {"maxLength": need_name.schema["maxLength"]},
        "additionalProperties": False,
    }


def with_places(system: Schema, definitions: Definitions) -> Schema:
    """Return the schema of a sweep: that of a system in which each number may be the place of the value."""
    schema = swept(system, definitions)
    return {**schema, "properties": {"sweep": SWEEP, **schema["properties"]}, "required": ["sweep"]}


def swept(schema: Any, definitions: Definitions) -> Any:
    """Return a schema, and the definitions it refers to, in which each number may be the text `{}`."""
    if isinstance(schema, list):
        return [swept(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        reference = definitions.named(f"{name}_of_sweep", lambda: swept(definitions.schemas[name], definitions))
        return {**schema, **reference}
    if {"integer", "number"} & set([schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])):
        notes = {key: schema[key] for key in ("description", "default") if key in schema}
        number = {key: value for key, value in schema.items() if key not in notes}
        return {"anyOf": [number, {"const": PLACE}], **notes}
    # Defaults are values, and no schemas.
    return {key: value if key in ("default", "const") else swept(value, definitions) for key, value in schema.items()}


def metric(of: Any = None) -> Schema:
    """Return the schema of a metric's name; `of` chooses among the metrics."""
    chosen = {name: row for name, row in METRICS.items() if of is None or of(row)}
    patterns = [
        escaped(name)
        + ("(?::[^@]+)?" if row.has_sets else "")
        + (f"(?:@(?:{row.detail}))?" if row.detail != NO_DETAIL else "")
        for name, row in chosen.items()
    ]
    return {"anyOf": [{"enum": list(chosen)}, {"type": "string", "pattern": f"^(?:{'|'.join(patterns)})$"}]}


def reference_to_metric(definitions: Definitions) -> Schema:
    """Return a reference to the definition of a metric's name."""
    return definitions.named("Metric", metric)


def escaped(name: str) -> str:
    """Return a pattern that matches the name alone, in Python and in JavaScript."""
    return re.sub(r"[.*+?^${}()|[\]\\]", r"\\\g<0>", name)


def has_positions(row: Any) -> bool:
    """Return whether a metric has a number for each position in a window."""
    return re.fullmatch(row.detail, "j1") is not None


def published(*keys: Schema) -> Schema:
    """Return the schema of published numbers inside mappings, whose keys have these schemas."""
    schema: Schema = {"type": ["number", "string"], **need_published.schema}
    for names in reversed(keys):
        schema = {"type": "object", **({"propertyNames": names} if names else {}), "additionalProperties": schema}
    return schema


def items(section: str) -> Override:
    """Return the function for a section of items, whose names become parts of paths."""

    def schema(definitions: Definitions) -> Schema:
        (field,) = (field for field in dataclasses.fields(StudyConfig) if field.name == section)
        reserved = {"anyOf": [{"enum": list(RESERVED)}, {"pattern": escaped(SHEET)}]}
        names = {**need_name.schema, "not": reserved}
        cls = field.type.__args__[1]
        return {"type": "object", "propertyNames": names, "additionalProperties": definitions.reference(cls)}

    return schema


def points(definitions: Definitions) -> Schema:
    """Return the schema of the points of a line: systems by place, or the name of a sweep."""
    keys = {"pattern": NUMBER_AS_KEY}
    by_place = {"type": "object", "propertyNames": keys, "additionalProperties": {"type": "string"}}
    return {"anyOf": [by_place, {"type": "string"}]}


def list_of(schema: Schema, at_least: int = 1) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "minItems": at_least, "items": schema}


def reference(cls: type) -> Override:
    """Return the function for a mapping that is parsed as this class."""
    return lambda definitions: definitions.reference(cls)


NUMBERS, METRIC_KEYS = {"pattern": NUMBER_AS_KEY}, metric()
OVERRIDES: dict[tuple[type, str], Override] = {
    # YAML 1.1 reads the word off as false; editors offer the word alone.
    (RunConfig, "store_mode"): lambda _: {
        "anyOf": [{"enum": list(StoreMode.__args__)}, {"const": False, "doNotSuggest": True}],
        "default": "both",
    },
    (DefaultsConfig, "view"): reference(ViewConfig),
    (DefaultsConfig, "model"): models_of_defaults,
    (DefaultsConfig, "train"): reference(TrainConfig),
    (DefaultsConfig, "decode"): reference(DecodeConfig),
    (StudyConfig, "study"): lambda _: {"type": "string", **need_name.schema},
    (StudyConfig, "systems"): systems,
    **{(StudyConfig, section): items(section) for section in SECTIONS},
    (StudyConfig, "scoring"): reference(ScoringConfig),
    (StudyConfig, "measured_as"): lambda definitions: {
        "type": "object",
        "propertyNames": {"enum": list(METRICS)},
        "additionalProperties": list_of(definitions.reference(MeasuredAs), 0),
    },
    (MeasuredAs, "scoring"): reference(ScoringConfig),
    (StatedSystem, "corpora"): lambda _: {"type": ["array", "null"], "minItems": 1, "items": {"type": "string"}},
    (StatedSystem, "init_from"): lambda definitions: {
        "anyOf": [{"type": ["string", "null"]}, definitions.reference(Elsewhere)]
    },
    (StatedSystem, "text"): lambda _: {"type": "string"},
    (StatedSystem, "view"): reference(ViewConfig),
    (StatedSystem, "model"): lambda definitions: definitions.named("Model", lambda: model_of_system(definitions)),
    (StatedSystem, "train"): reference(TrainConfig),
    (StatedSystem, "decode"): reference(DecodeConfig),
    (SystemsTable, "metrics"): lambda definitions: list_of(reference_to_metric(definitions)),
    (SystemsTable, "not_comparable"): lambda _: {
        "type": "object",
        "propertyNames": METRIC_KEYS,
        "additionalProperties": {"type": "string"},
    },
    (RowConfig, "published"): lambda _: published({}, METRIC_KEYS),
    (PointsFigure, "metrics"): lambda definitions: list_of(reference_to_metric(definitions)),
    (Series, "points"): points,
    (Series, "published"): lambda _: published(NUMBERS, METRIC_KEYS),
    (PositionsFigure, "metric"): lambda _: {"enum": [name for name, row in METRICS.items() if has_positions(row)]},
    (PositionSeries, "published"): lambda _: published(NUMBERS),
    (Level, "published"): lambda _: published(),
    (GapsTable, "metric"): reference_to_metric,
    (FindingCell, "metric"): reference_to_metric,
    (HumanRow, "published"): lambda _: published({"enum": list(VERDICTS)}),
    (CountsTable, "counts"): lambda _: list_of({"enum": list(STATED)}),
    (CountsTable, "splits"): lambda _: {**list_of({"enum": list(SPLITS)}), "default": list(SPLITS)},
}
WHOLE: dict[type, Override] = {ViewConfig: view}
