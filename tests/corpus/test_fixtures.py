"""Fixtures: what the true readers find in them is what was made up, for every corpus and every form."""

import dataclasses
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from helpers.catalogue_files import corpus_config
from helpers.form_cases import SMALLEST

from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.parse import parse
from docmt.catalogue.corpus import CorpusConfig, as_fixture, load_corpus
from docmt.catalogue.files import FileConfig
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.forms import FORMS, FileReaderConfig, ReaderConfig
from docmt.corpus.contrastive_items import ContrastiveReaderConfig
from docmt.corpus.fixtures import Fixture, make_fixture, write_fixture, written_forms
from docmt.corpus.inputs import ContrastiveItem, Problems, ReaderInputs
from docmt.corpus.opening import read, validated_documents, validated_items
from docmt.corpus.stock import GROUP

CATALOGUE = Path(__file__).parents[2] / "workflow/corpora"
CORPORA = {path.stem: load_corpus(path) for path in sorted(CATALOGUE.glob("*.yaml"))}
OF_FILES = [name for name, corpus in CORPORA.items() if corpus.files]
SMALL = FixtureConfig(
    {"train": 5, "dev": 6, "test": 7}, {"train": 1, "dev": 0, "test": 0}, longest=9, long_sentences=30
)


class ReadBack:
    """A fixture, with the documents and items that the reader of its corpus returns."""

    def __init__(self, corpus: CorpusConfig, config: FixtureConfig = SMALL) -> None:
        self.corpus = as_fixture(corpus, config)
        self.fixture: Fixture = make_fixture(self.corpus, config)
        with tempfile.TemporaryDirectory() as name:
            folder, problems = Path(name), Problems()
            write_fixture(self.corpus, config, folder / "files")
            languages = corpus.source_language, corpus.target_language
            self.inputs = ReaderInputs(folder / "files", folder / "unpacked", *languages, problems)
            reading = read(self.corpus.reader, self.inputs)
            self.documents = list(validated_documents(reading.documents, problems))
            self.items = list(validated_items(reading.items, corpus.corpus, problems))

    @property
    def rows(self) -> list[tuple[str, list[tuple]]]:
        return [(d.split, list(zip(*(side.sentences for side in d.sides), strict=True))) for d in self.documents]


@pytest.fixture(scope="module", params=OF_FILES)
def reread(request) -> ReadBack:
    return ReadBack(CORPORA[request.param])


def without_place(items: list[ContrastiveItem]) -> list[ContrastiveItem]:
    return [dataclasses.replace(item, where="") for item in items]


def test_the_real_reader_returns_the_generated_text(reread):
    """Documents with their boundaries, texts and references, and contrastive items, in order."""
    assert reread.rows == reread.fixture.documents
    assert without_place(reread.items) == reread.fixture.items
    assert bool(reread.items) == reread.corpus.contrastive


def test_every_file_of_the_catalogue_is_generated_and_the_same_each_time(reread):
    again = make_fixture(reread.corpus, SMALL)
    assert list(again.files) == [file.name for file in reread.corpus.files]
    assert again.files == reread.fixture.files
    assert all(again.files.values())


def test_splits_are_as_large_as_the_scale_says(reread):
    """A document is a story; where a document is a line or four sentences, a story gives several documents."""
    parts = [
        part for _, part in reread.corpus.reader.readers_of_files() if not isinstance(part, ContrastiveReaderConfig)
    ]
    cuts = {GROUP if part.kind == "eos" else 1 if getattr(part, "documents", "") is None else None for part in parts}
    lengths = {split: Counter(len(rows) for row_split, rows in reread.rows if row_split == split) for split in SPLITS}
    for split in SPLITS if cuts == {None} else ():
        assert lengths[split].total() == SMALL.documents[split]
        assert set(lengths[split]) <= {*range(6, 10), *([30] if split == "train" else [])}
    assert cuts != {None} or 30 in lengths["train"]
    assert None in cuts or set().union(*lengths.values()) == cuts


def test_nothing_that_is_true_of_the_real_text_stays(reread):
    assert (reread.corpus.expected, reread.corpus.published) == ({}, ())
    assert all((file.sources, file.sha256, file.size) == ((), None, None) for file in reread.corpus.files)
    real = CORPORA[reread.corpus.corpus]
    assert reread.corpus.reader == real.reader.small(SMALL)
    assert reread.corpus.licence != real.licence and reread.corpus.citation != real.citation


