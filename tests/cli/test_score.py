"""`docmt score` and `docmt compare` on plain files."""

import json
from pathlib import Path

import pytest
import sacrebleu
from typer import Typer
from typer.testing import CliRunner

from docmt.base.errors import UserError
from docmt.cli.score import compare, score
from docmt.scoring.plain_files import read_plain_files

REFERENCE = ["The cat sat on the mat.", "It was a black cat.", "A dog barked at it.", "Nobody saw the dog there."]
SYSTEM = ["The cat sat on a mat.", "It was a black cat.", "", "Nobody saw that dog there."]
BASELINE = ["The cats sit on a mat.", "It was a cat.", "A dog barks.", "Nobody saw that dog there."]
BORDERS = [*REFERENCE[:2], "", *REFERENCE[2:]]


@pytest.fixture
def write(tmp_path):
    def write(name: str, lines: list[str]) -> Path:
        (tmp_path / name).write_bytes("".join(line + "\n" for line in lines).encode())
        return tmp_path / name

    return write


def command(function, *arguments: object) -> str:
    app = Typer()
    app.command()(function)
    return CliRunner().invoke(app, [str(part) for part in arguments], catch_exceptions=False).stdout


def scores(*arguments: object) -> dict:
    return json.loads(command(score, *arguments, "--json"))


def test_blank_lines_or_a_file_of_names_say_what_the_documents_are(write):
    reference, borders = write("reference", REFERENCE), write("borders", BORDERS)
    system, blank = write("system", SYSTEM), write("blank", [*SYSTEM[:2], "", *SYSTEM[2:]])
    named = scores("--hypotheses", system, "--reference", reference, "--documents", write("names", list("aabb")))
    by_blank = scores("--hypotheses", blank, "--reference", borders)
    assert named["bleu"] == by_blank["bleu"]
    assert named["bleu"]["13a"]["s"]["score"] == sacrebleu.corpus_bleu(SYSTEM, [REFERENCE]).score
    joined = [[f"{lines[0]} {lines[1]}", f"{lines[2]} {lines[3]}"] for lines in (SYSTEM, REFERENCE)]
    assert named["bleu"]["13a"]["d"]["score"] == sacrebleu.corpus_bleu(joined[0], [joined[1]]).score
    assert named["bleu"]["13a"]["d"]["signature"].endswith("|unit:d|documents:2")
    assert list(scores("--hypotheses", system, "--reference", reference)["bleu"]["13a"]) == ["s"]


def test_instances_are_named_like_documents(write):
    files = ("--hypotheses", write("system", SYSTEM), "--reference", write("reference", REFERENCE))
    unit = scores(*files, "--instances", write("tokens512", list("aaab")))["bleu"]["13a"]["i"]
    assert unit["signature"].endswith("|unit:i|view:tokens512|instances:2")


def test_several_references_of_which_a_line_may_lack_some(write):
    second = ["The cat sat on a mat.", "", "A dog!", ""]
    files = [
        part
        for name in ("one", "two")
        for part in ("--reference", write(name, {"one": REFERENCE, "two": second}[name]))
    ]
    found = scores("--hypotheses", write("system", SYSTEM), *files)["bleu"]["13a"]["s"]
    assert found["signature"].startswith("nrefs:var|")
    streams = [REFERENCE, [line or None for line in second]]
    assert found["score"] == sacrebleu.BLEU().corpus_score(SYSTEM, streams).score


def test_with_named_documents_a_blank_line_is_a_sentence(write):
    files = read_plain_files([write("borders", BORDERS)], write("names", list("aabbb")))
    assert files.references.raw[0][2] == "" and files.references.documents == tuple("aabbb")


def test_a_line_may_be_a_document(write):
    whole = [" ".join(SYSTEM[:2]), " ".join(SYSTEM[2:])]
    files = ("--reference", write("reference", REFERENCE), "--documents", write("names", list("aabb")))
    found = scores("--hypotheses", write("whole", whole), *files, "--lines", "documents")["bleu"]
    assert list(found["13a"]) == ["d"]
    assert found["13a"]["d"] == scores("--hypotheses", write("system", SYSTEM), *files)["bleu"]["13a"]["d"]


