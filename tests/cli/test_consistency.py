"""`docmt score-consistency` on plain files."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.command_line import output, succeed

import docmt
from docmt.base.errors import UserError
from docmt.cli.consistency import rules_of
from docmt.scoring.alignment.links import DirectedLinks
from docmt.scoring.alignment.training import ALIGNER_NAME
from docmt.scoring.chain_scores import AlignedTranslations, StopList, StopLists, most_frequent
from docmt.scoring.consistency import consistency_tallies
from docmt.scoring.intervals import scores_of
from docmt.scoring.occurrences import signature, translated_chains
from docmt.settings.scoring import ConsistencyConfig

SOURCE = ["猫 坐 。", "黑 猫 。", "狗 叫 。", "黑 狗 。"]
SYSTEM = ["the cat sits .", "black kitty .", "the dog barks .", "a black dog ."]
LINKS = ["0-1 1-2 2-3", "0-0 1-1 2-2", "0-1 1-2 2-3", "0-1 1-2 2-3"]
NAMES = list("aabb")
WORDS = {"猫": "cat", "坐": "sits", "黑": "black", "狗": "dog", "叫": "barks", "。": "."}
TRAINING = [[source for source in WORDS for _ in range(3)], [target for target in WORDS.values() for _ in range(3)]]


@pytest.fixture
def files(write) -> list[str | Path]:
    """One system, and links of its words."""
    paths = {"source": SOURCE, "hypotheses": SYSTEM, "links": LINKS, "documents": NAMES}
    return [part for name, lines in paths.items() for part in (f"--{name}", write(name, lines))]


def command(*arguments: object) -> str:
    return output("score-consistency", *arguments)


def scores(*arguments: object) -> dict[str, dict]:
    """Return LTCR and HHI without the name of their system."""
    rows = json.loads(command(*arguments, "--json"))
    return {row.pop("metric"): row for row in rows if row.pop("system")}


NO_STOP_WORDS = ("--rule", "source_stop_words=0", "--rule", "target_stop_words=0")


def test_the_files_are_scored_as_the_functions_do(files):
    """Chains are 猫 and 。 in one document, 狗 and 。 in the other."""
    links = [frozenset(tuple(map(int, pair.split("-"))) for pair in line.split()) for line in LINKS]
    aligned = [DirectedLinks.symmetric(sentence_links) for sentence_links in links]
    lists = StopLists(StopList(frozenset(), "none"), StopList(frozenset(), "none"))
    for config in (ConsistencyConfig(), ConsistencyConfig(target_punctuation=True, match="overlap", average="macro")):
        rules = [f"{name}={getattr(config, name)}" for name in ("target_punctuation", "match", "average")]
        given = [part for rule in rules for part in ("--rule", rule)]
        chains = translated_chains(AlignedTranslations(NAMES, SOURCE, SYSTEM, aligned), lists, config)
        of = signature(config, lists, "given")
        expected = scores_of(consistency_tallies(chains, list(dict.fromkeys(NAMES)), config, of))
        for score, row in zip(expected, scores(*files, *NO_STOP_WORDS, *given).values(), strict=True):
            assert score.interval, "of two documents"
            assert {"metric": score.metric, **row} == {**vars(score), "reason": None}
    default = scores(*files, *NO_STOP_WORDS)["LTCR"]
    assert default["facts"] == {"chains": 4, "pairs": 4, "occurrences": 8, "unaligned": 4}
    assert default["value"] == 25, "狗 alone: full stops are no translations, and so agree with nothing"


def test_blank_lines_between_documents_do_the_same(files, write):
    def bordered(name: str, lines: list[str]) -> Path:
        return write(name, [*lines[:2], "", *lines[2:]])

    paths = {"source": SOURCE, "hypotheses": SYSTEM, "links": LINKS}
    given = [part for name, lines in paths.items() for part in (f"--{name}", bordered(f"{name}.borders", lines))]
    assert scores(*given, *NO_STOP_WORDS) == scores(*files, *NO_STOP_WORDS)


def test_without_links_the_default_aligner_learns_from_the_given_text(files, write):
    plain = [part for part in files if part != "--links" and getattr(part, "name", "") != "links"]
    text = ["--train-source", write("train.zh", TRAINING[0]), "--train-target", write("train.en", TRAINING[1])]
    rules = ("--rule", "source_stop_words=1", "--rule", "target_stop_words=0")
    score = scores(*plain, *text, *rules)["LTCR"]
    assert f"|nochain:top1|aligner:{ALIGNER_NAME}|" in score["signature"]
    # Equally frequent: 。 comes first in the order of code points, and the others are 猫 and 狗.
    assert (score["facts"]["chains"], score["value"]) == (2, 50)
    text_signature = scores(*plain, *rules)["LTCR"]["signature"]
    assert f"|nochain:top1-of-own-lines|aligner:{ALIGNER_NAME}-of-own-lines|" in text_signature


def test_a_system_is_scored_alike_whatever_stands_beside_it(files, write):
    plain = [part for part in files if part != "--links" and getattr(part, "name", "") != "links"]
    alone = scores(*plain, "--rule", "source_stop_words=0")
    other = write("other", SYSTEM[::-1])
    rows = json.loads(command(*plain, "--hypotheses", other, "--rule", "source_stop_words=0", "--json"))
    assert [row["system"] for row in rows[2:]] == [str(other)] * 2
    assert {row["metric"]: row["value"] for row in rows[:2]} == {name: row["value"] for name, row in alone.items()}


def test_pieces_are_chains_of_their_own(files, write):
    pieces = write("pieces", [line.replace("狗", "小@@ 狗") for line in SOURCE])
    given = ["--source", pieces, "--hypotheses", files[3], "--documents", files[7], "--rule", "chains=pieces"]
    assert scores(*given, "--rule", "source_stop_words=1")["HHI"]["n"] == 3, "猫, 小@@, 狗; 。 is the stop word"


def test_the_table_names_counts_and_signatures(files):
    head, ltcr, hhi, _, *signatures = command(*files, *NO_STOP_WORDS).splitlines()
    counts = ["chains", "pairs", "occurrences", "unaligned"]
    assert head.split() == ["system", "metric", "score", "95", "%", "n", *counts]
    assert (ltcr.split()[1:3], ltcr.split()[-4:]) == (["LTCR", "25.00"], ["4", "4", "8", "4"])
    starts = ["signature of LTCR: LTCR", "signature of HHI: HHI", "95 % intervals: bootstrap"]
    assert [text.split("|")[0] for text in signatures] == starts and hhi.split()[1] == "HHI"


def test_a_stop_list_of_a_file(files, write):
    score = scores(*files, "--source-stop-list", write("stop", ["。", "狗"]), "--rule", "target_stop_words=0")["LTCR"]
    assert (score["facts"]["chains"], score["value"]) == (1, 0)
    assert "|nochain:stop-" in score["signature"]


def test_files_that_do_not_correspond_are_refused(files, write):
    source, three = files[1], write("three", SYSTEM[:3])
    beyond = write("beyond", [*LINKS[:3], "0-1 1-9"])
    plain = [part for part in files if part not in ("--links", files[5])]
    cases = [
        ([*files, "--hypotheses", three], "three: a different number of lines\n  found 3; expected 4, as in"),
        ([*files, "--train-source", source, "--train-target", three], "three: a different number of lines\n  found 3;"),
        ([*files, "--links", files[5]], "--links: a different number of files of links\n  found 2; expected 1, one"),
        (
            [*plain, "--links", three],
            "three: the file must have one line for each sentence pair\n  found 3; expected 4",
        ),
        ([*plain, "--links", beyond], "beyond:4: a link to a word that is not there\n  found 1-9"),
        (
            [*plain, "--aligner", "x"],
            "--aligner: the option names the aligner of the files --links, and no such file is given",
        ),
        (files[:4], "source: no documents"),
        ([*files, "--train-source", source], "training text needs both sides"),
    ]
    for arguments, message in cases:
        with pytest.raises(UserError) as refused:
            command(*arguments)
        assert message in str(refused.value)


def test_whoever_made_the_links_is_in_the_signature(files):
    score = scores(*files, *NO_STOP_WORDS, "--aligner", "awesome-align")
    assert all("|aligner:awesome-align|" in row["signature"] for row in score.values())


def test_rules_are_the_settings():
    assert rules_of(["match=fuzzy", "similarity=0.5", "source_stop_words=3"]) == replace(
        ConsistencyConfig(), match="fuzzy", similarity=0.5, source_stop_words=3
    )
    assert most_frequent(["a a b"], 1, "-x").name == "top1-x"


def without_links(files: list[str | Path]) -> list[str | Path]:
    """Return the arguments of a system without the links of its words."""
    place = files.index("--links")
    return [*files[:place], *files[place + 2 :]]


def reason(*arguments: object) -> str:
    """Return why nothing is counted, which both forms of output say, beside scores that are not there."""
    for row in scores(*arguments).values():
        assert (row["value"], row["low"], row["n"]) == (None, None, 0)
    done = succeed("score-consistency", *arguments)
    assert [line.split()[2:5] for line in done.stdout.splitlines()[1:3]] == [["-", "-", "0"]] * 2
    assert done.stderr.endswith(f"nothing to count: {row['reason']}\n")
    return row["reason"]


def test_repeated_words_that_are_all_stop_words_are_no_chains(files):
    """The list, its size and what to do instead are named."""
    text = reason(*files, "--rule", "source_stop_words=99")
    assert text.startswith("all 4 repeated words of the source documents are stop words (list top99-of-own-lines, 6 ")
    for option in ("--train-source", "--train-target", "--source-stop-list", "--rule source_stop_words=0"):
        assert option in text


def test_a_stop_list_of_a_file_that_leaves_no_chain_is_named(files, write):
    text = reason(*files, "--source-stop-list", write("stop", ["猫", "狗", "。"]))
    assert "are stop words (list stop-" in text and ", 3 words)" in text


def test_documents_that_repeat_no_word_have_no_chains(files, write):
    lines = {"source": ["猫 坐", "狗 叫"], "hypotheses": ["cats sit", "dogs bark"], "links": ["0-0 1-1"] * 2}
    given = [part for name, text in {**lines, "documents": "aa"}.items() for part in (f"--{name}", write(name, text))]
    assert reason(*given) == reason(*without_links(given))
    assert re.fullmatch(r"no document of the source repeats a word; the source has \d+ words, .*spaces", reason(*given))


SKIP = (*NO_STOP_WORDS, "--rule", "unaligned=skip")
"""Occurrences without a translation are left out, instead of counting as a translation of their own."""


def test_occurrences_of_which_no_two_of_a_chain_are_aligned_are_counted_all_the_same(files, write):
    """Two chains in each document, with two occurrences each; 猫 of the first line is the one that is aligned."""
    given = [*without_links(files), "--links", write("few", ["0-0", "", "", "0-0"]), *SKIP]
    assert reason(*given) == "4 lexical chains with 8 occurrences, but none has two aligned translations"
    assert scores(*given)["HHI"]["facts"] == {"chains": 0, "pairs": 0, "occurrences": 8, "unaligned": 7}


def test_a_system_without_anything_to_count_stands_beside_one_that_has(files, write):
    second = ["--hypotheses", write("other", SYSTEM), "--links", write("none", [""] * 4)]
    ltcr, _, other, _ = json.loads(command(*files, *second, *SKIP, "--json"))
    assert ltcr["value"] == 50 == scores(*files, *SKIP)["LTCR"]["value"] and ltcr["reason"] is None
    assert other["value"] is None and "none has two aligned translations" in other["reason"]


UNCUT = {
    "pieces": (
        SOURCE,
        ["the c@@ at sits .", "black k@@ itty .", "the dog barks .", "a black dog ."],
        "end words in @@",
    ),
    "plain text": (SOURCE, ["The cat sits.", "A black kitty.", "The dog barks.", "A black dog."], "end in a full stop"),
    "uncut source": (
        ["猫坐在那里。", "黑猫在那里。", "狗叫了一声。", "黑狗在那里。"],
        SYSTEM,
        "are in a script without",
    ),
}


@pytest.mark.parametrize("what", UNCUT)
def test_text_that_is_not_tokens_between_spaces_is_told(write, what):
    source, system, sign = UNCUT[what]
    files = ("--source", write("source", source), "--documents", write("names", NAMES))
    told = succeed("score-consistency", *files, "--hypotheses", write("system", system), *NO_STOP_WORDS).stderr
    assert told.count(sign) == 1
    with pytest.warns(UserWarning, match=sign):
        docmt.score_consistency([source], [system], rules={"source_stop_words": 0, "target_stop_words": 0})


def test_tokens_are_not_told_nor_is_a_source_of_pieces_whose_chains_are_of_pieces(write):
    pieces = [line.replace("黑", "黑@@ 色") for line in SOURCE]
    for source, rule in ((SOURCE, "chains=words"), (pieces, "chains=pieces")):
        files = ("--source", write("source", source), "--documents", write("names", NAMES), "--rule", rule)
        assert (
            succeed("score-consistency", *files, "--hypotheses", write("system", SYSTEM), *NO_STOP_WORDS).stderr == ""
        )
