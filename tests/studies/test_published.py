"""What the studies declare as published, against the papers' own text (`shared`), cell by cell, as it is printed.

Studies are read as plain YAML whose numbers stay text, so that 23.10 is not 23.1.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from itertools import zip_longest
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
import yaml
from helpers import papers
from helpers.papers import DROP, Table, key
from helpers.support import ROOT

COLUMNS = {
    # Printed headings of columns, and what they are in a study: the corpus, and the suffix of its systems.
    "TED": "ted_en-de",
    "News": "news_en-de",
    "Europarl": "europarl_en-de",
    "ZH→EN(News)": "news_zh-en",
    "ZH→EN(News, 2M Pretraining)": "news_zh-en_2m.2m",
    "ZH→EN(News, 2M Pre.)": "news_zh-en_2m.2m",
    "ZH→EN(TED)": "ted_zh-en.ted",
    "FR→EN(TED)": "ted_fr-en.fr",
}
ONLY_COLUMN = {
    # Of tables that have one column, and do not head it.
    ("long-short", "table2"): "opensubtitles_en-ru",
    ("g-transformer", "table4"): "opensubtitles_en-ru_both",
    ("lexical-chains", "table3"): "news_zh-en",
    ("lexical-chains", "table7"): "news_zh-en",
    ("lexical-chains", "table8"): "news_zh-en",
}
METRICS = {
    # Printed headings of numbers, and the names of the metrics.
    "Model Size": "size",
    "multi-bleu": "multi-bleu s-BLEU",
    "mteval-v13a": "mteval s-BLEU",
    "Deixis": "accuracy:deixis",
    "deixis": "accuracy:deixis",
    "Lexical Cohesion": "accuracy:lexical_cohesion",
    "Ellipsis (VP)": "accuracy:ellipsis_vp",
    "el.VP": "accuracy:ellipsis_vp",
    "Ellipsis (Infl.)": "accuracy:ellipsis_inflection",
    "el.infl.": "accuracy:ellipsis_inflection",
    "LTRC": "LTCR",
    "Coherence": "coherence",
    "Cohesion": "cohesion",
    "Equal": "equal",
    "Better": "better",
    "Worse": "worse",
    "#Param.": "parameters",
    "Speed": "speed",
}
CASE_INSENSITIVE = {"s-BLEU": "multi-bleu s-BLEU", "d-BLEU": "multi-bleu d-BLEU"}
"""Lexical chains: by multi-bleu.perl, where G-Transformer's are case-sensitive."""
COUNTS = {
    "#Sentences": "sentences",
    "#Documents": "documents",
    "#Instances": "instances",
    "Avg #Sents/Inst": "sentences_per_instance",
    "Avg #Tokens/Inst": "tokens_per_instance",
    "Perc.": "words_in_chains_percent",
    "Avg. K": "words_per_chain",
    "Avg. M": "chains_per_document",
}
SPLITS = {"training": "train", "development": "dev", "test": "test"}

NOT_DIGITISED = "not digitised"
Cells = dict[tuple[str, str, str], str]
"""What is printed, by (row, corpus and suffix of the column, metric); a heading across the table is one with no number.
Of counts: by (split, corpus, count)."""

CELLS = {
    # As counted when the papers were first read.
    **{("lexical-chains", f"table{n}"): count for n, count in enumerate((42, 42, 12, 9, 27, 28, 8, 15), 1)},
    **{("g-transformer", f"table{n}"): count for n, count in enumerate((45, 51, 11, 15, 15, 11, 18), 1)},
    ("long-short", "table2"): 55,
}
EACH_TABLE = pytest.mark.parametrize("where", CELLS, ids="/".join)


@cache
def load(path: str) -> dict:
    return yaml.load((ROOT / "workflow" / path).read_text(encoding="utf-8"), yaml.CBaseLoader)


def study(name: str) -> dict:
    return load(f"studies/{name}.yaml")


def raw_table(where: tuple[str, str]) -> dict:
    """A copy of the table as declared; of counts, with what the catalogue states of its corpora."""
    table = deepcopy(study(where[0])["tables"][where[1]])
    if table.get("kind") == "counts":
        table["stated"] = {corpus: _stated(corpus, table) for corpus in table["corpora"]}
    return table


def _stated(corpus: str, table: dict) -> dict:
    known = load(f"corpora/{corpus}.yaml")["published"]
    (published,) = [
        candidate
        for candidate in known
        if (candidate["paper"], candidate["place"]) == (table["published"], table["paper"])
    ]
    return {
        split: {name: published["counts"][split][name] for name in table["counts"]}
        for split in table.get("splits", published["counts"])
    }