def test_the_table_has_a_line_for_each_family_and_unit_and_for_each_document(write):
    files = ("--hypotheses", write("system", SYSTEM), "--reference", write("reference", REFERENCE))
    shown = command(score, *files, "--documents", write("names", ["a", "a", "b", "b"]), "--by-document").splitlines()
    assert shown[0].split() == ["family", "unit", "BLEU", "signature"]
    assert [line.split()[:2] for line in shown[1:9]] == [
        [family, unit] for family in ("13a", "13a_lower", "tokenized_lower", "tokenized") for unit in "sd"
    ]
    assert shown[1].split()[2] == f"{sacrebleu.corpus_bleu(SYSTEM, [REFERENCE]).score:.2f}"
    assert [line.split()[:3] for line in shown[-2:]] == [
        [name, "2", f"{sacrebleu.corpus_bleu(SYSTEM[part], [REFERENCE[part]]).score:.2f}"]
        for name, part in (("a", slice(2)), ("b", slice(2, 4)))
    ]


@pytest.mark.parametrize("test", ["bootstrap", "sign"])
def test_systems_are_compared_with_a_baseline(write, test):
    files = ("--reference", write("reference", REFERENCE * 3), "--documents", write("names", list("aabbccddeeff")))
    system, baseline = write("system", SYSTEM * 3), write("baseline", BASELINE * 3)
    arguments = ("--baseline", baseline, "--system", system, "--system", baseline, *files, "--test", test)
    found = json.loads(command(compare, *arguments, "--json"))
    assert [one["system"] for one in found["systems"]] == [str(system), str(baseline)]
    ours, same = (one["comparisons"] for one in found["systems"])
    assert [(one["family"], one["unit"]) for one in ours[:2]] == [("13a", "s"), ("13a", "d")]
    expected = [sacrebleu.corpus_bleu(lines * 3, [REFERENCE * 3]).score for lines in (SYSTEM, BASELINE)]
    assert [ours[0]["system_score"], ours[0]["baseline_score"]] == pytest.approx(expected)
    assert ours[0]["difference"] == pytest.approx(expected[0] - expected[1])
    assert ours[0]["signature"].startswith(f"{test}|unit:sentences|units:12|")
    assert ours[1]["signature"].startswith(f"{test}|unit:documents|units:6|")
    assert {one["p"] for one in same} == {1.0}
    shown = command(compare, *arguments).splitlines()
    assert shown[1].split()[1:6] == [
        "13a",
        "s",
        f"{expected[1]:.2f}",
        f"{expected[0]:.2f}",
        f"{expected[0] - expected[1]:+.2f}",
    ]
    assert ours[0]["signature"] in shown and f"baseline: {baseline}" in shown


def test_a_mark_stands_beside_a_difference_that_is_no_chance(write):
    reference = [f"{line} {number}" for number in range(10) for line in REFERENCE]
    files = ("--reference", write("reference", reference))
    system, baseline = write("system", reference), write("baseline", BASELINE * 10)
    shown = command(compare, "--baseline", baseline, "--system", system, *files).splitlines()
    assert shown[1].endswith("‡")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--hypotheses", "fewer"), r"fewer: another number of lines\n  found 3; expected 4, as in .*reference"),
        (("--hypotheses", "text", "--reference", "borders"), r"text:3: text where the references have a border"),
        (("--hypotheses", "fewer", "--lines", "documents"), r"reference: lines that are documents need documents"),
        (
            ("--hypotheses", "fewer", "--lines", "documents", "--documents", "names"),
            "found 3; expected 2, one for each",
        ),
        (("--hypotheses", "system", "--documents", "fewer"), "fewer: another number of lines"),
        (("--hypotheses", "system", "--instances", "fewer"), "fewer: another number of lines"),
        (("--hypotheses", "system", "--by-document"), "reference: no documents\n  name each line's document"),
        (("--hypotheses", "system", "--reference", "fewer"), r"fewer: another number of lines\n  found 3; expected 4"),
        (("--hypotheses", "system", "--reference", "empty"), "empty: no sentences"),
        (("--hypotheses", "nowhere"), "nowhere: file not found"),
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
        "empty": [],
    }
    for name, lines in contents.items():
        write(name, lines)
    named = [str(tmp_path / part) if part in contents or part == "nowhere" else part for part in arguments]
    first = [] if "borders" in arguments or "empty" in arguments else ["--reference", str(tmp_path / "reference")]
    with pytest.raises(UserError, match=message):
        command(score, *first, *named)
