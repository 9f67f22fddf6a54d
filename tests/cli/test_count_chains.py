"""`docmt count-chains`: what it counts, and what it says of papers' numbers."""

import json
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from helpers.real_files import real_files, write_contents
from helpers.small_corpus import document_rows, write_corpus
from helpers.support import ROOT, copy_project, docmt

from docmt.base.columns import TOKENS
from docmt.base.tables import read_arrow
from docmt.catalogue.missing import Places
from docmt.chains.documents import WordsSettings, build_words
from docmt.chains.segments import SegmentsSettings, build_segments
from docmt.corpus.opening import available_documents
from docmt.grid.grid import load_grid
from docmt.settings.data import CutConfig, TextConfig, ViewConfig
from docmt.text.pipeline import TokensSettings
from docmt.text.process import process_corpus
from docmt.text.side import Side
from docmt.text.tokenizers import tokenizer_for
from docmt.views.build import ViewsSettings, build_view

CASED = [
    ("他在T恤上写了K歌。", "He wrote on his T-shirt at 5 p.m. Mr. Ön saw it."),
    ("T恤很好，X光检查也很好。", "DR. NO. 5 IS NOT IN N.Y. OR İZMİR."),
    ("买了U盘和B超单。", "I bought a USB stick, No. 3."),
    ("IC卡和IP卡，卡拉OK。", 'ΟΔΟΣ. Gen. Smith said: "Cards."'),
    ("b超单和u盘，X光。", "He'S gone; it'S U.S. law."),
]
"""Pairs that jieba and Moses cut in other places where they are lower-cased first."""

DOCUMENTS = {"train": CASED * 5, "dev": CASED[:4], "test": CASED[1:] + CASED[:2]}
"""A document of each split; that of training has more than 20 sentences."""


def table(*arguments, cwd: Path) -> tuple[dict[tuple[str, str], list[str]], str]:
    """The numbers of each row by split and stop list, and all that was printed."""
    printed = docmt("count-chains", *arguments, cwd=cwd, check=True).stdout
    rows = [line.split() for line in printed.splitlines() if line.split()[0] in ("train", "dev", "test")]
    return {(row[0], " ".join(row[1:-3])): row[-3:] for row in rows}, printed


def test_rows_are_what_loops_count_by_each_stop_list(tmp_path):
    project = copy_project(tmp_path / "project")
    catalogue = project.read("workflow/corpora/toy_zh-en.yaml")
    catalogue["reader"] |= {"train_documents": 12, "dev_documents": 2, "test_documents": 5}
    catalogue["expected"] = {}
    project.write("workflow/corpora/toy_zh-en.yaml", catalogue)
    rows, _ = table("toy_zh-en", "--stop-words", "10", "--training", "toy_zh-en", cwd=project.root)
    grid = load_grid(project.root)
    tokenize = tokenizer_for("zh", TextConfig()).tokenize
    texts: dict[str, list[list[list[str]]]] = {"train": [], "dev": [], "test": []}
    for document in available_documents(grid.corpora["toy_zh-en"], Places(project.root / "results", None, {})):
        cased = map(tokenize, document.source.sentences)
        texts[document.split].append([[word.lower() for word in sentence] for sentence in cased])
    training = Counter(word for text in texts["train"] for sentence in text for word in sentence)
    stopped = sorted(training, key=lambda word: (-training[word], word))[:10]
    sizes, words = [], 0
    for text in texts["test"]:
        counts = Counter(word for sentence in text for word in sentence)
        words += sum(counts.values())
        sizes.append([count for word, count in counts.items() if count > 1 and word not in stopped])
    chains = [size for text in sizes for size in text]
    expected = [100 * sum(chains) / words, sum(chains) / len(chains), len(chains) / len(texts["test"])]
    cells = rows["test", "10 most frequent words of the corpus' training text"]
    assert cells == [f"{number:.2f}" for number in expected]
    assert cells == rows["test", "10 most frequent words of the training text of toy_zh-en"]
    assert ("train", "10 most frequent words of the set itself") not in rows


