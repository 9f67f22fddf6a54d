"""Every mistake in settings whose first mistake was found, for a person who wants to correct them all at once."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

from docmt.base.clone import WORKFLOW, Folders
from docmt.base.errors import UserError, check_known
from docmt.base.parse import mistakes, parse_what_is_right
from docmt.base.yaml_files import Lines, load_yaml
from docmt.catalogue.corpus import CorpusConfig
from docmt.grid.main_config import MainConfig
from docmt.grid.resolve import CIRCLES, Resolver, check_stated
from docmt.grid.scale import Scale
from docmt.grid.study import SECTIONS, expand, load_study
from docmt.reporting.item import Checks
from docmt.reporting.study import StudyConfig
from docmt.settings.data import TextConfig
from docmt.settings.system import SystemConfig


@contextmanager
def noting(problems: list[UserError]) -> Iterator[None]:
    """End the block at a mistake, and add it to `problems` with those that were found beside it."""
    try:
        yield
    except UserError as problem:
        problems.extend((problem, *problem.others))


def broken_names(problems: Iterable[UserError]) -> set[str]:
    """Return the names of files, without their ending, and of presets that have mistakes."""
    places = [(problem.where or "", problem.file_stem) for problem in problems]
    return {stem for _, stem in places} | {place.partition(" texts.")[2].partition(".")[0] for place, _ in places}


def follows(problem: UserError, broken: Collection[str]) -> bool:
    """Return whether a name is unknown because what it names is `broken` itself."""
    return problem.what.startswith("unknown ") and problem.found in broken


def mistakes_in_files(folders: Folders, config: MainConfig | None) -> Iterator[UserError]:
    """Yield what the schemas find in the files of corpora and studies, those that config.yaml names too."""
    for kind, schema in (("corpora", CorpusConfig), ("studies", StudyConfig)):
        named = (folders.settings / path for path in getattr(config, kind, ()) if path.endswith(".yaml"))
        paths = [*sorted((folders.clone / WORKFLOW / kind).glob("*.yaml")), *named]
        for path in filter(Path.exists, dict.fromkeys(paths)):
            try:
                value, lines = load_yaml(path)
                yield from mistakes(schema, expand(value, lines) if schema is StudyConfig else value, lines)
            except UserError as problem:
                yield problem


def mistakes_in(
    path: Path, config: MainConfig, scale: Scale, texts: dict[str, TextConfig], corpora: dict[str, CorpusConfig]
) -> list[UserError]:
    """Return the mistakes of a study in its corpora, its systems and its items, each found by itself.

    What follows from a mistake is left out: an item is not told that a system is unknown which is only wrong.
    """
    problems: list[UserError] = []
    with noting(problems):
        load_study(path)
    with suppress(UserError):  # Noted by the line above.
        value, lines = load_yaml(path)
        study, _ = parse_what_is_right(StudyConfig, expand(value, lines), lines)
        if study is not None:
            problems.extend(_in_parts(study, lines, config, scale, texts, corpora))
    # A mistake elsewhere, such as in the scale, is told once, and not of each system.
    return [problem for problem in problems if problem.file_stem == path.stem]


def _in_parts(
    study: StudyConfig,
    lines: Lines,
    config: MainConfig,
    scale: Scale,
    texts: dict[str, TextConfig],
    corpora: dict[str, CorpusConfig],
) -> list[UserError]:
    problems: list[UserError] = []
    for number, corpus in enumerate(study.corpora):
        with noting(problems):
            check_known("corpus", corpus, corpora, lines.place(("corpora", number)))
    usable = _usable(study, lines, texts, problems)
    known = tuple(corpus for corpus in study.corpora if corpus in corpora)
    part = replace(study, corpora=known or study.corpora, systems=usable)
    resolver = Resolver(part, lines, asdict(config.defaults), scale)
    with noting(problems):
        resolver.check_cycles()
    # To resolve a circle of systems would not end.
    if any(problem.what in CIRCLES for problem in problems):
        return problems
    right = _right(resolver, problems)
    systems = _Systems({name: right.get(name) for name in study.systems})
    of_systems = {name: resolver.corpora(name) if name in right else study.corpora for name in study.systems}
    checks = Checks(study.corpora, systems, of_systems, corpora, lines)
    for section in SECTIONS:
        for name, item in getattr(study, section).items():
            with noting(problems):
                item.check(checks, (section, name))
    wrong = study.systems.keys() - right.keys()
    return [problem for problem in problems if not follows(problem, wrong)]


class _Systems(dict[str, SystemConfig | None]):
    """The systems of a study; a wrong one is known, and nothing can be read of it."""

    def __getitem__(self, name: str) -> SystemConfig:
        system = super().__getitem__(name)
        if system is None:
            raise UserError("unknown system", found=name)  # It follows from a mistake, and is not told.
        return system


def _usable(study: StudyConfig, lines: Lines, texts: Collection[str], problems: list[UserError]) -> dict[str, dict]:
    """Return the systems whose keys are right, each without a parent that cannot be used."""
    usable: dict[str, dict] = {}
    for name, system in study.systems.items():
        with noting(problems):
            check_stated(name, system, lines)
            usable[name] = system
    for name, system in usable.items():
        for key, what, known in (("text", "text", texts), ("extends", "system", study.systems)):
            with noting(problems):
                if system.get(key) is not None:
                    check_known(what, system[key], known, lines.place(("systems", name, key)))
        if system.get("extends") not in [None, *usable]:
            usable[name] = {key: value for key, value in system.items() if key != "extends"}
    return usable


def _right(resolver: Resolver, problems: list[UserError]) -> dict[str, SystemConfig]:
    """Return the systems that are right as a whole."""
    right, wrong = dict[str, SystemConfig](), dict[str, list[UserError]]()
    for name in resolver.study.systems:
        wrong[name] = []
        with noting(wrong[name]):
            system = resolver.resolve(name)
            resolver.corpora(name)
            right[name] = system
    for name, found in wrong.items():
        # What a system inherits is told of the system that states it.
        inherited = {_of_setting(problem) for problem in wrong.get(resolver.extends(name), ())}
        problems.extend(problem for problem in found if _of_setting(problem) not in inherited)
    return right


def _of_setting(problem: UserError) -> tuple[str, str | None, str]:
    """Return what is wrong, and in which setting of a system, whichever that is."""
    return problem.what, problem.found, (problem.where or "").partition(" systems.")[2].partition(".")[2]