def test_a_contrastive_set_has_twins_at_every_distance():
    """They differ in one sentence of the context, so that a model without it has one of two right."""
    items = ReadBack(CORPORA["opensubtitles_en-ru"]).items
    assert Counter((item.set, item.distance) for item in items) == dict.fromkeys(
        ((name, distance) for name in CORPORA["opensubtitles_en-ru"].reader.parts[1].sets for distance in (1, 2, 3)),
        SMALL.contrastive_items,
    )
    for first, second in zip(items[::2], items[1::2], strict=True):
        differs = [
            sentence != twin_sentence for sentence, twin_sentence in zip(first.source, second.source, strict=True)
        ]
        assert (differs.index(True), differs.count(True)) == (len(first.source) - 1 - first.distance, 1)
        assert (first.variants, {first.correct, second.correct}) == (second.variants, {0, 1})


def test_corpora_that_share_a_file_share_its_documents():
    """The test sets of both are the same files; what is at another place is other text."""
    first, second = (make_fixture(CORPORA[f"news_zh-en{more}"], SMALL) for more in ("", "_2m"))
    assert first.files["nist02.src.sgm"] == second.files["nist02.src.sgm"]
    assert first.files["nist02.src.sgm"] != first.files["nist03.src.sgm"]


SIDES = {"source": "a", "target": "b", "references": ["c", "d"]}
SPLIT = {"train": SIDES, "dev": {"source": "e", "target": "f"}}
ROUGH = {"drop_empty": True, "control": "space"}
FILES = {"source": "x.{document}.zh", "target": "y/{document}.en"}
READERS: dict[str, dict] = {
    "blank lines": {"kind": "lines", "splits": SPLIT, "control": "space"},
    "closed": {"kind": "lines", "splits": SPLIT, "documents": {"marker": "<end>", "at": "end"}, **ROUGH},
    "offsets": {"kind": "lines", "splits": SPLIT, "documents": {"offsets": {"train": "g", "dev": "h"}}, **ROUGH},
    "each line": {"kind": "lines", "splits": SPLIT, "documents": None, **ROUGH},
    "files": {"kind": "files", "splits": {"train": FILES}, **ROUGH},
    "tags of OpusTools": {"kind": "lines", "splits": SPLIT, "documents": {"opus_tags": True}, **ROUGH},
    "eos": {"kind": "eos", "splits": SPLIT, "separator": "||", **ROUGH},
    "table": {"kind": "table", "splits": {"train": "t.tsv", "test": "u.jsonl.gz"}, "references": ["r"], **ROUGH},
    "other tables": {"kind": "table", "splits": {"train": ["t.json", "u.csv.xz"], "dev": "v.arrow.zst"}, **ROUGH},
    "saved data set": {"kind": "table", "splits": {"train": "t"}, "format": "arrow", "document": None, **ROUGH},
    "memory": {"kind": "tmx", "splits": {"train": "t.tmx"}, "document": None, "source_code": "zh-Hant", **ROUGH},
    "one table": {"kind": "table", "file": "t.parquet", "split": "s", "document": "n", **ROUGH},
    "several files of references": {
        "kind": "nist_sgm",
        "splits": {"test": {"source": "s.sgm", "references": ["1.sgm", "2.sgm"]}},
        **ROUGH,
    },
    "talks": {"kind": "iwslt_tags", "splits": {"train": "t.{language}.gz"}, "prefix": "p.", **ROUGH},
    "sets": {"kind": "iwslt_xml", "files": "{set}.{language}", "splits": {"dev": ["a", "b"]}, **ROUGH},
    "verses": {
        "kind": "verses", "source": "a", "target": "b", "dev": ["Gen"], "test": [], "continued": "-", "missing": "?",
        "remove": ["<m>", "<n>"], **ROUGH,
    },
}  # fmt: skip
PACKS = ["a.tar", "a.tar.gz", "a.tgz", "a.tar.bz2", "a.tar.xz", "a.txz", "a.tar.zst", "a.tzst"]


def corpus_of(reader: ReaderConfig, *files: str, target: str = "fr") -> CorpusConfig:
    return corpus_config(reader, target_language=target, files=tuple(FileConfig(name=name) for name in files))


