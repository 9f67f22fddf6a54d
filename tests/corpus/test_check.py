"""`docmt check-catalogue`: on the mirror's archives, and on small ones in the layout of those that are not there."""

import dataclasses
from pathlib import Path

import pytest
from helpers.catalogue_files import has_maker, make_files
from helpers.real_files import archives_of_layout, real_files, without_digests, write_contents

from docmt.base.artifacts import write_json
from docmt.base.vocabulary import SPECIALS
from docmt.catalogue.corpus import MostShared, SplitCounts, load_corpus
from docmt.catalogue.missing import Places
from docmt.catalogue.published import PublishedCounts, StatedCounts
from docmt.corpus.opening import needed_files
from docmt.corpus.review import CorpusCheck, check_corpus

CATALOGUE = Path(__file__).parents[2] / "workflow/corpora"
CORPORA = {path.stem: load_corpus(path) for path in sorted(CATALOGUE.glob("*.yaml"))}
GENERATED = [name for name, corpus in CORPORA.items() if has_maker(corpus)]


def generated(name: str):
    """Return a corpus of the catalogue for generated files, which have repeated text and other digests and counts."""
    corpus = CORPORA[name]
    return dataclasses.replace(corpus, files=without_digests(corpus), expected={}, most_shared=MostShared(1, 1))


def by_place(checked: CorpusCheck, paper: str) -> dict[tuple[str, str], tuple[float | None, str]]:
    return {(f.split, f.count): (f.measured, f.verdict) for f in checked.findings if f.paper == paper}


@pytest.mark.parametrize("name", GENERATED)
def test_every_layout_of_the_catalogue_is_read(name, tmp_path):
    corpus = generated(name)
    counts_of_files = make_files(corpus, tmp_path / "mirror")
    stated = tuple(
        {"documents": 1, "sentences": 1} if "documents" in counts else {"instances": 1}
        for counts in counts_of_files.values()
    )
    counts = {split: StatedCounts(**names) for split, names in zip(counts_of_files, stated, strict=True)}
    corpus = dataclasses.replace(corpus, published=(PublishedCounts("ours", "here", counts),))
    checked = check_corpus(corpus, Places(tmp_path / "results", str(tmp_path / "mirror")))
    assert (checked.problem, checked.absent) == (None, {})
    measured = {split: {} for split in counts_of_files}
    for finding in checked.findings:
        measured[finding.split][finding.count] = finding.measured
    assert measured == counts_of_files
    assert {file.name for file in corpus.files} == {path.name for path in (tmp_path / "mirror").iterdir()}


@pytest.mark.parametrize("name", GENERATED)
def test_what_is_not_there_is_left_out_and_named(name, tmp_path):
    corpus = generated(name)
    mirror = tmp_path / "mirror"
    make_files(corpus, mirror)
    gone = corpus.files[-1].name
    (mirror / gone).unlink()
    checked = check_corpus(corpus, Places(tmp_path / "results", str(mirror)))
    needing = [split for split, files in needed_files(corpus).items() if gone in files]
    assert checked.absent == {split: [gone] for split in needing}
    assert checked.problem is None
    assert not {finding.split for finding in checked.findings} & set(needing)


def test_verdicts(tmp_path):
    corpus = generated("ted_en-de")
    counts = make_files(corpus, tmp_path)
    documents, sentences = (counts["dev"][name] for name in ("documents", "sentences"))
    assert counts["test"]["documents"] == documents and 15 <= sentences < 25
    stated = {
        "dev": StatedCounts(documents=documents, sentences="0.02K"),
        "test": StatedCounts(documents=documents + 1, sentences=counts["test"]["sentences"] - 1),
    }
    published = PublishedCounts("P", "Table 1", stated, why={"test.documents": "because"})
    expected = {"dev": SplitCounts(documents, sentences + 1)}
    corpus = dataclasses.replace(corpus, published=(published,), expected=expected)
    checked = check_corpus(corpus, Places(tmp_path / "results", str(tmp_path)))
    assert by_place(checked, "catalogue") == {
        ("dev", "documents"): (documents, "equal"),
        ("dev", "sentences"): (sentences, "unexplained"),
    }
    assert {place: verdict for place, (_, verdict) in by_place(checked, "P").items()} == {
        ("dev", "documents"): "equal",
        ("dev", "sentences"): "equal",
        ("test", "documents"): "explained",
        ("test", "sentences"): "unexplained",
    }
    assert [finding.why for finding in checked.findings if finding.verdict == "explained"] == ["because"]
    assert not checked.is_fine


