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
from docmt.settings.metrics import bleu_name

REFERENCE = ["The cat sat on the mat.", "It was a black cat.", "A dog barked at it.", "Nobody saw the dog there."]
SYSTEM = ["The cat sat on a mat.", "It was a black cat.", "", "Nobody saw that dog there."]
BASELINE = ["The cats sit on a mat.", "It was a cat.", "A dog barks.", "Nobody saw that dog there."]
BORDERS = [*REFERENCE[:2], "", *REFERENCE[2:]]


def scores(*arguments: object) -> dict[str, dict]:
    """Return the scores of a system by metric, without its name."""
    rows = json.loads(output("score", *arguments, "--json"))
    return {row["metric"]: row for row in rows if row.pop("system")}


def test_blank_lines_or_a_file_of_names_say_what_the_documents_are(write):
    reference, borders = write("reference", REFERENCE), write("borders", BORDERS)
    system, blank = write("system", SYSTEM), write("blank", [*SYSTEM[:2], "", *SYSTEM[2:]])
    named = scores("--hypotheses", system, "--reference", reference, "--documents", write("names", list("aabb")))
    by_blank = scores("--hypotheses", blank, "--reference", borders)
    assert named == by_blank
    assert named["s-BLEU"]["value"] == sacrebleu.corpus_bleu(SYSTEM, [REFERENCE]).score
    joined = [[f"{lines[0]} {lines[1]}", f"{lines[2]} {lines[3]}"] for lines in (SYSTEM, REFERENCE)]
    assert named["d-BLEU"]["value"] == sacrebleu.corpus_bleu(joined[0], [joined[1]]).score
    assert named["d-BLEU"]["signature"].endswith("|unit:d|documents:2")
    assert list(scores("--hypotheses", system, "--reference", reference)) == ["s-BLEU"]


def test_instances_are_named_like_documents(write):
    files = ("--hypotheses", write("system", SYSTEM), "--reference", write("reference", REFERENCE))
    unit = scores(*files, "--instances", write("tokens512", list("aaab")))["i-BLEU"]
    assert unit["signature"].endswith("|unit:i|view:tokens512|instances:2")


def test_several_references_of_which_a_line_may_lack_some(write):
    second = ["The cat sat on a mat.", "", "A dog!", ""]
    files = [
        part
        for name in ("one", "two")
        for part in ("--reference", write(name, {"one": REFERENCE, "two": second}[name]))
    ]
    score = scores("--hypotheses", write("system", SYSTEM), *files)["s-BLEU"]
    assert score["signature"].startswith("nrefs:var|")
    streams = [REFERENCE, [line or None for line in second]]
    assert score["value"] == sacrebleu.BLEU().corpus_score(SYSTEM, streams).score


def test_a_line_may_be_a_document(write):
    whole = [" ".join(SYSTEM[:2]), " ".join(SYSTEM[2:])]
    files = ("--reference", write("reference", REFERENCE), "--documents", write("names", list("aabb")))
    by_document = scores("--hypotheses", write("whole", whole), *files, "--lines", "documents")
    by_sentence = scores("--hypotheses", write("system", SYSTEM), *files)
    assert by_document == {"d-BLEU": by_sentence["d-BLEU"]}


def test_json_has_the_parts_of_bleu(write):
    """The brevity penalty, the length ratio and the precisions of n-grams."""
    files = ("--hypotheses", write("system", SYSTEM), "--reference", write("reference", REFERENCE))
    bleu, ter = scores(*files, "--metric", "BLEU", "--metric", "TER").values()
    theirs = sacrebleu.corpus_bleu(SYSTEM, [REFERENCE])
    assert [*bleu["facts"].values()] == [theirs.bp, theirs.ratio, *theirs.precisions]
    assert [*bleu["facts"]][:3] == ["brevity_penalty", "length_ratio", "precision1"] and ter["facts"] == {}


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
    score = scores(*files)["s-BLEU"]["value"]
    theirs = sacrebleu.BLEU(trg_lang=language).corpus_score(texts["hypotheses"], [texts["reference"]]).score
    assert score == theirs and (score == 0) == is_told


