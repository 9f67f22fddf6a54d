"""The form `sacrebleu`: test sets of WMT in the archives that sacreBLEU downloads, as sacreBLEU reads them.

Source: Post (2018), "A Call for Clarity in Reporting BLEU Scores". sacreBLEU knows the layout of each archive (SGML up
to 2020, XML from 2021 on), so that source, references and documents are the same as in its scores: entities of SGML are
not resolved, and white space is one space. XML is read as in the form `wmt_xml`, with the references that sacreBLEU
takes, in its order; the library keeps them in sets, whose order changes from run to run.
"""

import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Literal

from docmt.base.checks import needed
from docmt.base.errors import UserError, check_known
from docmt.base.foreign import reading
from docmt.catalogue.forms import KIND, Languages, SplitsReaderConfig, some_splits
from docmt.corpus.forms.wmt_xml import no_reference, translators, wmt_documents, wmt_xml
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, SideText, text_of
from docmt.corpus.stock import Stock

DOCUMENTS = "docid"  # sacreBLEU's name of the field with the document of each line


@dataclass(frozen=True)
class SacrebleuSetConfig:
    """A test set: its name in sacreBLEU, such as `wmt23` or `wmt17/ms`, and the archives with its files."""

    PATHS: ClassVar = ("archives",)

    set: str = needed("name of the test set in sacreBLEU, such as `wmt23` or `wmt17/ms`")
    archives: tuple[str, ...] = needed("archives with the files of the set")


@dataclass(frozen=True)
class SacrebleuConfig(SplitsReaderConfig):
    """The settings of the form `sacrebleu`: the test sets of each split; their pair is that of the corpus."""

    kind: Literal["sacrebleu"] = needed(KIND)
    splits: dict[str, tuple[SacrebleuSetConfig, ...]] = needed("by split, its test sets", some_splits)

    def files_of(self, split: str, languages: Languages) -> list[str]:
        """Return the archives of the sets of a split, each once."""
        return list(dict.fromkeys(path for stated in self.splits[split] for path in stated.archives))

    def shares(self) -> dict[str, int]:
        """Return the number of sets of each split."""
        return {split: len(sets) for split, sets in self.splits.items()}


