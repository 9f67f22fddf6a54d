"""`docmt score` and `docmt compare` on plain files."""

import json

import pytest
import sacrebleu
from helpers.comet_files import write_comet
from helpers.command_line import output, succeed
from typer.testing import CliRunner

from docmt.base.errors import UserError
from docmt.cli.commands import build
from docmt.scoring.bleu import FAMILIES

REFERENCE = ["The cat sat on the mat.", "It was a black cat.", "A dog barked at it.", "Nobody saw the dog there."]
SYSTEM = ["The cat sat on a mat.", "It was a black cat.", "", "Nobody saw that dog there."]
BASELINE = ["The cats sit on a mat.", "It was a cat.", "A dog barks.", "Nobody saw that dog there."]
BORDERS = [*REFERENCE[:2], "", *REFERENCE[2:]]


def scores(*arguments: object) -> dict[tuple[str, str], dict]:
    """Return the scores of a system by family of BLEU (or other metric) and unit."""
    (system,) = json.loads(output("score", *arguments, "--json"))
    return {(score["family"] or score["metric"], score["unit"]): score for score in system["scores"]}


def test_blank_lines_or_a_file_of_names_say_what_the_documents_are(write):
    reference, borders = write("reference", REFERENCE), write("borders", BORDERS)
    system, blank = write("system", SYSTEM), write("blank", [*SYSTEM[:2], "", *SYSTEM[2:]])
    named = scores("--hypotheses", system, "--reference", reference, "--documents", write("names", list("aabb")))
    by_blank = scores("--hypotheses", blank, "--reference", borders)
    assert named == by_blank
    assert named["13a", "s"]["score"] == sacrebleu.corpus_bleu(SYSTEM, [REFERENCE]).score
    joined = [[f"{lines[0]} {lines[1]}", f"{lines[2]} {lines[3]}"] for lines in (SYSTEM, REFERENCE)]
    assert named["13a", "d"]["score"] == sacrebleu.corpus_bleu(joined[0], [joined[1]]).score
    assert named["13a", "d"]["signature"].endswith("|unit:d|documents:2")
    assert list(scores("--hypotheses", system, "--reference", reference)) == [("13a", "s")]


def test_instances_are_named_like_documents(write):
    files = ("--hypotheses", write("system", SYSTEM), "--reference", write("reference", REFERENCE))
    unit = scores(*files, "--instances", write("tokens512", list("aaab")))["13a", "i"]
    assert unit["signature"].endswith("|unit:i|view:tokens512|instances:2")


def test_several_references_of_which_a_line_may_lack_some(write):
    second = ["The cat sat on a mat.", "", "A dog!", ""]
    files = [
        part
        for name in ("one", "two")
        for part in ("--reference", write(name, {"one": REFERENCE, "two": second}[name]))
    ]
    score = scores("--hypotheses", write("system", SYSTEM), *files)["13a", "s"]
    assert score["signature"].startswith("nrefs:var|")
    streams = [REFERENCE, [line or None for line in second]]
    assert score["score"] == sacrebleu.BLEU().corpus_score(SYSTEM, streams).score


def test_a_line_may_be_a_document(write):
    whole = [" ".join(SYSTEM[:2]), " ".join(SYSTEM[2:])]
    files = ("--reference", write("reference", REFERENCE), "--documents", write("names", list("aabb")))
    by_document = scores("--hypotheses", write("whole", whole), *files, "--lines", "documents")
    by_sentence = scores("--hypotheses", write("system", SYSTEM), *files)
    assert by_document == {("13a", "d"): by_sentence["13a", "d"]}


