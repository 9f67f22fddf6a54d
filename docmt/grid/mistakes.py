"""Every mistake in a study whose first mistake was found, for a person who wants to correct them all at once."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
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
            _check_systems_and_items(resolver, texts, corpora, noting)
    # A mistake elsewhere, such as in the scale, is told once, and not of each system.
    return [problem for problem in problems if problem.file_stem == path.stem]


def _check_systems_and_items(
    resolver: Resolver,
    texts: dict[str, TextConfig],
    corpora: dict[str, CorpusConfig],
    noting: Callable[[], AbstractContextManager[None]],
) -> None:
    study, lines, wrong = resolver.study, resolver.lines, dict[str, UserError]()
    resolved, of_systems = dict.fromkeys(study.systems), dict.fromkeys(study.systems, study.corpora)
    for name in study.systems:
        try:
            resolved[name] = resolver.resolve(name)
        except UserError as problem:
            wrong[name] = problem
    for name, system in resolved.items():
        with noting():
            # What a system inherits is told of the system that states it.
            if system is not None:
                of_systems[name] = resolver.corpora(name)
                check_known("text", system.text, texts, lines.place(("systems", name, "text")))
            elif study.systems[name].get("extends") not in wrong:
                raise wrong[name]
    checks = Checks(study.corpora, resolved, of_systems, corpora, lines)
    for section in SECTIONS:
        for name, item in getattr(study, section).items():
            with noting():
                item.check(checks, (section, name))