def documents(config: SacrebleuConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the documents, named `<set>.<docid>`; a split has the documents of its sets, set by set.

    A line that a further reference lacks is empty there, and counts as missing. Raises UserError for a set or a pair
    that sacreBLEU does not know, for a set without documents, for an archive that is not that of the set, and for a
    file without the references that sacreBLEU takes.
    """
    pair = "-".join(inputs.languages)
    for split, sets in config.in_order:
        for stated in sets:
            known = known_set(stated.set, pair)
            read = _of_xml if _is_xml(known) else _of_sgml
            yield from read(known, stated, split, inputs)


def known_set(name: str, pair: str) -> Any:
    """Return sacreBLEU's description of a test set (`sacrebleu.dataset.base.Dataset`).

    Raises UserError for a set that sacreBLEU does not know or that has no documents, and for a pair that it lacks.
    """
    from sacrebleu.dataset import DATASETS
    from sacrebleu.dataset.fake_sgml import FakeSGMLDataset, WMTAdditionDataset
    from sacrebleu.dataset.wmt_xml import WMTXMLDataset

    of_documents = (FakeSGMLDataset, WMTAdditionDataset, WMTXMLDataset)
    # Sets of 2008 state no documents, and those of IWSLT are a subclass: they have a form of their own, iwslt_xml.
    names = [name for name, known in DATASETS.items() if type(known) in of_documents and not name.startswith("wmt08")]
    check_known("test set of sacreBLEU with documents", name, names)
    check_known(f"pair of {name}", pair, DATASETS[name].langpairs)
    return DATASETS[name]


def _is_xml(known: Any) -> bool:
    return hasattr(known, "_get_langpair_allowed_refs")


def _layout(known: Any, pair: str) -> Sequence[str]:
    layout = known.langpairs[pair]
    return [layout["path"]] if isinstance(layout, dict) else layout


def _labels(known: Any, pair: str) -> list[str]:
    """Return the translators whose references sacreBLEU takes, in its order."""
    return [label.partition(":")[2] for label in known._get_langpair_allowed_refs(pair)]


def _of_xml(known: Any, stated: SacrebleuSetConfig, split: str, inputs: ReaderInputs) -> Iterator[Document]:
    pair = "-".join(inputs.languages)
    path = _layout(known, pair)[0]
    # An archive is a folder of the paths in it.
    paths = [f"{archive}/{path}" for archive in stated.archives if (inputs.folder(archive) / path).is_file()]
    if not paths:
        raise _not_the_files(stated, path)
    present, labels = translators(inputs, paths[0]), _labels(known, pair)
    labels = [label for label in labels if label in present]
    if not labels:
        raise no_reference(inputs, paths[0], _labels(known, pair))
    yield from wmt_documents(inputs, paths[0], labels, split, f"{stated.set}.", lambda text: " ".join(text.split()))


def _not_the_files(stated: SacrebleuSetConfig, path: str) -> UserError:
    what, where = f"the archive does not have the files of {stated.set}", ", ".join(stated.archives)
    return UserError(what, where=where, expected=path, remedy="name the archive that sacreBLEU downloads for it")


def _of_sgml(known: Any, stated: SacrebleuSetConfig, split: str, inputs: ReaderInputs) -> Iterator[Document]:
    pair = "-".join(inputs.languages)
    file = f"{stated.set}/{pair}"
    with reading(", ".join(stated.archives), f"not the files of {file}"):
        local = _in_scratch(known, stated, inputs)
        texts = _texts(local, pair)
        numbers = _document_numbers(local._rawdir / _layout(known, pair)[0])
        rows = list(enumerate(zip(numbers, *texts, strict=True), 1))
    names: Counter[str] = Counter()
    for _, group in groupby(rows, key=lambda row: row[1][0]):
        run = list(group)
        lines, name = [number for number, _ in run], run[0][1][1]
        names[name] += 1
        columns = zip(*(row[2:] for _, row in run), strict=True)
        source, target, *references = ([*column] for column in columns)
        further = tuple(SideText([text or None for text in texts], file, lines) for texts in references)
        sides = SideText(source, file, lines), SideText(target, file, lines)
        again = f".{names[name]}" if names[name] > 1 else ""
        yield Document(split, f"{stated.set}.{name}{again}", *sides, f"{file}:{lines[0]}", further)


def _in_scratch(known: Any, stated: SacrebleuSetConfig, inputs: ReaderInputs) -> Any:
    # A copy of the description, which finds its files in the scratch folder and downloads nothing.
    local = copy.copy(known)
    # The library joins this folder and paths below it a second time, which is right for absolute paths alone.
    local._outdir = inputs.scratch.absolute() / f"sacrebleu.{stated.set.replace('/', '_')}"
    local._rawdir = local._outdir / "raw"
    local.maybe_download = lambda: None
    local._rawdir.mkdir(parents=True, exist_ok=True)
    for archive in stated.archives:
        for path in inputs.folder(archive).iterdir():
            link = local._rawdir / path.name
            if not link.exists():
                link.symlink_to(path.absolute())
    for path in _layout(known, "-".join(inputs.languages)):
        if not (local._rawdir / path).is_file():
            raise _not_the_files(stated, path)
    return local


def _texts(known: Any, pair: str) -> list[list[str]]:
    known.process_to_text(pair)
    files = dict(zip(known.fieldnames(pair), known.get_files(pair), strict=True))
    paths = [files[DOCUMENTS], known.get_source_file(pair), *known.get_reference_files(pair)]
    # The lines of the documents' names, of the source and of the references.
    return [[line.strip() for line in Path(path).read_text(encoding="utf-8").split("\n")[:-1]] for path in paths]


def _document_numbers(path: Path) -> list[int]:
    # The number of the document of each segment, for two documents of one name that follow each other. As for
    # sacreBLEU, a line is a document or a segment by its beginning.
    numbers, document = [], 0
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            document += line.startswith("<doc ")
            if line.startswith("<seg "):
                numbers.append(document)
    return numbers


def write(config: SacrebleuConfig, stock: Stock) -> FixtureFiles:
    """Yield the files of each set of a fixture, all in its first archive; its other archives have a note."""
    pair = "-".join(stock.languages)
    for split, sets in config.in_order:
        for stated in sets:
            first, *others = stated.archives
            known = known_set(stated.set, pair)
            for path, text in _fixture_of_set(known, pair, config, stock, split):
                yield f"{first}/{path}", text
            for archive in others:
                yield f"{archive}/README", f"The files of {stated.set} are in {first}.\n"


def _fixture_of_set(
    known: Any, pair: str, config: SacrebleuConfig, stock: Stock, split: str
) -> Iterator[tuple[str, str]]:
    # The layout is that which sacreBLEU expects.
    layout = _layout(known, pair)
    if _is_xml(known):
        labels = _labels(known, pair)
        documents = stock.draw_documents(config, split, f"{known.name}/{pair}", len(labels))
        yield layout[0], wmt_xml(documents, labels, stock.languages)
        return
    documents = stock.draw_documents(config, split, f"{known.name}/{pair}", len(layout) - 1)
    for side, path in enumerate(layout):
        yield path, _sgm(documents, side) if path.endswith(".sgm") else text_of(r[side] for d in documents for r in d)


def _sgm(documents: Sequence[Sequence[tuple[str, ...]]], side: int) -> str:
    lines = ['<srcset setid="fixture" srclang="any">']
    for number, rows in enumerate(documents, 1):
        lines += [f'<doc docid="{number}" genre="news" origlang="xx">', "<p>"]
        lines += [f'<seg id="{n}">{row[side]}</seg>' for n, row in enumerate(rows, 1)]
        lines += ["</p>", "</doc>"]
    return text_of((*lines, "</srcset>"))