def test_json_has_the_parts_of_bleu(write):
    """The brevity penalty, the length ratio and the precisions of n-grams."""
    files = ("--hypotheses", write("system", SYSTEM), "--reference", write("reference", REFERENCE))
    bleu, ter = scores(*files, "--metric", "BLEU", "--metric", "TER").values()
    theirs = sacrebleu.corpus_bleu(SYSTEM, [REFERENCE])
    names = ("brevity_penalty", "length_ratio", "precisions")
    assert [bleu[name] for name in names] == [theirs.bp, theirs.ratio, theirs.precisions]
    assert [ter[name] for name in names] == [None, None, None]


def test_text_that_looks_tokenised_is_told_on_standard_error(write):
    """For metrics that expect detokenised text."""
    tokenised = write("tokenised", [f"{line[:-1]} ." for line in REFERENCE])
    reference = write("reference", REFERENCE)
    files = ("--hypotheses", tokenised, "--reference", reference)
    warning = f"docmt: warning: {tokenised}: 4 of 4 lines have a space before a full stop or a comma, first: "
    assert warning in succeed("compare", *files, "--baseline", reference).stderr
    of_words = succeed("score", *files, "--family", "tokenized").stderr
    assert f"{reference}: 4 of 4 lines end in a full stop or a comma without a space" in of_words
    assert str(tokenised) not in of_words
    assert warning in succeed("score", *files, "--family", "tokenized", "--metric", "chrF").stderr


def test_pieces_are_told_before_comet_reads_them(write, tmp_path):
    write_comet(tmp_path / "comet")
    text = write("text", REFERENCE)
    files = ("--source", text, "--reference", text, "--hypotheses", write("pieces", [f"un@@ {t}" for t in REFERENCE]))
    program = ("--comet-model", tmp_path / "comet", "--comet-command", "no-such-program")
    result = CliRunner().invoke(build(), [str(argument) for argument in ("score-comet", *files, *program)])
    assert "4 of 4 lines end words in @@" in result.stderr and "no-such-program" in str(result.exception)


CHINESE = {
    "hypotheses": ["请把灯关了，然后去睡觉吧。", "他昨天在北京见到了老同学。", "我们需要更多的时间完成这项工作。"],
    "reference": ["请把灯关掉，然后去睡觉吧。", "他昨天在北京见到了老朋友。", "我们需要更多的时间来完成这项工作。"],
}
"""Equal but for a few characters, and no clause is equal."""
THAI = {"hypotheses": ["เขาไปโรงเรียนทุกวันตอนเช้า"] * 2, "reference": ["เขาไปโรงเรียนทุกวันตอนเย็น"] * 2}


@pytest.mark.parametrize(
    "texts, language, is_told", [(CHINESE, "en", True), (CHINESE, "zh", False), (THAI, "th", True)]
)
def test_a_script_without_spaces_is_told_where_its_words_are_not_cut(write, texts, language, is_told):
    hypotheses, reference = (write(name, lines) for name, lines in texts.items())
    files = ("--hypotheses", hypotheses, "--reference", reference, "--target-language", language)
    assert ("in a script without spaces between words" in succeed("score", *files).stderr) == is_told
    assert succeed("score", *files, "--metric", "chrF").stderr == ""
    score = scores(*files)["13a", "s"]["score"]
    theirs = sacrebleu.BLEU(trg_lang=language).corpus_score(texts["hypotheses"], [texts["reference"]]).score
    assert score == theirs and (score == 0) == is_told


@pytest.mark.parametrize("hypotheses", [["Short text"], ["One two three four five.", "", ""]], ids=["short", "empty"])
def test_short_and_empty_lines_have_the_numbers_of_sacrebleu(write, hypotheses):
    references = ["Short text"] if len(hypotheses) == 1 else ["One two three four five.", "Six.", "Seven eight."]
    files = ("--hypotheses", write("system", hypotheses), "--reference", write("reference", references))
    for (family, _), score in scores(*files, "--family", "all").items():
        theirs = FAMILIES[family].metric("en").corpus_score(hypotheses, [references]).score
        assert score["score"] == pytest.approx(theirs) and (score["score"] == 0) == (len(hypotheses) == 1)