@pytest.fixture(scope="module")
def stage_2(tmp_path_factory):
    """A function from the case and the segmenter of a text to its folder of stage 2."""
    folder = tmp_path_factory.mktemp("cased")
    rows = [row for split in DOCUMENTS for row in document_rows(split, "talk", DOCUMENTS[split])]
    corpus = write_corpus(folder / "corpus", rows)

    @cache
    def processed(case: str, chinese: str) -> Path:
        text = TextConfig(case=case, chinese=chinese, merges=20)
        process_corpus(TokensSettings(1, "cased", "zh", "en", text), corpus, folder / case / chinese)
        return folder / case / chinese

    return processed


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A project with the same documents as a corpus."""
    project = copy_project(tmp_path_factory.mktemp("project") / "copy")
    for split, pairs in DOCUMENTS.items():
        lines = [f"talk\t{source}\tNumber {number}" for number, (source, _) in enumerate(pairs)]
        project.write(f"mirror/{split}.tsv", "\n".join(["document\tsource\ttarget", *lines, ""]))
    files = {split: f"{split}.tsv" for split in DOCUMENTS}
    reader = {"kind": "table", "splits": files}
    about = {"about": "Talks.", "licence": "ours", "citation": "none", "files": [{"name": f} for f in files.values()]}
    languages = {"source_language": "zh", "target_language": "en"}
    project.write("workflow/corpora/cased.yaml", {"corpus": "cased", **languages, **about, "reader": reader})
    return project.root


SETTINGS = [*product(["keep", "lower"], ["jieba", "characters"])]


@pytest.mark.parametrize(("case", "chinese"), SETTINGS)
@pytest.mark.parametrize(("side", "language"), [("source", "zh"), ("target", "en")])
def test_words_of_a_side_that_has_learnt_nothing_are_the_tokens_of_stage_2(stage_2, case, chinese, side, language):
    words = Side.of_words(language, TextConfig(case=case, chinese=chinese)).tokens
    tokens = read_arrow(stage_2(case, chinese) / "tokens.arrow", TOKENS)[f"{side}_tokens"].to_pylist()
    sentences = [pair[side == "target"] for pairs in DOCUMENTS.values() for pair in pairs]
    assert [line.split(" ") for line in tokens] == [words(sentence) for sentence in sentences]


@pytest.mark.parametrize(("case", "chinese"), SETTINGS)
def test_counts_are_those_of_stage_4(stage_2, project, case, chinese, tmp_path):
    """Of parts of 20 sentences in training, as the paper counts them, and else of whole documents."""
    tokens, cut = stage_2(case, chinese), ViewConfig(CutConfig(max_sentences=20), CutConfig(max_sentences=20))
    words, view, segments = (tmp_path / name for name in ("words", "view", "segments"))
    build_words(WordsSettings(1, 2), tokens, words)
    build_view(ViewsSettings(1, cut), tokens, view)
    build_segments(SegmentsSettings(1, cut), tokens, words, view, segments)
    options = "--mirror", "mirror", "--stop-words", "2", "--case", case, "--chinese", chinese
    rows, _ = table("cased", *options, cwd=project)
    for split, folder in {"train": segments, "dev": words, "test": words}.items():
        card = json.loads((folder / "card.json").read_text())["splits"][split]
        assert card["chains"] > 0
        expected = [f"{card[name]:.2f}" for name in ("perc", "avg_k", "avg_m")]
        assert rows[split, "2 most frequent words of the corpus' training text"] == expected


def test_published_numbers_stand_beside_those_of_the_files_that_are_here(shared, tmp_path):
    mirror = write_contents(tmp_path, real_files(shared / "mirror"))
    rows, printed = table("ted_zh-en", "--mirror", mirror, "--stop-words", "300", cwd=ROOT)
    assert rows["test", "published: Lexical chains, Table 5"] == ["17.11", "3.16", "107.91"]
    assert rows["dev", "published: Lexical chains, Table 5"] == ["16.61", "3.22", "202.75"]
    # The paper's numbers and these are not of the same stop list, but not far away.
    percent, length, chains = map(float, rows["test", "300 most frequent words of the set itself"])
    assert 15 < percent < 20 and 2.8 < length < 3.3 and 100 < chains < 115
    assert "own training text, whose files are not here: no row is theirs" in printed