def declared(table: dict) -> Cells:
    """What a study says of a table."""
    if table.get("kind") == "counts":
        splits = [(split, corpus, of) for corpus, stated in table["stated"].items() for split, of in stated.items()]
        return {(split, corpus, name): text for split, corpus, counts in splits for name, text in counts.items()}
    columns = {name: column["corpus"] + column.get("suffix", "") for name, column in table.get("columns", {}).items()}
    declared_cells: Cells = {}
    for row in table["rows"]:
        label, published = key(row.get("label") or row["group"]), row.get("published", {})
        for name, cells in published.items() if columns else [("", published)]:
            declared_cells |= {(label, columns.get(name, ""), metric): text for metric, text in cells.items()}
        if "drop" in row:
            declared_cells[label, *DROP] = row["drop"]
        if "group" in row:
            declared_cells[label, "", ""] = ""
    return declared_cells


def printed(shared: Path, where: tuple[str, str]) -> Cells:
    """What the paper's text has of it, under the study's names."""
    name, number = where[0], int(where[1].removeprefix("table"))
    text = papers.read_paper(shared, name)
    if name == "long-short":
        return _named(papers.long_short(text), where)
    if where == ("g-transformer", "table1"):
        rows = papers.g_transformer_counts(text)
        return {(s, f"{row}_en-de", COUNTS[count]): text for row, of in rows for (s, count), text in of.items()}
    if name == "g-transformer":
        return _named(papers.g_transformer(text, number), where)
    rows = papers.lexical_chains(text, number)
    if number == 5:
        counts = [(SPLITS[row], head, text) for row, of in rows for head, text in of.items()]
        return {(s, _column(head[0]).partition(".")[0], COUNTS[head[1]]): text for s, head, text in counts}
    return _named(rows, where, CASE_INSENSITIVE)


def _named(table: Table, where: tuple[str, str], names: dict[str, str] | None = None) -> Cells:
    names = {**METRICS, **(names or {})}
    cells: Cells = {}
    for label, row in table:
        for head, text in row.items():
            corpus = _column(head[0]) if head[0] else ONLY_COLUMN.get(where, "")
            cells[(label, *DROP) if head == DROP else (label, corpus, names.get(head[1], head[1]))] = text
        if not row:
            cells[label, "", ""] = ""
    return cells


def _column(heading: str) -> str:
    return COLUMNS[re.sub(r" (?=\()", "", heading)]


def differences(expected: Cells, actual: Cells) -> list[str]:
    """A line for each cell that differs, and one for rows in another order."""
    cells = [(cell, expected.get(cell), actual.get(cell)) for cell in {**expected, **actual}]
    lines = [f"{cell}: printed {theirs}, declared {ours}" for cell, theirs, ours in cells if theirs != ours]
    rows = [list(dict.fromkeys(row for row, _, _ in cells)) for cells in (expected, actual)]
    return lines or ([] if rows[0] == rows[1] else [f"rows: printed {rows[0]}, declared {rows[1]}"])


@EACH_TABLE
def test_a_study_declares_what_the_paper_prints(shared, where):
    expected, actual = printed(shared, where), declared(raw_table(where))
    assert differences(expected, actual) == []
    assert sum(text != "" for text in actual.values()) == CELLS[where]


def test_every_table_of_the_papers_is_declared(shared):
    for name in papers.FILES:
        numbers = re.findall(r"^Table (\d+):", papers.read_paper(shared, name), re.MULTILINE)
        passages = study(name).get("passages", {})
        assert {f"table{n}" for n in numbers} <= study(name)["tables"].keys() | passages.keys()


@pytest.mark.parametrize("name", ["table3", "table5", "table6"])
def test_drops_are_those_that_the_table_says_they_are(name):
    """Mean over the corpora of the difference from the row above, or from the first: it gives the printed drops."""
    table = study("g-transformer")["tables"][name]
    rows = [row for row in table["rows"] if "published" in row]
    means = [mean(float(*cells.values()) for cells in row["published"].values()) for row in rows]
    against = {"above": means, "first": [means[0]] * len(means)}[table["drop"]]
    for row, row_mean, other in zip(rows[1:], means[1:], against, strict=False):
        assert f"{row_mean - other:.2f}" == row["drop"]
    assert "drop" not in rows[0]