def test_the_table_has_a_line_for_each_family_and_unit_and_for_each_document(write):
    files = ("--hypotheses", write("system", SYSTEM), "--reference", write("reference", REFERENCE))
    names = ("--documents", write("names", ["a", "a", "b", "b"]))
    printed = output("score", *files, *names, "--family", "all", "--by-document").splitlines()
    assert printed[0].split() == ["system", "metric", "family", "unit", "score", "95", "%"]
    assert [line.split()[:4] for line in printed[1:9]] == [
        [str(files[1]), "BLEU", family, unit] for family in FAMILIES for unit in "sd"
    ]
    assert printed[1].split()[4] == f"{sacrebleu.corpus_bleu(SYSTEM, [REFERENCE]).score:.2f}"
    assert [line.split()[:3] for line in printed[-2:]] == [
        [name, "2", f"{sacrebleu.corpus_bleu(SYSTEM[part], [REFERENCE[part]]).score:.2f}"]
        for name, part in (("a", slice(2)), ("b", slice(2, 4)))
    ]


def test_families_are_named_or_all_and_none_is_scored_twice(write):
    files = ("--hypotheses", write("system", SYSTEM), "--reference", write("reference", REFERENCE))
    assert [family for family, _ in scores(*files, "--family", "all")] == [*FAMILIES]
    named = ("--family", "tokenized", "--family", "13a_lower", "--family", "tokenized")
    every = scores(*files, "--family", "all")
    assert scores(*files, *named) == {key: every[key] for key in (("13a_lower", "s"), ("tokenized", "s"))}
    printed = output("score", *files, *named).splitlines()
    assert [line.split()[2] for line in printed[1:3]] == ["13a_lower", "tokenized"]
    with pytest.raises(UserError, match="unknown family of BLEU\\n  found 13b\\n  did you mean '13a'"):
        output("score", *files, "--family", "13b")


def test_chrf_and_ter_stand_beside_bleu_and_are_those_of_sacrebleu(write):
    files = ("--hypotheses", write("system", SYSTEM), "--reference", write("reference", REFERENCE))
    names = ("--documents", write("names", list("aabb")))
    every = scores(*files, *names, "--metric", "all")
    rows = [("13a", "s"), ("13a", "d"), *((name, unit) for name in ("chrF", "chrF++") for unit in "sd"), ("TER", "s")]
    assert list(every) == rows
    theirs = {"chrF": sacrebleu.CHRF(), "chrF++": sacrebleu.CHRF(word_order=2), "TER": sacrebleu.TER()}
    for name, metric in theirs.items():
        score = every[name, "s"]
        assert score["score"] == pytest.approx(metric.corpus_score(SYSTEM, [REFERENCE]).score)
        assert score["signature"] == f"{metric.get_signature()}|unit:s"
        assert score["interval"]["low"] <= score["score"] <= score["interval"]["high"]
        assert (score["metric"], score["family"]) == (name, None)
    assert scores(*files, "--metric", "TER", "--metric", "TER") == {("TER", "s"): every["TER", "s"]}
    printed = output("score", *files, *names, "--metric", "chrF", "--metric", "TER", "--by-document").splitlines()
    assert [line.split()[1:4] for line in printed[1:4]] == [["chrF", "-", "s"], ["chrF", "-", "d"], ["TER", "-", "s"]]
    assert f"signature of TER, sentences: {every['TER', 's']['signature']}" in printed
    first = sacrebleu.CHRF().corpus_score(SYSTEM[:2], [REFERENCE[:2]]).score
    assert printed[-3].split() == ["document", "sentences", "chrF", "s", "chrF", "d", "TER", "s"]
    assert printed[-2].split()[:3] == ["a", "2", f"{first:.2f}"]