def test_instances_are_those_of_every_text_that_was_cut(tmp_path):
    corpus = generated("ted_en-de")
    make_files(corpus, tmp_path)
    places = Places(tmp_path / "results", str(tmp_path))
    before = by_place(check_corpus(corpus, places), "G-Transformer")
    assert before["dev", "instances"] == before["dev", "tokens_per_instance"] == (None, "not counted")
    for text, segments in (("one", 483), ("two", 484)):
        dev = {"segments": segments, "sentences_in_segments": 8967}
        dev |= {"source": {"pieces": 390 * segments}, "target": {"pieces": 428 * segments}}
        write_json(tmp_path / f"results/3_views/ted_en-de/{text}/tokens512/0/card.json", {"splits": {"dev": dev}})
    after = [f for f in check_corpus(corpus, places).findings if f.split == "dev" and f.count != "documents"]
    assert [(f.count, f.place, f.verdict) for f in after if f.paper == "G-Transformer"] == [
        ("sentences", "Table 1", "unexplained"),
        ("instances", "Table 1 (text one)", "equal"),
        ("instances", "Table 1 (text two)", "unexplained"),
        ("sentences_per_instance", "Table 1 (text one)", "unexplained"),
        ("sentences_per_instance", "Table 1 (text two)", "equal"),
        *(
            ("tokens_per_instance", f"Table 1 (text {text}: {side} pieces{symbols})", verdict)
            for text in ("one", "two")
            for side, symbols, verdict in (
                ("source", "", "explained"),
                ("target", "", "equal"),
                ("source", ", <s> and </s>", "explained"),
                ("target", ", <s> and </s>", "explained"),
            )
        ),
    ]


def test_chains_of_training_are_those_of_its_parts(tmp_path):
    corpus = generated("ted_zh-en")
    make_files(corpus, tmp_path)
    words, chains = (tmp_path / f"results/{stage}/ted_zh-en/lower" for stage in ("4_chain_words", "4_chains"))
    whole = {"perc": 16.614, "avg_k": 3.22, "avg_m": 202.75}
    write_json(words / "0/card.json", {"splits": {"train": {**whole, "perc": 99.0}, "dev": whole}})
    parts = {"perc": 15.57, "avg_k": 2.79, "avg_m": 9.81}
    write_json(
        chains / "sentences20+documents/0/card.json", {"splits": {"train": parts, "dev": {**whole, "perc": 99.0}}}
    )
    counts = by_place(check_corpus(corpus, Places(tmp_path / "results", str(tmp_path))), "Lexical chains")
    assert counts["train", "words_in_chains_percent"] == (15.57, "equal")
    assert counts["dev", "words_in_chains_percent"] == (16.614, "equal")
    assert counts["dev", "chains_per_document"] == (202.75, "equal")
    assert counts["test", "words_per_chain"] == (None, "not counted")


def test_vocabularies_are_those_of_every_text_without_special_symbols(tmp_path):
    corpus = generated("ted_zh-en_2015")
    make_files(corpus, tmp_path)
    places = Places(tmp_path / "results", str(tmp_path))
    before = by_place(check_corpus(corpus, places), "Long-short")
    assert before["train", "source_vocabulary"] == (None, "not counted")
    sizes = {"source": 16_018 + len(SPECIALS), "target": 10_296 + len(SPECIALS)}
    for text, more in (("one", 0), ("two", 1)):
        card = {"splits": {"train": {}}, "vocabulary": {side: size + more for side, size in sizes.items()}}
        write_json(tmp_path / f"results/2_tokens/ted_zh-en_2015/{text}/0/card.json", card)
    after = [f for f in check_corpus(corpus, places).findings if f.count.endswith("_vocabulary")]
    assert [(f.count, f.place, f.measured, f.verdict) for f in after] == [
        ("source_vocabulary", "section 3 (text one)", 16_018, "equal"),
        ("source_vocabulary", "section 3 (text two)", 16_019, "explained"),
        ("target_vocabulary", "section 3 (text one)", 10_296, "equal"),
        ("target_vocabulary", "section 3 (text two)", 10_297, "explained"),
    ]


