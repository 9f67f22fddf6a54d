"""Text that splits share: counted as loops count it, told in the card and by commands, refused above the setting."""

import json
import random
import sys
from pathlib import Path

import pytest
from helpers.reader_files import write_files
from helpers.real_files import real_files, write_contents

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.catalogue.corpus import CorpusConfig, CorpusSettings, MostShared, as_fixture, load_corpus
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.missing import Places
from docmt.cli.main import main
from docmt.corpus.inputs import Document, Problems, SideText
from docmt.corpus.leaks import Shared, SharedCount, SplitHashes, check_shared, shared_text
from docmt.corpus.read import read_corpus
from docmt.corpus.review import check_corpus

Text = list[list[tuple[str, str]]]
"""The documents of a split: the source and the target of each sentence."""


def hashes(documents: Text) -> SplitHashes:
    """Return the hashes of documents, whose names are their numbers."""
    result = SplitHashes()
    for number, pairs in enumerate(documents):
        source, target = (SideText([pair[side] for pair in pairs], "f") for side in (0, 1))
        result.add(Document("train", f"d{number}", source, target, "f"))
    return result


def counted(units: list, others: list) -> SharedCount:
    count = sum(1 for unit in units if unit in others)
    return SharedCount(count, len(units), round(count / max(len(units), 1), 6))


def by_loops(split: str, earlier: str, texts: dict[str, Text]) -> Shared:
    """Return what two splits share, by comparing all texts with all texts."""
    documents, others = ([document for document in texts[name] if len(document) > 1] for name in (split, earlier))
    pairs = [[pair for document in texts[name] for pair in document] for name in (split, earlier)]
    sources = [[source for source, _ in side] for side in pairs]
    example = next(
        ((f"d{texts[split].index(a)}", f"d{texts[earlier].index(b)}") for a in documents for b in others if a == b),
        None,
    )
    return Shared(split, earlier, counted(documents, others), counted(*pairs), counted(*sources), example)


@pytest.mark.parametrize("at_once", [1, 3, 1_000_000])
@pytest.mark.parametrize("seed", range(6))
def test_counts_are_those_of_loops(seed, at_once, monkeypatch):
    monkeypatch.setattr("docmt.corpus.leaks.HASHES_AT_ONCE", at_once)
    draw = random.Random(seed)
    words = "ab"[: draw.randint(1, 2)] + "c"
    texts = {
        split: [
            [(draw.choice(words), draw.choice("xy")) for _ in range(draw.randint(1, 3))]
            for _ in range(draw.randint(1, 6))
        ]
        for split in ("test", "dev", "train")
    }
    expected = [by_loops(*pair, texts) for pair in (("dev", "train"), ("test", "train"), ("test", "dev"))]
    assert shared_text({split: hashes(documents) for split, documents in texts.items()}) == expected


def test_text_is_compared_as_it_is():
    train = hashes([[("Good morning.", "Guten Morgen.")]])
    for source in ("good morning.", "Good morning", "Good  morning.", "Good\u00a0morning."):
        (shared,) = shared_text({"train": train, "test": hashes([[(source, "Guten Morgen.")]])})
        assert (shared.pairs.count, shared.sources.count) == (0, 0)


@pytest.mark.parametrize(
    ("documents", "pairs", "refused"), [(0.5, 0.6, None), (0.49, 1, "documents"), (1, 0.5, "pairs")]
)
def test_the_limit_itself_is_allowed(documents, pairs, refused):
    """One of two documents and three of five pairs are shared."""
    a, b, c, d = (("a", "x"), ("b", "y"), ("c", "z"), ("d", "w"))
    shared = shared_text({"train": hashes([[a, b], [c, c]]), "test": hashes([[a, b], [c, d, d]])})
    try:
        check_shared(shared, MostShared(documents, pairs), "mine", Problems())
        problem = None
    except UserError as error:
        problem = str(error)
    assert (problem and problem.split("most_shared.")[1].split(")")[0]) == refused


def test_a_limit_in_percent_is_exact():
    none = SharedCount(0, 0, 0.0)
    for count in range(1, 101):
        shared = Shared("test", "train", none, SharedCount(count, 100, count / 100), none, None)
        check_shared([shared], MostShared(0, float(f"0.{count:02}") if count < 100 else 1), "mine", Problems())


# The stage and the commands