def test_a_lower_ter_is_better_in_a_comparison(write):
    files = ("--reference", write("reference", REFERENCE * 3), "--metric", "TER", "--test", "sign")
    system, baseline = write("system", REFERENCE * 3), write("baseline", BASELINE * 3)
    record = json.loads(output("compare", "--baseline", baseline, "--hypotheses", system, *files, "--json"))
    ((row,),) = (group["comparisons"] for group in record["systems"])
    assert row["difference"] < 0 and (row["better"], row["worse"]) == (12, 0)


def test_a_score_has_an_interval_and_a_single_unit_has_none(write):
    files = ("--hypotheses", write("system", SYSTEM * 3), "--reference", write("reference", REFERENCE * 3))
    names = ("--documents", write("names", ["a"] * 12))
    of_sentences, of_document = scores(*files, *names).values()
    interval = of_sentences["interval"]
    assert 0 < interval["low"] <= of_sentences["score"] <= interval["high"] < 100
    assert of_document["unit"] == "d" and of_document["interval"] is None
    printed = output("score", *files, *names).splitlines()
    assert printed[1].endswith(f"{interval['low']:.2f} to {interval['high']:.2f}")
    assert printed[2].split()[-1] == "-"


def test_signatures_say_which_family_and_unit_they_are_of(write):
    reference = write("reference", REFERENCE)
    systems = ("--hypotheses", write("one", SYSTEM), "--hypotheses", write("two", BASELINE))
    families = ("--family", "13a", "--family", "tokenized")
    records = json.loads(output("score", *systems, "--reference", reference, *families, "--json"))
    plain, tokenized = records[0]["scores"]
    printed = output("score", *systems, "--reference", reference, *families).splitlines()
    assert [line.split()[2] for line in printed[1:5]] == ["13a", "tokenized"] * 2
    assert printed[5:] == [
        "",
        f"signature of 13a, sentences: {plain['signature']}",
        f"signature of tokenized, sentences: {tokenized['signature']}",
        f"95 % intervals: {plain['interval']['signature']}",
    ], "each once for both systems"


def test_several_systems_are_scored_at_once_each_as_alone(write):
    reference = ("--reference", write("reference", REFERENCE), "--documents", write("names", list("aabb")))
    first, second = write("one", SYSTEM), write("two", BASELINE)
    records = json.loads(output("score", "--hypotheses", first, "--hypotheses", second, *reference, "--json"))
    assert [record["system"] for record in records] == [str(first), str(second)]
    for path, record in zip((first, second), records, strict=True):
        assert record["scores"] == list(scores("--hypotheses", path, *reference).values())
        assert "by_document" not in record


@pytest.mark.parametrize("test", ["bootstrap", "sign"])
def test_systems_are_compared_with_a_baseline(write, test):
    documents = [name for name in "abcdef" for _ in range(6)]
    files = ("--reference", write("reference", REFERENCE * 9), "--documents", write("names", documents))
    system, baseline = write("system", SYSTEM * 9), write("baseline", BASELINE * 9)
    arguments = ("--baseline", baseline, "--hypotheses", system, "--hypotheses", baseline, *files, "--test", test)
    record = json.loads(output("compare", *arguments, "--json"))
    assert record["baseline"] == str(baseline)
    assert [row["system"] for row in record["systems"]] == [str(system), str(baseline)]
    ours, same = (row["comparisons"] for row in record["systems"])
    assert [(row["family"], row["unit"]) for row in ours] == [("13a", "s"), ("13a", "d")]
    expected = [sacrebleu.corpus_bleu(lines * 9, [REFERENCE * 9]).score for lines in (SYSTEM, BASELINE)]
    assert [ours[0]["system_score"], ours[0]["baseline_score"]] == pytest.approx(expected)
    assert ours[0]["difference"] == pytest.approx(expected[0] - expected[1])
    assert ours[0]["signature"].startswith(f"{test}|unit:sentences|units:36|")
    assert ours[1]["signature"].startswith(f"{test}|unit:documents|units:6|")
    assert [row["p"] for row in same] == [1.0, None]
    assert [row["untested"] for row in same] == ["", "too few documents to test: 6 of 30"]
    for row in ours:
        assert row["interval"]["low"] <= row["difference"] <= row["interval"]["high"]
        assert row["score_signature"].endswith({"s": "|unit:s", "d": "|unit:d|documents:6"}[row["unit"]])
    assert {(row["interval"]["low"], row["interval"]["high"]) for row in same} == {(0.0, 0.0)}
    printed = output("compare", *arguments).splitlines()
    assert " ".join(printed[0].split()) == "system metric family unit baseline score difference 95 % p"
    assert printed[1].split()[1:7] == [
        "BLEU",
        "13a",
        "s",
        f"{expected[1]:.2f}",
        f"{expected[0]:.2f}",
        f"{expected[0] - expected[1]:+.2f}",
    ]
    interval = ours[0]["interval"]
    assert f" {interval['low']:+.2f} to {interval['high']:+.2f} " in printed[1]
    for text in (
        f"baseline: {baseline}",
        f"signature of 13a, sentences: {ours[0]['score_signature']}",
        f"p-values over sentences: {ours[0]['signature']}",
        f"95 % intervals: {interval['signature']}",
        "no p-values over documents: too few documents to test: 6 of 30",
    ):
        assert text in printed


