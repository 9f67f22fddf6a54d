"""Every mistake in a study whose first mistake was found, for a person who wants to correct them all at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from docmt.base.errors import UserError, check_known
from docmt.catalogue.corpus import CorpusConfig
from docmt.grid.main_config import MainConfig
from docmt.grid.resolve import CIRCLES, Resolver
from docmt.grid.scale import Scale
from docmt.grid.study import SECTIONS, load_study
from docmt.reporting.item import Checks
from docmt.settings.data import TextConfig


def mistakes_in(
    path: Path, config: MainConfig, scale: Scale, texts: dict[str, TextConfig], corpora: dict[str, CorpusConfig]
) -> list[UserError]:
    """Return the mistakes of a study in its corpora, its systems and its items, each found by itself.

    What follows from a mistake is left out: an item is not told that a system is unknown which is only wrong. Where the
    file itself cannot be read as a study, its first mistake is all that is known.
    """
    problems: list[UserError] = []

    @contextmanager
    def noting() -> Iterator[None]:
        try:
            yield
        except UserError as problem:
            problems.extend((problem, *problem.others))

    with noting():
        study, lines = load_study(path)
        known = tuple(corpus for corpus in study.corpora if corpus in corpora)
        for number, corpus in enumerate(study.corpora):
            with noting():
                check_known("corpus", corpus, corpora, lines.place(("corpora", number)))
        resolver = Resolver(replace(study, corpora=known or study.corpora), lines, asdict(config.defaults), scale)
        with noting():
            resolver.check_cycles()
        # To resolve a circle of systems would not end.
        if not any(problem.what in CIRCLES for problem in problems):
            problems += _in_systems_and_items(resolver, texts, corpora)
    # A mistake elsewhere, such as in the scale, is told once, and not of each system.
    return [problem for problem in problems if Path((problem.where or "").partition(":")[0]).stem == path.stem]


def _in_systems_and_items(
    resolver: Resolver, texts: dict[str, TextConfig], corpora: dict[str, CorpusConfig]
) -> Iterator[UserError]:
    study, lines = resolver.study, resolver.lines
    resolved, of_systems = dict.fromkeys(study.systems), dict.fromkeys(study.systems, study.corpora)
    for name in study.systems:
        try:
            resolved[name] = system = resolver.resolve(name)
            of_systems[name] = resolver.corpora(name)
            check_known("text", system.text, texts, lines.place(("systems", name, "text")))
        except UserError as problem:
            # What a system inherits is told of the system that states it.
            if not _is_wrong(resolver, study.systems[name].get("extends")):
                yield from (problem, *problem.others)
    checks = Checks(study.corpora, resolved, of_systems, corpora, lines)
    for section in SECTIONS:
        for name, item in getattr(study, section).items():
            try:
                item.check(checks, (section, name))
            except UserError as problem:
                yield problem


def _is_wrong(resolver: Resolver, name: str | None) -> bool:
    """Return whether a system that another one extends is itself one of the study's that has a mistake."""
    if name not in resolver.study.systems:
        return False
    try:
        resolver.resolve(name)
    except UserError:
        return True
    return False