def test_what_the_text_states_of_figures_is_all_that_is_published_of_them(shared):
    text = papers.read_paper(shared, "g-transformer")
    stated = re.search(
        r"from (\d+) tokens to (\d+) tokens, the BLEU score drops dramatically from ([\d.]+) to ([\d.]+),", text
    )
    points = {stated[1]: {"d-BLEU": stated[3]}, stated[2]: {"d-BLEU": stated[4]}}
    published = {(name, figure): value for name in papers.FILES for figure, value in of_figures(study(name))}
    assert published == {("g-transformer", figure): points for figure in ("figure2a", "figure7a")}


def test_the_claim_on_convergence_is_quoted_from_the_text(shared):
    text = papers.read_paper(shared, "g-transformer")
    quoted = re.findall(r'"([^"]+)"', study("g-transformer")["figures"]["convergence"]["caption"])
    assert quoted == ["almost half time to reach the same level of loss", "much lower"]
    assert all(words in text for words in quoted)


def of_figures(study: dict) -> Iterator[tuple[str, Any]]:
    """What is published in figures, but for what is said to be not digitised."""
    for name, figure in study["figures"].items():
        lines = [*figure.get("series", ()), *figure.get("levels", ())]
        yield from (
            (name, line["published"]) for line in lines if line.get("published", NOT_DIGITISED) != NOT_DIGITISED
        )


def test_bleu_by_combined_layers_is_that_of_the_text(shared):
    text = papers.read_paper(shared, "g-transformer")
    stated = re.search(
        r"gives ([\d.]+), ([\d.]+), and ([\d.]+) d-BLEU with top (\d), (\d), and (\d) layers", text
    ).groups()
    expected = {(f"k{k}", "europarl_en-de", "d-BLEU"): bleu for bleu, k in zip(stated[:3], stated[3:], strict=True)}
    assert declared(study("g-transformer")["tables"]["combined_layers"]) == expected


DERIVED = {
    # Numbers in notes that no paper prints, and what they are.
    "22.7": 100 * (85.56 / 69.71 - 1),
    "38.5": (40 + 37) / 2,
    "20.5": (21 + 20) / 2,
}


@pytest.mark.parametrize("name", papers.FILES)
def test_numbers_in_captions_and_notes_stand_in_a_paper(shared, name):
    texts = "".join(papers.read_paper(shared, paper) for paper in papers.FILES)
    said = [text for item in items(study(name)) for key, text in item.items() if key in ("caption", "note")]
    quoted = {number for text in said for number in re.findall(r"\d+\.\d+", text)}
    assert {
        number for number in quoted if not re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", texts)
    } <= DERIVED.keys()
    assert all(f"{value:.1f}" == number for number, value in DERIVED.items())


def items(study: dict) -> Iterator[dict]:
    for section in ("tables", "figures", "passages"):
        for item in study.get(section, {}).values():
            yield from (item, *(row for row in item.get("rows", ())))


EN_ZH_EN_RU = ("ted_zh-en_2015", "opensubtitles_en-ru")


def test_vocabularies_are_those_of_the_paper(shared):
    """Chinese to English: the first of the sizes that are printed for "En-Zh" is read as English."""
    text = papers.read_paper(shared, "long-short")
    ((english, chinese, source, target),) = re.findall(r"are (\d+) / (\d+) and (\d+) / (\d+), respectively", text)
    stated = {corpus: _stated(corpus, study("long-short")["tables"]["vocabularies"])["train"] for corpus in EN_ZH_EN_RU}
    sizes = {corpus: [number.replace(",", "") for number in counts.values()] for corpus, counts in stated.items()}
    assert sizes == dict(zip(EN_ZH_EN_RU, ([chinese, english], [source, target]), strict=True))


@pytest.mark.parametrize("number", [1, 3])
def test_passages_are_those_of_the_paper(shared, number):
    examples = papers.passages(papers.read_paper(shared, "long-short"), number)
    assert examples
    for example, document in zip_longest(examples, study("long-short")["passages"][f"table{number}"]["documents"]):
        assert "".join(document["source"]) == "".join(example["Src"].split())
        texts = {"Ref": document["reference"], **document["published"]}
        assert {name: " ".join(sentences) for name, sentences in texts.items()} | {"Src": example["Src"]} == example
        assert {len(sentences) for sentences in texts.values()} == {len(document["source"])}


def test_cells_are_read_without_what_marks_them():
    assert [papers.cell(text) for text in ("‡<u>64.09</u>", "69.71M", "39%", "25.84*", "NA", "-", "")] == [
        "64.09", "69.71", "39", "25.84", None, None, None
    ]  # fmt: skip
    assert key("HAN Miculicich et al. (2018b)") == key("<b>HAN (Miculicich et al., 2018b) (baseline)</b>")
