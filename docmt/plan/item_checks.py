"""Whether tables, figures and passages go with the systems of their study: all names, and what a kind asks of them."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any

from docmt.base.errors import UserError, check_known
from docmt.base.names import SPLITS
from docmt.base.yaml_files import Lines
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.later_counts import COUNTS, view_pattern
from docmt.catalogue.published import StatedCounts
from docmt.kinds.figures import (
    AttentionFigure,
    CasesFigure,
    CurvesFigure,
    LatentFigure,
    PassageConfig,
    PointsFigure,
    PositionsFigure,
)
from docmt.kinds.study import StudyConfig
from docmt.kinds.tables import (
    NOT_DIGITISED,
    VERDICTS,
    CountsTable,
    GapsTable,
    HumanTable,
    RowConfig,
    SystemsTable,
    is_published,
)
from docmt.settings.metrics import parse_metric
from docmt.settings.models import READS_CHAINS
from docmt.settings.system import SystemConfig

STATED = tuple(field.name for field in dataclasses.fields(StatedCounts))


def check_items(
    study: StudyConfig, systems: dict[str, SystemConfig], corpora: dict[str, tuple[str, ...]], lines: Lines
) -> None:
    """`systems` and `corpora` by the system's name. Raises UserError for the first mistake, by its place."""
    checks = _Checks(study, systems, corpora, lines)
    for section in ("tables", "figures", "passages"):
        for name, item in getattr(study, section).items():
            checks.of_kind[type(item)](item, (section, name))


def check_published(study: StudyConfig, catalogue: dict[str, CorpusConfig], lines: Lines) -> None:
    """Raises UserError where a table of counts names a paper, or a place of it, that its corpora know nothing of."""
    for name, table in study.tables.items():
        if isinstance(table, CountsTable) and table.published:
            stated = [one for corpus in table.corpora or study.corpora for one in catalogue[corpus].published]
            places = {one.place for one in stated if one.paper == table.published}
            papers = {one.paper for one in stated}
            check_known("paper", table.published, papers, lines.place(("tables", name, "published")))
            check_known("place of the paper", table.paper, places, lines.place(("tables", name, "paper")))


