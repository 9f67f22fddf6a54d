import re
from collections.abc import Callable

import pytest
import sacrebleu

from docmt.scoring.bleu import FAMILIES, bleu, document_bleu, join_documents, sentence_bleu
from docmt.scoring.inputs import References, Translations

HYPOTHESES = ("The cat sat on the mat , happily.", "A dog barks at it", "It's late at night, isn't it?")
REFERENCES = ("The Cat sat on the mat, happily.", "A dog barked at it", "It is late at night, isn't it?")
DOCUMENTS = ("a", "a", "b")


def both(hypotheses=HYPOTHESES, references=REFERENCES) -> tuple[Translations, References]:
    return Translations(hypotheses, hypotheses), References(DOCUMENTS, (references,), (references,))


def test_sentences_of_a_document_are_joined_by_a_space():
    assert join_documents(["1", "2", "3", "4"], ["x", "x", "y", "x2"]) == ["1 2", "3", "4"]


@pytest.mark.parametrize(
    ("family", "options"),
    [
        ("13a", {}),
        ("13a_lower", {"lowercase": True}),
        ("tokenized_lower", {"lowercase": True, "tokenize": "none", "smooth_method": "none", "force": True}),
    ],
)
def test_families_are_sacrebleus(family, options):
    by_sentence = sentence_bleu(*both(), "en")[family]["s"]
    assert by_sentence["score"] == sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES], **options).score
    joined = [[f"{lines[0]} {lines[1]}", lines[2]] for lines in (HYPOTHESES, REFERENCES)]
    by_document = document_bleu(*both(), "en")[family]["d"]
    assert by_document["score"] == sacrebleu.corpus_bleu(joined[0], [joined[1]], **options).score


@pytest.mark.parametrize(
    ("family", "start"),
    [
        ("13a", "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"),
        ("13a_lower", "nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:"),
        ("tokenized_lower", "nrefs:1|case:lc|eff:no|tok:none|smooth:none|version:"),
    ],
)
def test_every_number_carries_its_signature(family, start):
    version = sacrebleu.__version__
    assert sentence_bleu(*both(), "en")[family]["s"]["signature"] == f"{start}{version}|unit:s"
    assert document_bleu(*both(), "en")[family]["d"]["signature"] == f"{start}{version}|unit:d|documents:2"


def test_chinese_is_scored_by_characters_and_the_signature_says_so():
    lines = both(("他昨天在北京见了老师。",) * 3, ("他昨天在北京看见了老师。",) * 3)
    scores = sentence_bleu(*lines, "zh")
    assert scores["13a"]["s"]["score"] > 50
    assert "|tok:zh|" in scores["13a"]["s"]["signature"]
    assert "|tok:none|" in scores["tokenized_lower"]["s"]["signature"]


def test_tokenized_family_looks_at_tokens_and_the_others_at_raw_lines():
    translations = Translations(HYPOTHESES, REFERENCES)
    references = References(DOCUMENTS, (HYPOTHESES,), (REFERENCES,))
    scores = sentence_bleu(translations, references, "en")
    assert [round(scores[name]["s"]["score"], 6) for name in FAMILIES] == [100, 100, 100]


def test_all_references_of_a_sentence_count():
    second = ("A cat sat on the mat, happily.", None, "Late at night, isn't it?")
    translations, _ = both()
    references = References(DOCUMENTS, (REFERENCES, second), (REFERENCES, second))
    by_sentence = sentence_bleu(translations, references, "en")["13a"]["s"]
    assert by_sentence["score"] == sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES, second]).score
    assert by_sentence["signature"].startswith("nrefs:var|")
    # The second reference covers only the second document.
    joined = [[f"{lines[0]} {lines[1]}", lines[2]] for lines in (HYPOTHESES, REFERENCES)]
    by_document = document_bleu(translations, references, "en")["13a"]["d"]
    assert by_document["score"] == sacrebleu.corpus_bleu(joined[0], [joined[1], [None, second[2]]]).score


@pytest.fixture
def golden(shared) -> Callable[[str], list[str]]:
    """Lines of an output of Moses' own scripts."""
    return lambda name: (shared / "golden" / name).read_text(encoding="utf-8").split("\n")[:-1]


@pytest.mark.parametrize("hypothesis", ["hyp1", "hyp2"])
@pytest.mark.parametrize(
    ("what", "references", "ending"),
    [
        ("ref0", ["ref0"], ".tok"),
        ("ref0+ref1", ["ref0", "ref1"], ".tok"),
        ("ref0, ten lines joined a document", ["ref0"], ".tok.doc10"),
    ],
)
def test_tokenized_lower_is_multi_bleu(golden, hypothesis, what, references, ending):
    printed = {line.split(":")[0]: float(re.search(r"BLEU = ([\d.]+)", line)[1]) for line in golden("multi-bleu.txt")}
    metric = FAMILIES["tokenized_lower"].metric("en")
    streams = [golden(f"bleu.{name}{ending}") for name in references]
    score = bleu(metric, golden(f"bleu.{hypothesis}{ending}"), streams, "s")["score"]
    assert score == pytest.approx(printed[f"multi-bleu -lc {hypothesis}, {what}"], abs=0.01)


@pytest.mark.parametrize(("family", "line"), [("13a_lower", 0), ("13a", 1)])
def test_raw_families_are_mteval(golden, family, line):
    printed = 100 * float(re.search(r"BLEU score = ([\d.]+)", golden("mteval.txt")[line])[1])
    metric = FAMILIES[family].metric("en")
    score = bleu(metric, golden("bleu.hyp1.raw"), [golden("bleu.ref0.raw")], "s")["score"]
    assert score == pytest.approx(printed, abs=0.01)


def test_joining_ten_lines_is_what_the_golden_documents_are(golden):
    lines = golden("bleu.hyp1.tok")
    assert join_documents(lines, [str(n // 10) for n in range(len(lines))]) == golden("bleu.hyp1.tok.doc10")
