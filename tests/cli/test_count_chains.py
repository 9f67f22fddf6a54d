"""`docmt count-chains`: what it counts, and what it says of papers' numbers."""

from collections import Counter
from pathlib import Path

from helpers.real_files import real_files, write_contents
from helpers.support import ROOT, copy_project, docmt

from docmt.catalogue.missing import Places
from docmt.corpus.opening import available_documents
from docmt.plan.grid import load_grid
from docmt.settings.data import TextConfig
from docmt.text.tokenizers import tokenizer_for


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
        texts[document.split].append([tokenize(sentence.lower()) for sentence in document.source.sentences])
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


def test_published_numbers_stand_beside_those_of_the_files_that_are_here(shared, tmp_path):
    mirror = write_contents(tmp_path, real_files(shared / "mirror"))
    rows, printed = table("ted_zh-en", "--mirror", mirror, "--stop-words", "300", cwd=ROOT)
    assert rows["test", "published: Lexical chains, Table 5"] == ["17.11", "3.16", "107.91"]
    assert rows["dev", "published: Lexical chains, Table 5"] == ["16.61", "3.22", "202.75"]
    # The paper's numbers and these are not of the same stop list, but not far away.
    percent, length, chains = map(float, rows["test", "300 most frequent words of the set itself"])
    assert 15 < percent < 20 and 2.8 < length < 3.3 and 100 < chains < 115
    assert "own training text, whose files are not here: no row is theirs" in printed