@pytest.mark.parametrize("hypotheses", [["Short text"], ["One two three four five.", "", ""]], ids=["short", "empty"])
def test_short_and_empty_lines_have_the_numbers_of_sacrebleu(write, hypotheses):
    references = ["Short text"] if len(hypotheses) == 1 else ["One two three four five.", "Six.", "Seven eight."]
    files = ("--hypotheses", write("system", hypotheses), "--reference", write("reference", references))
    every = scores(*files, "--family", "all")
    for family, choice in FAMILIES.items():
        value = every[bleu_name(family, "s")]["value"]
        theirs = choice.metric("en").corpus_score(hypotheses, [references]).score
        assert value == pytest.approx(theirs) and (value == 0) == (len(hypotheses) == 1)


def test_the_table_has_a_line_for_each_family_and_unit_and_for_each_document(write):
    files = ("--hypotheses", write("system", SYSTEM), "--reference", write("reference", REFERENCE))
    names = ("--documents", write("names", ["a", "a", "b", "b"]))
    printed = output("score", *files, *names, "--family", "all", "--by-document").splitlines()
    assert printed[0].split() == ["system", "metric", "score", "95", "%", "n"]
    names = [bleu_name(family, unit) for family in FAMILIES for unit in "sd"]
    assert all(line.startswith(f"{files[1]}  {name} ") for line, name in zip(printed[1:9], names, strict=True))
    assert printed[1].split()[2] == f"{sacrebleu.corpus_bleu(SYSTEM, [REFERENCE]).score:.2f}"
    assert [line.split()[:3] for line in printed[12:14]] == [
        [name, "2", f"{sacrebleu.corpus_bleu(SYSTEM[part], [REFERENCE[part]]).score:.2f}"]
        for name, part in (("a", slice(2)), ("b", slice(2, 4)))
    ]


def test_families_are_named_or_all_and_none_is_scored_twice(write):
    files = ("--hypotheses", write("system", SYSTEM), "--reference", write("reference", REFERENCE))
    assert [*scores(*files, "--family", "all")] == [bleu_name(family, "s") for family in FAMILIES]
    named = ("--family", "tokenized", "--family", "13a_lower", "--family", "tokenized")
    every = scores(*files, "--family", "all")
    assert scores(*files, *named) == {name: every[name] for name in ("mteval s-BLEU", "cased multi-bleu s-BLEU")}
    with pytest.raises(UserError, match="unknown family of BLEU\\n  found 13b\\n  did you mean '13a'"):
        output("score", *files, "--family", "13b")


def test_chrf_and_ter_stand_beside_bleu_and_are_those_of_sacrebleu(write):
    files = ("--hypotheses", write("system", SYSTEM), "--reference", write("reference", REFERENCE))
    names = ("--documents", write("names", list("aabb")))
    every = scores(*files, *names, "--metric", "all")
    assert [*every] == ["s-BLEU", "d-BLEU", "s-chrF", "d-chrF", "s-chrF++", "d-chrF++", "s-TER"]
    theirs = {"chrF": sacrebleu.CHRF(), "chrF++": sacrebleu.CHRF(word_order=2), "TER": sacrebleu.TER()}
    for name, metric in theirs.items():
        score = every[f"s-{name}"]
        assert score["value"] == pytest.approx(metric.corpus_score(SYSTEM, [REFERENCE]).score)
        assert score["signature"] == f"{metric.get_signature()}|unit:s"
        assert score["low"] <= score["value"] <= score["high"]
    assert scores(*files, "--metric", "TER", "--metric", "TER") == {"s-TER": every["s-TER"]}
    printed = output("score", *files, *names, "--metric", "chrF", "--metric", "TER", "--by-document").splitlines()
    assert [line.split()[1] for line in printed[1:4]] == ["s-chrF", "d-chrF", "s-TER"]
    assert f"signature of s-TER: {every['s-TER']['signature']}" in printed
    first = sacrebleu.CHRF().corpus_score(SYSTEM[:2], [REFERENCE[:2]]).score
    (head,) = (number for number, line in enumerate(printed) if line.startswith("document "))
    assert printed[head].split() == ["document", "sentences", "s-chrF", "d-chrF", "s-TER"]
    assert printed[head + 1].split()[:3] == ["a", "2", f"{first:.2f}"]


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
    assert 0 < of_sentences["low"] <= of_sentences["value"] <= of_sentences["high"] < 100
    assert (of_document["metric"], of_document["interval"]) == ("d-BLEU", None)
    printed = output("score", *files, *names).splitlines()
    assert f"{of_sentences['low']:.2f} to {of_sentences['high']:.2f} " in printed[1]
    assert printed[2].split()[-2:] == ["-", "1"]