def test_a_wrong_checksum_is_the_problem_of_its_corpus(tmp_path):
    make_files(CORPORA["ted_en-de"], tmp_path)
    checked = check_corpus(CORPORA["ted_en-de"], Places(tmp_path / "results", str(tmp_path)))
    assert checked.problem.startswith(f"{tmp_path / 'maruf_iwslt2017.dev.en'}: wrong size")


MIRROR = {
    "ted_zh-en": {"dev": (8, 887), "test": (56, 5473)},
    "ted_zh-en_2015": {"dev": (8, 887), "test": (56, 5473)},
    "ted_en-de": {"dev": (93, 8967), "test": (23, 2271)},
    "news_en-de": {"dev": (81, 2169), "test": (155, 2999)},
    "europarl_en-de": {"dev": (240, 3587), "test": (360, 5134)},
    "ted_en-de_iwslt2017": {"dev": (81, 7887), "test": (12, 1080)},
}
"""Documents and sentences, as the notes on the mirror count them."""
SETS = {
    "deixis.dev": 500,
    "deixis": 2500,
    "lexical_cohesion.dev": 500,
    "lexical_cohesion": 1500,
    "ellipsis_inflection": 500,
    "ellipsis_vp": 500,
}


@pytest.fixture(scope="module")
def mirror(shared, tmp_path_factory) -> str:
    """Return a folder with the real files under the catalogue's names."""
    folder = tmp_path_factory.mktemp("mirror")
    return str(write_contents(folder, real_files(shared / "mirror") | archives_of_layout(shared / "mirror")))


@pytest.mark.parametrize("name", MIRROR)
def test_the_mirrors_sets_hold_what_the_papers_say_or_it_is_explained(name, mirror, tmp_path):
    corpus = CORPORA[name]
    if name == "ted_en-de_iwslt2017":  # its archive was packed here, without training text
        reader = corpus.reader.limited(["dev", "test"])
        corpus = dataclasses.replace(corpus, files=without_digests(corpus), reader=reader)
    checked = check_corpus(corpus, Places(tmp_path, mirror))
    assert checked.is_fine, checked
    measured = {split: dict.fromkeys(("documents", "sentences")) for split in MIRROR[name]}
    for (split, count), (number, verdict) in by_place(checked, "catalogue").items():
        measured[split][count] = number
        assert verdict == "equal"
    assert {split: tuple(counts.values()) for split, counts in measured.items()} == MIRROR[name]
    assert list(checked.absent) == (["train"] if corpus is CORPORA[name] else [])


def test_the_mirrors_contrastive_sets(mirror, tmp_path):
    checked = check_corpus(CORPORA["opensubtitles_en-ru"], Places(tmp_path, mirror))
    assert checked.is_fine, checked
    counts = by_place(checked, "Voita et al. (2019)")
    assert counts == {(name, "instances"): (number, "equal") for name, number in SETS.items()}


def test_known_discrepancies_are_explained(mirror, tmp_path):
    lexical = by_place(check_corpus(CORPORA["ted_zh-en"], Places(tmp_path, mirror)), "Lexical chains")
    assert lexical["test", "sentences"] == (5473, "explained")
    g_transformer = by_place(check_corpus(CORPORA["news_en-de"], Places(tmp_path, mirror)), "G-Transformer")
    assert g_transformer["dev", "documents"] == (81, "explained")
    assert g_transformer["test", "sentences"] == (2999, "equal")