ROWS = """\
split\tdocument\tsource\ttarget
train\ta\t一\tone
train\ta\t二\ttwo
train\tb\t三\tthree
test\tc\t一\tone
test\tc\t二\ttwo
test\td\t四\tfour
"""
MINE = {
    "corpus": "mine",
    "source_language": "zh",
    "target_language": "en",
    "licence": "CC0",
    "citation": "me",
    "files": [{"name": "t.tsv"}],
    "reader": {"kind": "table", "file": "t.tsv", "split": "split"},
    "expected": {},
}
RECORD = {
    "split": "test",
    "earlier": "train",
    "documents": {"count": 1, "of": 1, "share": 1.0},
    "pairs": {"count": 2, "of": 3, "share": 0.666667},
    "sources": {"count": 2, "of": 3, "share": 0.666667},
    "example": ["c", "a"],
}
LINE = "shared with train, of test: documents 1 of 1 (100 %), sentence pairs 2 of 3 (66.7 %), "
LINE += "source sentences 2 of 3 (66.7 %)"
REFUSED = """\
mine test: documents of several sentences are also in train
  found 1 of 1 (100 %), such as 'c', which is 'a' of train; expected at most 0 % (most_shared.documents)
  take them out of test or train, or raise most_shared.documents in the corpus' file (1 = all may be shared)"""


def read(folder: Path, **changes: object) -> dict:
    """Run stage 1 on the rows; return the card."""
    write_files(folder, {"downloads/t.tsv": ROWS})
    settings = parse(CorpusSettings, {"version": 1, **MINE, **changes}, "settings.json")
    read_corpus(settings, folder / "downloads", folder / "out")
    return json.loads((folder / "out/card.json").read_text())


def test_the_card_tells_what_splits_share(tmp_path):
    assert read(tmp_path, most_shared={"documents": 1})["shared"] == [RECORD]


def test_shared_pairs_are_refused_above_the_setting(tmp_path):
    with pytest.raises(UserError) as problem:
        read(tmp_path, most_shared={"documents": 1, "pairs": 0.5})
    assert str(problem.value) == (
        "mine test: sentence pairs are also in train\n"
        "  found 2 of 3 (66.7 %); expected at most 50 % (most_shared.pairs)\n"
        "  take them out of test or train, or raise most_shared.pairs in the corpus' file (1 = all may be shared)"
    )


def in_catalogue(name: str) -> CorpusConfig:
    return load_corpus(Path(__file__).parents[2] / f"workflow/corpora/{name}.yaml")


@pytest.mark.parametrize(("name", "documents"), [("toy_zh-en", 0), ("voita_en-ru", 4)])
def test_corpora_of_the_catalogue_are_allowed_what_they_share(name, documents, shared, tmp_path):
    mirror = write_contents(tmp_path / "mirror", real_files(shared / "mirror"))
    checked = check_corpus(in_catalogue(name), Places(tmp_path, str(mirror)))
    assert checked.is_fine, checked.problem
    assert [comparison.documents.count for comparison in checked.shared] == [documents, 0, 0]


def test_a_fixture_is_never_refused():
    corpus = in_catalogue("bible_zh-en")
    assert as_fixture(corpus, FixtureConfig()).most_shared == MostShared(1, 1)


@pytest.fixture
def corpus_file(tmp_path) -> Path:
    write_files(tmp_path, {"t.tsv": ROWS, "mine.yaml": json.dumps({**MINE, "about": "mine"})})
    return tmp_path / "mine.yaml"


@pytest.fixture
def command(monkeypatch, capsys):
    """Run a command; return its exit status and what it prints."""

    def run(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["docmt", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, capsys.readouterr().out

    return run


def test_check_catalogue_reports_it(corpus_file, command, project):
    checked = check_corpus(load_corpus(corpus_file), Places(corpus_file.parent, str(corpus_file.parent)))
    assert (checked.problem, checked.is_fine) == (REFUSED, False)
    project.write("workflow/corpora/mine.yaml", {**MINE, "about": "mine"})
    options = ("--root", project.root, "--mirror", corpus_file.parent)
    status, text = command("check-catalogue", "mine", *options)
    assert (status, text) == (2, f"mine\n  {LINE}\n  problem: {REFUSED}\n")
    status, text = command("check-catalogue", "mine", *options, "--json")
    assert (status, [check["shared"] for check in json.loads(text)]) == (2, [[RECORD]])
