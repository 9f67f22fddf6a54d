"""Every mistake in settings whose first mistake was found, for a person who wants to correct them all at once."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from docmt.base.clone import WORKFLOW, Folders
from docmt.base.errors import UserError, check_known
from docmt.base.parse import mistakes
from docmt.base.yaml_files import load_yaml
from docmt.catalogue.corpus import CorpusConfig
from docmt.grid.main_config import MainConfig
from docmt.grid.resolve import CIRCLES, Resolver
from docmt.grid.scale import Scale
from docmt.grid.study import SECTIONS, expand, load_study
from docmt.reporting.item import Checks
from docmt.reporting.study import StudyConfig
from docmt.settings.data import TextConfig


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

    What follows from a mistake is left out: an item is not told that a system is unknown which is only wrong. Where the
    file itself cannot be read as a study, its first mistake is all that is known.
    """
    problems: list[UserError] = []
    with noting(problems):
        study, lines = load_study(path)
        known = tuple(corpus for corpus in study.corpora if corpus in corpora)
        for number, corpus in enumerate(study.corpora):
            with noting(problems):
                check_known("corpus", corpus, corpora, lines.place(("corpora", number)))
        resolver = Resolver(replace(study, corpora=known or study.corpora), lines, asdict(config.defaults), scale)
        with noting(problems):
            resolver.check_cycles()
        # To resolve a circle of systems would not end.
        if not any(problem.what in CIRCLES for problem in problems):
            _check_systems_and_items(resolver, texts, corpora, problems)
    # A mistake elsewhere, such as in the scale, is told once, and not of each system.
    return [problem for problem in problems if problem.file_stem == path.stem]


def _check_systems_and_items(
    resolver: Resolver,
    texts: dict[str, TextConfig],
    corpora: dict[str, CorpusConfig],
    problems: list[UserError],
) -> None:
    study, lines, wrong = resolver.study, resolver.lines, dict[str, list[UserError]]()
    resolved, of_systems = dict.fromkeys(study.systems), dict.fromkeys(study.systems, study.corpora)
    for name in study.systems:
        try:
            resolved[name] = resolver.resolve(name)
        except UserError as problem:
            wrong[name] = [problem, *problem.others]
    for name, system in resolved.items():
        with noting(problems):
            if system is not None:
                of_systems[name] = resolver.corpora(name)
                check_known("text", system.text, texts, lines.place(("systems", name, "text")))
    for name, found in wrong.items():
        # What a system inherits is told of the system that states it.
        inherited = {_of_setting(problem) for problem in wrong.get(study.systems[name].get("extends"), ())}
        problems.extend(problem for problem in found if _of_setting(problem) not in inherited)
    checks = Checks(study.corpora, resolved, of_systems, corpora, lines)
    for section in SECTIONS:
        for name, item in getattr(study, section).items():
            with noting(problems):
                item.check(checks, (section, name))


def _of_setting(problem: UserError) -> tuple[str, str | None, str]:
    """Return what is wrong, and in which setting of a system, whichever that is."""
    return problem.what, problem.found, (problem.where or "").partition(" systems.")[2].partition(".")[2]
