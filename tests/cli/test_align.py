"""`docmt align`, `docmt score-links` and `docmt job aligner`."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.command_line import succeed
from helpers.recipes import write_recipe

from docmt.base.columns import TOKENS
from docmt.base.errors import UserError
from docmt.base.tables import write_arrow
from docmt.scoring import corpus_aligner as workflow
from docmt.scoring.alignment.links import HEURISTICS, AlignedLines, DirectedLinks, pharaoh_line
from docmt.scoring.alignment.model import AlignmentModel
from docmt.scoring.alignment.programs import AwesomeAlign, Eflomal
from docmt.scoring.alignment.training import ALIGNER_NAME, DefaultAligner, align, train
from docmt.scoring.chain_scores import ChainCorpus
from docmt.settings.scoring import AlignerConfig

SOURCE = ["das haus", "das buch ist alt", "ein buch", "", "haus"] * 3
TARGET = ["the house", "old is the book", "a book", "nothing", "house"] * 3
MORE = ["ein altes haus", "ein altes buch"] * 4, ["an old house", "an old book"] * 4


@pytest.fixture
def write(tmp_path) -> Callable[..., Path]:
    def write(name: str, lines: list[str], end: str = "\n") -> Path:
        (tmp_path / name).write_bytes("".join(line + end for line in lines).encode())
        return tmp_path / name

    return write


@pytest.fixture
def text(write) -> list[str | Path]:
    return ["--source", write("source", SOURCE), "--target", write("target", TARGET, "\r\n")]


@pytest.fixture
def more(write) -> list[str | Path]:
    return ["--train-source", write("more.source", MORE[0]), "--train-target", write("more.target", MORE[1])]


def lines(heuristic: str, *arguments) -> str:
    return "".join(pharaoh_line(HEURISTICS[heuristic](aligned)) + "\n" for aligned in align(*arguments))


def test_text_alone_is_aligned_and_the_signature_said(text):
    done = succeed("align", *text)
    assert done.stdout == lines("grow-diag-final-and", SOURCE, TARGET)
    assert done.stdout.count("\n") == len(SOURCE)
    assert done.stderr == f"aligner:{ALIGNER_NAME}|symmetrise:grow-diag-final-and\n"


@pytest.mark.parametrize("heuristic", list(HEURISTICS))
def test_each_heuristic_can_be_asked_for(heuristic, text):
    done = succeed("align", *text, "--symmetrise", heuristic)
    assert done.stdout == lines(heuristic, SOURCE, TARGET)
    assert done.stderr.endswith(f"|symmetrise:{heuristic}\n")


def test_more_text_is_learnt_from_and_a_file_gets_the_same_bytes(text, more, tmp_path):
    expected = lines("forward", SOURCE, TARGET, train(*MORE))
    for name in ("one", "two"):
        assert succeed("align", *text, *more, "--symmetrise", "forward", "--output", tmp_path / name).stdout == ""
        assert (tmp_path / name).read_bytes() == expected.encode()


def test_other_aligners_are_called_with_what_they_need(text, more, monkeypatch):
    """The training text goes to eflomal, the folder to awesome-align, whose links stay as they are."""
    called = []

    def fixed_links(aligner, source, target):
        called.append(aligner)
        return AlignedLines([DirectedLinks.symmetric(frozenset({(1, 0), (0, 0)}))], "made up")

    for kind in (Eflomal, AwesomeAlign):
        monkeypatch.setattr(kind, "align", fixed_links)
    eflomal = succeed("align", *text, *more, "--aligner", "eflomal")
    awesome = succeed("align", *text, "--aligner", "awesome-align", "--model", "folder")
    assert called == [Eflomal(*map(tuple, MORE)), AwesomeAlign(Path("folder"))]
    assert eflomal.stdout == awesome.stdout == "0-0 1-0\n"
    assert (eflomal.stderr, awesome.stderr) == (
        "aligner:made up|symmetrise:grow-diag-final-and\n",
        "aligner:made up\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--aligner", "awesome-align"), "--model: awesome-align needs a model\n  expected the folder of a BERT"),
        (
            ("--aligner", "eflomal", "--model", "x"),
            "--model: eflomal takes no model: it learns from the text alone\n  found x",
        ),
        (("--model", "x", "more"), "--train-source: a trained model does not learn from more text\n  leave out "),
        (("--train-source", "x"), "--train-source, --train-target: training text needs both sides"),
        (
            ("--aligner", "awesome-align", "--model", "x", "--symmetrise", "union"),
            "--symmetrise: awesome-align makes a single set of links\n  found union",
        ),
        (("--model", "x"), "lexicon.arrow: file not found"),
    ],
    ids=["no model", "eflomal", "both", "one side", "symmetrise", "no folder"],
)
def test_what_does_not_go_together_is_refused(arguments, message, text, more):
    given = [part for argument in arguments for part in (more if argument == "more" else [argument])]
    with pytest.raises(UserError) as refused:
        succeed("align", *text, *given)
    assert message in str(refused.value)


def test_lines_must_correspond(text, write):
    with pytest.raises(UserError, match=r"short: a different number of lines\n  found 2; expected 15, as in .*source"):
        succeed("align", *text[:2], "--target", write("short", TARGET[:2]))


def test_the_error_rate_as_a_table_and_as_json(write):
    gold, links = write("gold", ["1-1 2-2 2p3", ""]), write("found", ["0-0 1-2 2-2", "0-0"])
    head, row = succeed("score-links", "--gold", gold, "--links", links, "--gold-starts-at-1").stdout.splitlines()
    assert head.split() == ["precision", "recall", "aer", "links", "sure", "possible", "sentences"]
    assert row.split() == ["50.00", "50.00", "50.00", "4", "2", "3", "2"]
    quality = json.loads(
        succeed("score-links", "--gold", gold, "--links", links, "--gold-starts-at-1", "--json").stdout
    )
    assert quality == dict(zip(head.split(), (50, 50, 50, 4, 2, 3, 2), strict=True))
    assert succeed("score-links", "--gold", write("none", [""]), "--links", write("none", [""])).stdout.split()[7:] == [
        "-"
    ] * 3 + list("0001")


def test_the_error_rate_needs_as_many_lines(write):
    with pytest.raises(UserError, match=r"found: a different number of lines\n  found 1; expected 2, as in .*gold"):
        succeed("score-links", "--gold", write("gold", ["1-1", ""]), "--links", write("found", ["0-0"]))


@pytest.fixture
def tokens(tmp_path) -> Path:
    """Training lines, whose pieces differ from their words, and a test line."""
    train_rows = [
        {
            "split": "train",
            "source_tokens": source,
            "source_pieces": source.replace("haus", "ha@@ us"),
            "target_tokens": target,
        }
        for source, target in zip(SOURCE, TARGET, strict=True)
    ]
    rows = [*train_rows, {**train_rows[0], "split": "test", "target_tokens": "test"}]
    write_arrow(tmp_path / "tokens.arrow", pa.Table.from_pylist(rows, TOKENS))
    return tmp_path


@pytest.mark.parametrize("unit", ["words", "pieces"])
def test_the_workflow_trains_on_the_training_split(unit, tokens, text):
    words = write_recipe(tokens / "aligner", "aligner", {"source": unit}, {"tokens": tokens})
    succeed(*words)
    source = [line.replace("haus", "ha@@ us") for line in SOURCE] if unit == "pieces" else SOURCE
    train(source, TARGET).save(tokens / "expected")
    for name in ("lexicon.arrow", "jumps.json"):
        assert (Path(words[-1]) / name).read_bytes() == (tokens / "expected" / name).read_bytes()
    model = AlignmentModel.load(tokens / "expected")
    printed = succeed("align", *text, "--model", words[-1]).stdout
    assert printed == lines("grow-diag-final-and", SOURCE, TARGET, model)


def test_of_a_large_corpus_every_so_many_th_pair_is_enough(monkeypatch):
    """Pairs of two words have four possible links each."""
    source, target = [[f"{side}{n} {side}" for n in range(10)] for side in "st"]
    for most, step in ((40, 1), (39, 2), (20, 2), (19, 3), (1, 40)):
        monkeypatch.setattr(workflow, "MOST_LINKS", most)
        assert workflow.thin_pairs(source, target) == (source[::step], target[::step])


def test_settings_choose_the_aligner_of_the_workflow(tmp_path):
    corpus = ChainCorpus(source=["a"], target=["b"], source_words=["a"], documents=[], test_source=[])
    train(*MORE).save(tmp_path)
    default = workflow.corpus_aligner(AlignerConfig(), tmp_path, corpus)
    assert isinstance(default, DefaultAligner)
    assert default.align(SOURCE, TARGET).lines == align(SOURCE, TARGET, train(*MORE))
    assert workflow.corpus_aligner(AlignerConfig("eflomal"), None, corpus) == Eflomal(["a"], ["b"])
    assert workflow.corpus_aligner(AlignerConfig("awesome-align", "x"), Path("x"), corpus) == AwesomeAlign(Path("x"))
    with pytest.raises(
        UserError, match="--aligner: the folder of the aligner is not given\n  expected that of default"
    ):
        workflow.corpus_aligner(AlignerConfig(), None, corpus)