class _Checks:
    """A check for each kind of item; `path` is that of the item in the study."""

    def __init__(
        self, study: StudyConfig, systems: dict[str, SystemConfig], corpora: dict[str, tuple[str, ...]], lines: Lines
    ) -> None:
        self.study, self.systems, self.corpora, self.lines = study, systems, corpora, lines
        self.of_kind: dict[type, Callable[[Any, tuple], None]] = {
            SystemsTable: self.systems_table,
            GapsTable: self.gaps_table,
            CountsTable: self.counts_table,
            HumanTable: self.human_table,
            PointsFigure: self.points,
            PositionsFigure: self.positions,
            CurvesFigure: self.curves,
            AttentionFigure: self.attention,
            LatentFigure: self.latent,
            CasesFigure: self.cases,
            PassageConfig: self.passage,
        }

    def systems_table(self, table: SystemsTable, path: tuple) -> None:
        self.metrics(table.metrics, (*path, "metrics"))
        for key, column in table.columns.items():
            self.corpus(column.corpus, (*path, "columns", key, "corpus"))
        for _, column in table.columns_of(self.study.corpora):
            if table.baseline is not None:
                self.system(f"{table.baseline}{column.suffix}", column.corpus, (*path, "baseline"))
        for number, row in enumerate(table.rows):
            self.row(table, row, (*path, "rows", number))

    def row(self, table: SystemsTable, row: RowConfig, path: tuple) -> None:
        columns = dict(table.columns_of(self.study.corpora))
        for number, key in enumerate(row.only or ()):
            self.known("column", key, columns, (*path, "only", number))
        for key, column in columns.items():
            if (system := table.system_of(row, key, column)) is not None:
                self.system(system, column.corpus, (*path, "system"))
                if row.baseline is not None:
                    self.system(f"{row.baseline}{column.suffix}", column.corpus, (*path, "baseline"))
        if row.system is None and row.baseline is not None:
            self.known("system", row.baseline, self.systems, (*path, "baseline"))
        for key, cells in row.published.items():
            self.known("column", key, columns, (*path, "published", key))
            self.cells(cells, table.metrics, (*path, "published", key))

    def gaps_table(self, table: GapsTable, path: tuple) -> None:
        self.corpus(table.corpus, (*path, "corpus"))
        parse_metric(table.metric, self.at((*path, "metric")))
        for number, row in enumerate(table.rows):
            for key in () if row.group else ("system", "baseline"):
                self.system(getattr(row, key), table.corpus, (*path, "rows", number, key))

    def counts_table(self, table: CountsTable, path: tuple) -> None:
        for number, corpus in enumerate(table.corpora):
            self.corpus(corpus, (*path, "corpora", number))
        for name, values, valid in (("counts", table.counts, STATED), ("splits", table.splits, SPLITS)):
            for number, value in enumerate(values):
                self.known(name.removesuffix("s"), value, valid, (*path, name, number))
        for number, count in enumerate(table.counts):
            for corpus in table.corpora or self.study.corpora:
                self.made(count, corpus, table.splits, (*path, "counts", number))

    def made(self, count: str, corpus: str, splits: Iterable[str], path: tuple) -> None:
        """A count that a later stage gives needs a system whose view that stage cuts."""
        views = {s.view.name for s in self.systems.values() if corpus in self.corpora[s.name]}
        for split in splits if count in COUNTS else ():
            pattern = view_pattern(count, split)
            if not any(fnmatchcase(view, pattern) for view in views) and pattern != "words":
                found, expected = f"{count} of {split} on {corpus}", f"a system there whose view is {pattern}"
                raise UserError("nothing counts this", where=self.at(path), found=found, expected=expected)

    def human_table(self, table: HumanTable, path: tuple) -> None:
        for number, row in enumerate(table.rows):
            self.cells(row.published, VERDICTS, (*path, "rows", number, "published"))

    def points(self, figure: PointsFigure, path: tuple) -> None:
        self.corpus(figure.corpus, (*path, "corpus"))
        self.metrics(figure.metrics, (*path, "metrics"))
        self.labels([series.label for series in figure.series], (*path, "series"))
        for number, series in enumerate(figure.series):
            own = (*path, "series", number)
            for x, system in series.points.items():
                self.system(system, figure.corpus, (*own, "points", f"{x:g}"))
            for x, cells in series.published.items():
                self.cells(cells, figure.metrics, (*own, "published", f"{x:g}"))

    def positions(self, figure: PositionsFigure, path: tuple) -> None:
        self.corpus(figure.corpus, (*path, "corpus"))
        parse_metric(f"{figure.metric}@j1", self.at((*path, "metric")))
        self.labels([one.label for one in (*figure.series, *figure.levels)], (*path, "series"))
        for number, series in enumerate(figure.series):
            own = (*path, "series", number)
            for position, value in series.published.items():
                self.value(value, (*own, "published", f"{position:g}"))
            if series.system is not None:
                self.system(series.system, figure.corpus, (*own, "system"))
                window = self.systems[series.system].view.test.window
                found = f"{series.system}, test view {self.systems[series.system].view.test.name}"
                self.asked((window or 1) > 1, "not a system that translates windows", found, (*own, "system"))
        for number, level in enumerate(figure.levels):
            self.value(level.published, (*path, "levels", number, "published"))

    def curves(self, figure: CurvesFigure, path: tuple) -> None:
        self.corpus(figure.corpus, (*path, "corpus"))
        self.labels([shown.name for shown in figure.systems], (*path, "systems"))
        for number, shown in enumerate(figure.systems):
            self.system(shown.system, figure.corpus, (*path, "systems", number, "system"))

    def attention(self, figure: AttentionFigure, path: tuple) -> None:
        self.corpus(figure.corpus, (*path, "corpus"))
        self.system(figure.system, figure.corpus, (*path, "system"))
        kind = self.systems[figure.system].model.kind
        what, found = "not a system that reads lexical chains", f"{figure.system}, model.kind {kind}"
        self.asked(kind in READS_CHAINS, what, found, (*path, "system"), " or ".join(READS_CHAINS))

    def latent(self, figure: LatentFigure, path: tuple) -> None:
        self.corpus(figure.corpus, (*path, "corpus"))
        self.system(figure.system, figure.corpus, (*path, "system"))
        has_latent = getattr(self.systems[figure.system].model, "latent", False)
        self.asked(has_latent, "not a system with latent variables", figure.system, (*path, "system"))

    def cases(self, figure: CasesFigure, path: tuple) -> None:
        self.corpus(figure.corpus, (*path, "corpus"))
        for key in ("baseline", "system"):
            self.system(getattr(figure, key), figure.corpus, (*path, key))
        texts = [self.systems[name].text for name in (figure.system, figure.baseline)]
        found = f"{figure.system} with text {texts[0]}, {figure.baseline} with {texts[1]}"
        self.asked(texts[0] == texts[1], "systems of different words", found, (*path, "system"))

    def passage(self, passage: PassageConfig, path: tuple) -> None:
        self.corpus(passage.corpus, (*path, "corpus"))
        labels = [shown.name for shown in passage.systems]
        self.labels(labels, (*path, "systems"))
        for number, shown in enumerate(passage.systems):
            self.system(shown.system, passage.corpus, (*path, "systems", number, "system"))
        for number, document in enumerate(passage.documents):
            for label in document.published:
                self.known("label", label, labels, (*path, "documents", number, "published", label))

    def at(self, path: tuple) -> str:
        return self.lines.place(path)

    def known(self, what: str, name: object, valid: Iterable[str], path: tuple) -> None:
        check_known(what, name, list(valid), self.at(path))

    def corpus(self, corpus: str, path: tuple) -> None:
        self.known("corpus of the study", corpus, self.study.corpora, path)

    def system(self, name: str, corpus: str, path: tuple) -> None:
        """The system is there, and on this corpus."""
        self.known("system", name, self.systems, path)
        found, expected = f"{name} on {corpus}", f"on {', '.join(self.corpora[name])}"
        self.asked(corpus in self.corpora[name], "not a system of this corpus", found, path, expected)

    def asked(self, condition: bool, what: str, found: str, path: tuple, expected: str | None = None) -> None:
        if not condition:
            raise UserError(what, where=self.at(path), found=found, expected=expected)

    def metrics(self, names: Sequence[str], path: tuple) -> None:
        for number, name in enumerate(names):
            parse_metric(name, self.at((*path, number)))

    def labels(self, labels: Sequence[str], path: tuple) -> None:
        twice = [label for number, label in enumerate(labels) if label in labels[:number]]
        self.asked(not twice, "a label given twice", ", ".join(twice), path)

    def cells(self, cells: dict[str, Any], valid: Sequence[str], path: tuple) -> None:
        for name, value in cells.items():
            self.known("published metric", name, valid, (*path, name))
            self.value(value, (*path, name))

    def value(self, value: object, path: tuple) -> None:
        expected = f"a number, such as 23.10, or {NOT_DIGITISED}"
        self.asked(is_published(value), "not a published value", repr(value), path, expected)
