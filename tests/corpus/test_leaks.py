"""Text that splits share: counted as loops count it, told in the card and by commands, refused above the setting."""

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.reader_files import write_files
from helpers.real_files import real_files, write_contents
from helpers.small_corpus import OF_MINE

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.catalogue.corpus import CorpusConfig, CorpusSettings, MostShared, as_fixture, load_corpus
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.missing import Places
from docmt.cli.main import main
from docmt.corpus.inputs import ContrastiveItem, Document, Problems, SideText
from docmt.corpus.leaks import (
    ItemHashes,
    Shared,
    SharedCount,
    SharedItems,
    SharedUnits,
    SplitHashes,
    check_shared,
    shared_text,
)
from docmt.corpus.read import Statistics, read_corpus
from docmt.corpus.review import check_corpus

Text = list[list[tuple[str, str]]]
"""The documents of a split: the source and the target of each sentence."""


def hashes(documents: Text, split: str = "train") -> SplitHashes:
    """Return the hashes of documents, whose names are their numbers."""
    statistics = Statistics()
    for number, pairs in enumerate(documents):
        source, target = (SideText([pair[side] for pair in pairs], f"d{number}") for side in (0, 1))
        statistics.add(Document(split, f"d{number}", source, target, "f"))
    return statistics.hashes


def counted(units: list, others: list) -> SharedCount:
    count = sum(1 for unit in units if unit in others)
    return SharedCount(count, len(units), round(count / max(len(units), 1), 6))


def by_loops(split: str, earlier: str, texts: dict[str, Text], change: Callable[[str], str] = str) -> SharedUnits:
    """Return what two splits share, by comparing all texts with all texts, after a change to each."""
    texts = {
        name: [[tuple(map(change, pair)) for pair in document] for document in text] for name, text in texts.items()
    }
    documents, others = ([document for document in texts[name] if len(document) > 1] for name in (split, earlier))
    pairs = [[pair for document in texts[name] for pair in document] for name in (split, earlier)]
    sources = [[source for source, _ in side] for side in pairs]
    example = next(
        ((f"d{texts[split].index(a)}", f"d{texts[earlier].index(b)}") for a in documents for b in others if a == b),
        None,
    )
    return SharedUnits(counted(documents, others), counted(*pairs), counted(*sources), example)


@pytest.mark.parametrize("at_once", [1, 3, 1_000_000])
@pytest.mark.parametrize("seed", range(6))
def test_counts_are_those_of_loops(seed, at_once, monkeypatch):
    monkeypatch.setattr("docmt.corpus.leaks.HASHES_AT_ONCE", at_once)
    draw = random.Random(seed)
    words = "aAb"[: draw.randint(1, 3)] + "c"
    texts = {
        split: [
            [(draw.choice(words), draw.choice("xy")) for _ in range(draw.randint(1, 3))]
            for _ in range(draw.randint(1, 6))
        ]
        for split in ("test", "dev", "train")
    }
    shared = shared_text({split: hashes(documents, split) for split, documents in texts.items()})
    for one, pair in zip(shared, (("dev", "train"), ("test", "train"), ("test", "dev")), strict=True):
        assert (one.split, one.earlier) == pair
        assert SharedUnits(one.documents, one.pairs, one.sources, one.example) == by_loops(*pair, texts)
        assert one.folded == by_loops(*pair, texts, str.casefold)


def test_text_is_compared_as_it_is():
    train = hashes([[("Good morning.", "Guten Morgen.")]])
    for source in ("good morning.", "Good morning", "Good  morning.", "Good\u00a0morning."):
        (shared,) = shared_text({"train": train, "test": hashes([[(source, "Guten Morgen.")]], "test")})
        assert (shared.pairs.count, shared.sources.count) == (0, 0)
        assert (shared.folded.pairs.count, shared.folded.sources.count, shared.first) == (1, 1, ("d0, sentence 1",))


def test_pairs_without_letters_are_compared_as_they_are():
    train, test = hashes([[("...", "-")]]), hashes([[("?!", "-")], [("...", "-")]], "test")
    assert shared_text({"train": train, "test": test})[0].folded.pairs == SharedCount(1, 2, 0.5)