def test_a_mark_stands_beside_a_difference_that_is_no_chance(write):
    reference = [f"{line} {number}" for number in range(10) for line in REFERENCE]
    files = ("--reference", write("reference", reference))
    system, baseline = write("system", reference), write("baseline", BASELINE * 10)
    printed = output("compare", "--baseline", baseline, "--hypotheses", system, *files).splitlines()
    assert printed[1].endswith("‡")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--hypotheses", "fewer"), r"fewer: a different number of lines\n  found 3; expected 4, as in .*reference"),
        (("--hypotheses", "text", "--reference", "borders"), r"text:3: text on a line where the references have a b"),
        (("--hypotheses", "fewer", "--lines", "documents"), r"reference: lines that are documents need documents"),
        (
            ("--hypotheses", "fewer", "--lines", "documents", "--documents", "names"),
            "found 3; expected 2, one for each",
        ),
        (("--hypotheses", "system", "--documents", "fewer"), "fewer: a different number of lines"),
        (("--hypotheses", "system", "--instances", "fewer"), "fewer: a different number of lines"),
        (("--hypotheses", "system", "--by-document"), "reference: no documents\n  name each line's document"),
        (
            ("--hypotheses", "system", "--reference", "fewer"),
            r"fewer: a different number of lines\n  found 3; expected 4",
        ),
        (("--hypotheses", "system", "--reference", "empty"), "empty: no sentences"),
        (("--hypotheses", "nowhere"), "nowhere: file not found"),
        (("--hypotheses", "system", "--metric", "chr"), "unknown metric\n  found chr\n  did you mean 'chrF'"),
        (
            ("--hypotheses", "whole", "--lines", "documents", "--documents", "names", "--metric", "TER"),
            "no metric of documents\n  found TER; expected a",
        ),
    ],
)
def test_files_that_do_not_fit_are_refused(write, tmp_path, arguments, message):
    contents = {
        "reference": REFERENCE,
        "borders": BORDERS,
        "system": SYSTEM,
        "text": [*REFERENCE, "more"],
        "fewer": SYSTEM[:3],
        "names": list("aabb"),
        "whole": SYSTEM[:2],
        "empty": [],
    }
    for name, lines in contents.items():
        write(name, lines)
    named = [str(tmp_path / part) if part in contents or part == "nowhere" else part for part in arguments]
    first = [] if "borders" in arguments or "empty" in arguments else ["--reference", str(tmp_path / "reference")]
    with pytest.raises(UserError, match=message):
        output("score", *first, *named)