def test_signatures_say_which_family_and_unit_they_are_of(write):
    reference = write("reference", REFERENCE)
    systems = ("--hypotheses", write("one", SYSTEM), "--hypotheses", write("two", BASELINE))
    families = ("--family", "13a", "--family", "tokenized")
    records = json.loads(output("score", *systems, "--reference", reference, *families, "--json"))
    plain, tokenized = records[:2]
    printed = output("score", *systems, "--reference", reference, *families).splitlines()
    assert printed[5:] == [
        "",
        f"signature of s-BLEU: {plain['signature']}",
        f"signature of cased multi-bleu s-BLEU: {tokenized['signature']}",
        f"95 % intervals: {plain['interval']}",
    ], "each once for both systems"


def test_several_systems_are_scored_at_once_each_as_alone(write):
    reference = ("--reference", write("reference", REFERENCE), "--documents", write("names", list("aabb")))
    first, second = write("one", SYSTEM), write("two", BASELINE)
    records = json.loads(output("score", "--hypotheses", first, "--hypotheses", second, *reference, "--json"))
    assert [record["system"] for record in records] == [str(first)] * 2 + [str(second)] * 2
    alone = [row for path in (first, second) for row in scores("--hypotheses", path, *reference).values()]
    assert [{**row, "system": record["system"]} for row, record in zip(alone, records, strict=True)] == records


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
    assert [row["metric"] for row in ours] == ["s-BLEU", "d-BLEU"]
    expected = [sacrebleu.corpus_bleu(lines * 9, [REFERENCE * 9]).score for lines in (SYSTEM, BASELINE)]
    assert [ours[0]["system_score"], ours[0]["baseline_score"]] == pytest.approx(expected)
    assert ours[0]["difference"] == pytest.approx(expected[0] - expected[1])
    assert ours[0]["test"].startswith(f"{test}|unit:sentences|units:36|")
    assert ours[1]["test"].startswith(f"{test}|unit:documents|units:6|")
    assert [row["p"] for row in same] == [1.0, None]
    assert [row["untested"] for row in same] == ["", "too few documents to test: 6 of 30"]
    for row in ours:
        assert row["low"] <= row["difference"] <= row["high"]
        assert row["signature"].endswith({"s": "|unit:s", "d": "|unit:d|documents:6"}[row["metric"][0]])
    assert {(row["low"], row["high"]) for row in same} == {(0.0, 0.0)}
    printed = output("compare", *arguments).splitlines()
    assert " ".join(printed[0].split()) == "system metric baseline score difference 95 % p"
    assert printed[1].split()[1:5] == [
        "s-BLEU",
        f"{expected[1]:.2f}",
        f"{expected[0]:.2f}",
        f"{expected[0] - expected[1]:+.2f}",
    ]
    assert f" {ours[0]['low']:+.2f} to {ours[0]['high']:+.2f} " in printed[1]
    for text in (
        f"baseline: {baseline}",
        f"signature of s-BLEU: {ours[0]['signature']}",
        f"p-values: {ours[0]['test']}",
        f"95 % intervals: {ours[0]['interval']}",
        "no p-value of d-BLEU: too few documents to test: 6 of 30",
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
            "this metric cannot score lines that are documents\n  found TER; expected a",
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