@pytest.mark.parametrize(
    ("form", "archive"), [*((form, "a.zip") for form in READERS), *(("files", archive) for archive in PACKS)]
)
def test_every_form_in_an_archive_and_a_form_in_every_archive(form, archive):
    reader: FileReaderConfig = parse(ReaderConfig, {**READERS[form], "archive": archive}, "corpus.yaml")
    reread = ReadBack(corpus_of(reader, archive))
    assert reread.rows == reread.fixture.documents
    assert reread.rows


@pytest.mark.parametrize("form", written_forms())
def test_every_form_by_its_smallest_settings(form):
    settings = {"kind": form, **SMALLEST[form], "archive": "a.zip", "control": "space"}
    # sacreBLEU has no set from Chinese to French.
    reread = ReadBack(corpus_of(parse(ReaderConfig, settings, "corpus.yaml"), "a.zip", target="en"))
    assert reread.rows == reread.fixture.documents and without_place(reread.items) == reread.fixture.items
    assert reread.rows or reread.items


CONTRASTIVE_READERS: dict[str, dict] = {
    "documents longer than the context": {"kind": "contrapro", "sets": {"p": "a.json"}, "context_sentences": 1},
    "segments from 0": {"kind": "contrapro", "sets": {"p": "a.json", "q": "b.json"}, "first_segment": 0},
    "no context": {"kind": "contrastive_lines", "sets": {"p": "a.current.trg"}, "context_sentences": 0},
    "lines of two sets": {
        "kind": "contrastive_lines", "sets": {"p": "a.current.trg", "q": "b.current.trg"}, "context_sentences": 5,
        "details": {"q": "q.json"},
    },
    "anaphora and lexical choice": {"kind": "discevalmt", "sets": {"a": "a.json", "l": "l.json", "b": "b.json"}},
}  # fmt: skip


@pytest.mark.parametrize("form", CONTRASTIVE_READERS)
def test_items_of_every_layout(form):
    """Sets and their parts, distances, contexts and the order are those that were drawn."""
    reader: FileReaderConfig = parse(ReaderConfig, {**CONTRASTIVE_READERS[form], "archive": "a.zip"}, "corpus.yaml")
    reread = ReadBack(corpus_of(reader, "a.zip"))
    assert without_place(reread.items) == reread.fixture.items
    assert {item.set.split("/")[0] for item in reread.items} == reader.sets.keys()


@pytest.mark.parametrize("form", ["eos", "files", "lines", "opus", "table"])
def test_held_out_documents_are_in_the_training_file(form):
    settings = {"kind": form, **SMALLEST[form], "held_out": {"dev": {"every": 50}, "test": {"every": 50}}}
    config = parse(ReaderConfig, {**settings, "archive": "a.zip"}, "corpus.yaml")
    reread = ReadBack(corpus_of(config.small(SMALL), "a.zip"))
    assert reread.rows == reread.fixture.documents
    lengths = Counter(split for split, _ in reread.rows)
    assert lengths["dev"] == 6 and lengths["test"] == 7 and lengths["train"] >= 5
    assert len({tuple(rows) for _, rows in reread.rows}) == len(reread.rows) or form == "eos"


def test_every_form_of_files_has_a_writer():
    assert set(written_forms()) == set(FORMS) - {"combined", "toy"}


@pytest.mark.parametrize(
    ("reader", "files", "message"),
    [
        ({"kind": "toy"}, (), "mine: the corpus has no files, so it needs no fixture\n  its reader generates the text"),
        (
            {"kind": "eos", "splits": {"train": {"source": "a", "target": "b"}}},
            ("a", "c"),
            "mine: reader reads a file that the corpus does not list\n  found b; expected a, c",
        ),
    ],
)
def test_a_corpus_that_cannot_be_generated_is_refused(reader, files, message):
    with pytest.raises(UserError) as problem:
        make_fixture(corpus_of(parse(ReaderConfig, reader, "corpus.yaml"), *files), SMALL)
    assert str(problem.value) == message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"documents": {"train": 3, "dev": 1, "test": 0}}, "expected train, dev and test, each 1 or more"),
        ({"shortest": 5}, "fixtures.shortest: value not allowed\n  found 5; expected 6 or more (fewer cannot hold"),
        ({"long_documents": {"train": 1}}, "expected train, dev and test, each 0 or more"),
        ({"contrastive_items": 3}, "fixtures.contrastive_items: value not allowed\n  found 3; expected an even number"),
    ],
)
def test_settings_that_are_refused(changes, message):
    with pytest.raises(UserError) as problem:
        parse(FixtureConfig, changes, "fixtures.yaml", ("fixtures",))
    assert message in str(problem.value)