PAIR = ("Der M\u00fcller sagt: \u201eNein.\u201c", "The miller says \u201cno\u201d.")
COPIES = {
    "Unicode form": ("Der Mu\u0308ller sagt: \u201eNein.\u201c", "The miller says \u201cno\u201d."),
    "quotes": ('Der M\u00fcller sagt: "Nein."', "The miller says 'no'."),
    "case": ("DER M\u00dcLLER SAGT: \u201eNEIN.\u201c", "the miller says \u201cNo\u201d."),
    "width": ("Der M\u00fcller sagt\uff1a\u201eNein.\u201c", "\uff34he miller says \u201cno\u201d."),
    "blanks": ("Der M\u00fcller  sagt :\u201eNein.\u201c", "The miller says\u00a0\u201cno\u201d ."),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_copies_with_another_form_are_refused(copy):
    more = ("Ja.", "Yes.")
    shared = shared_text({"train": hashes([[PAIR, more]]), "test": hashes([[copy, more]], "test")})
    with pytest.raises(UserError) as problem:
        check_shared(shared, MostShared(documents=0), "mine", Problems())
    assert str(problem.value).splitlines()[:2] == [
        "mine test: documents of several sentences are also in train but for case, punctuation and form of Unicode",
        "  found 1 of 1 (100 %), such as 'd0', which is 'd0' of train; expected at most 0 % (most_shared.documents)",
    ]
    with pytest.raises(UserError, match=r"found 2 of 2 \(100 %\), first d0, sentence 1, d0, sentence 2; expected"):
        check_shared(shared, MostShared(documents=1, pairs=0.5), "mine", Problems())


def test_items_are_in_train_with_their_context_or_alone():
    texts = [[("a", "x"), ("b", "y")], [("c", "z")]]
    items = [
        ContrastiveItem("p", 1, ("A.", "B"), ("x",), ("wrong", "Y!"), 1),
        ContrastiveItem("p", 1, ("n", "c"), ("x",), ("z", "wrong"), 0),
        ContrastiveItem("p", 0, ("c",), (), ("wrong", "z?"), 0),
        ContrastiveItem("q/sub", 0, ("b",), (), ("y", "wrong"), 0),
    ]
    p, q = ItemHashes(items).shared(hashes(texts))
    assert p == SharedItems("p", SharedCount(1, 3, 0.333333), SharedCount(2, 3, 0.666667))
    assert q == SharedItems("q/sub", SharedCount(1, 1, 1.0), SharedCount(1, 1, 1.0))


@pytest.mark.parametrize(
    ("documents", "pairs", "refused"), [(0.5, 0.6, None), (0.49, 1, "documents"), (1, 0.5, "pairs")]
)
def test_the_limit_itself_is_allowed(documents, pairs, refused):
    """One of two documents and three of five pairs are shared."""
    a, b, c, d = (("a", "x"), ("b", "y"), ("c", "z"), ("d", "w"))
    shared = shared_text({"train": hashes([[a, b], [c, c]]), "test": hashes([[a, b], [c, d, d]], "test")})
    try:
        check_shared(shared, MostShared(documents, pairs), "mine", Problems())
        problem = None
    except UserError as error:
        problem = str(error)
    assert (problem and problem.split("most_shared.")[1].split(")")[0]) == refused


def test_a_limit_in_percent_is_exact():
    none = SharedCount(0, 0, 0.0)
    for count in range(1, 101):
        units = SharedUnits(none, SharedCount(count, 100, count / 100), none, None)
        shared = Shared(**vars(units), split="test", earlier="train", folded=units, first=())
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
    **OF_MINE,
    "files": [{"name": "t.tsv"}],
    "reader": {"kind": "table", "file": "t.tsv", "split": "split"},
    "expected": {},
}
UNITS = {
    "documents": {"count": 1, "of": 1, "share": 1.0},
    "pairs": {"count": 2, "of": 3, "share": 0.666667},
    "sources": {"count": 2, "of": 3, "share": 0.666667},
    "example": ["c", "a"],
}
RECORD = {"split": "test", "earlier": "train", **UNITS, "folded": UNITS, "first": ["t.tsv:5", "t.tsv:6"]}
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
