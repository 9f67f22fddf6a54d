"""Command lines that no command can obey: each ends with status 2 and one message, and leaves nothing behind."""

import os
import shlex
import sys
from pathlib import Path

import pytest
from helpers.comet_files import weights_of_comet
from helpers.refusals import refused
from helpers.support import ROOT, copy_project, keep_studies, run

from docmt.base.errors import printable
from docmt.cli.commands import FOR_YOU, STORE

FILES = {
    "text": b"one two\nthree\n\nfour five\n",
    "other": b"eins zwei\ndrei\n\nvier\n",
    "short": b"one two\n",
    "empty": b"",
    "binary": bytes(range(256)),
    "links": b"0-0 1-1\n0-0\n\n0-0\n",
    "list.json": b"[1]",
    "vectors": b"2 2\none 1 0\ntwo 0 1\n",
    "pairs.tsv": b"one\teins\n",
    "comet/hparams.yaml": b"",
    "comet/checkpoints/model.ckpt": weights_of_comet(),
}
"""What stands in the folder of a call, beside the empty folder `folder`."""


@pytest.fixture(scope="session")
def few_studies(tmp_path_factory) -> Path:
    """A project without results; of all studies it has the two that calls nearly name."""
    return keep_studies(copy_project(tmp_path_factory.mktemp("few") / "project"), "demo", "lexical-chains").root


@pytest.fixture
def place(tmp_path, monkeypatch, few_studies) -> Path:
    """The folder in which a command is called."""
    monkeypatch.setitem(WORDS, "ROOT", str(few_studies))
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("DOCMT_DEBUG", "DOCMT_MIRROR", "DOCMT_LOCAL", "DOCMT_DEVICE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


WORDS = {
    "CLONE": str(ROOT),
    "COMET": "score-comet --source text --hypotheses text --reference text --comet-command no-such-program",
    "CONSISTENCY": "score-consistency --source text --hypotheses other",
    "SHEET": "draw-sheet --baseline other --hypotheses other --output o.csv --key o.json",
    "IMPORT": "import-fairseq --checkpoint binary --source-dictionary text --target-dictionary text "
    "--source-language en --target-language de",
}
"""What words of the calls stand for, beside ROOT."""

CALLS = (
    # Files that are not what they should be.
    ("score --hypotheses nowhere --reference text", "docmt: nowhere: file not found"),
    ("score --hypotheses folder --reference text", "'--hypotheses': file 'folder' is a directory"),
    (
        "score --hypotheses short --reference text",
        "short: a different number of lines\n  found 1; expected 4, as in text",
    ),
    ("score --hypotheses empty --reference empty", "empty: no sentences"),
    ("score --hypotheses binary --reference text", "binary"),
    ("score --hypotheses text --reference text --documents short", "short: a different number of lines"),
    ("score-consistency --source text --hypotheses short", "short: a different number of lines"),
    ("CONSISTENCY --links text", "docmt: text:1: "),
    ("CONSISTENCY --links links --links links", "docmt: "),
    ("align --source text --target binary --output o", "binary"),
    ("align --source text --target other --model text --output o", "'--model': dir 'text' is a file"),
    ("score-links --gold links --links short", "short"),
    ("score-links --gold text --links links", "text:1: "),
    ("score-coherence --hypotheses text --vectors text", "text"),
    ("score-cohesion --hypotheses text --model nowhere", "nowhere"),
    ("score-cohesion --hypotheses text --model folder", "folder"),
    ("score-comet --source text --hypotheses text --reference text --comet-command x", "'--comet-model'"),
    ("COMET --comet-model nowhere", "nowhere/hparams.yaml: file not found"),
    ("COMET --comet-model comet --comet-encoder folder", "folder/config.json: file not found"),
    ("COMET --comet-model comet", "scoring.comet: the program cannot be started"),
    ('COMET --comet-model comet --comet-command "\'"', "--comet-command: not a command line"),
    ("train-vectors --text binary --output o", "binary"),
    ("inspect --model nowhere --view . --chains . --output o", "nowhere: no trained model is in this folder"),
    ("inspect --model folder --view text --chains . --output o", "'--view': dir 'text' is a file"),
    ("score-contrastive pairs.tsv --model folder", "folder: no trained model is in this folder"),
    ("IMPORT --output o", "binary"),
    ("check-corpus text", "text"),
    ("SHEET --source text --reference short", "docmt: "),
    ("job folder --part a.tgz", "folder/job.json: file not found"),
    ("read-sheets text --key list.json", "list.json"),
    ("score-links --gold empty --links empty", "empty: no sentences"),
    # Standard input, which is one file, and here an empty one.
    ("score --hypotheses - --reference -", "-: standard input is one file\n  found 2 times -; expected once"),
    ("translate --model folder --documents -", "-: standard input is one file"),
    (
        "score --hypotheses - --reference text",
        "docmt: standard input: a different number of lines\n  found 0; expected 4",
    ),
    # Values that no option has.
    ("compare --baseline text --hypotheses text --reference text --test t", "'--test'"),
    ("CONSISTENCY --rule match=nonsense", "--rule match: unknown name\n  found nonsense"),
    ("CONSISTENCY --rule match", "--rule: not a key with a value\n  found match; expected KEY=VALUE"),
    ("CONSISTENCY --rule target_stop_lists=x", "found target_stop_lists\n  use --target-stop-list"),
    ("CONSISTENCY --rule mach=exact", "did you mean 'match'?"),
    (
        "CONSISTENCY --rule similarity=.nan",
        "--rule similarity: not a finite number\n  found nan; expected a finite number",
    ),
    ("CONSISTENCY --rule source_stop_words=-1", "--rule source_stop_words: value not allowed"),
    ("CONSISTENCY --aligner mine", "--aligner: the option names the aligner of the files --links"),
    ("align --source text --target other --aligner awesome-align", "--model: awesome-align needs a model"),
    (
        "score-contrastive pairs.tsv --model folder --form nonsense",
        "'--form': 'nonsense' is not one of 'contrapro', 'lines', 'table', 'discevalmt', 'voita'.",
    ),
    ("check-catalogue ted_zh-em --root ROOT", "unknown corpus"),
    ("add-corpus opus:Books --output o --root ROOT", "opus:Books: not the address of a corpus"),
    ("add-corpus opus:Books/v1/en-fr --dev wmt23 --output o --root ROOT", "wmt23: unknown place of corpora"),
    ("add-corpus opus:Books/v1/en-fr --name a/b --output o --root ROOT", "not a name of a corpus"),
    ("list-targets --study lexical --root ROOT", "unknown study\n  found lexical"),
    ("check-findings lexical --root ROOT", "unknown target\n  found lexical"),
    ("path lexical --root ROOT", "unknown target\n  found lexical"),
    ("remove-results results/nowhere --root ROOT", "no results are here"),
    ("list-systems --root folder", "folder/config.yaml: file not found"),
    ("preflight --gpu --device gpu", "'--device'"),
    (
        "export-corpus toy_zh-em --output o --root ROOT",
        "unknown corpus\n  found toy_zh-em\n  did you mean 'toy_zh-en'?",
    ),
    ("export-corpus toy_zh-en --output o --form csv --root ROOT", "'--form'"),
    ("export-corpus toy_zh-en --output o --root ROOT", "snakemake has not made this folder yet"),
    ("list-trainings --results nowhere", "nowhere: folder not found"),
    ("export-model --model folder --to onnx --output o", "'--to'"),
    ("export-model --model folder --to huggingface --output o", "folder: no trained model is in this folder"),
    ("list-targets --study demo --kind table --root ROOT", "'--kind'"),
    ("list-targets --state missing --root ROOT", "'--state'"),
    ("list-targets --config scale --root ROOT", "--config: not a key with a value\n  found scale; expected KEY=VALUE"),
    ("list-targets --config scale=smoke seeds=none --root ROOT", "seeds"),
    (
        "preflight demo --root ROOT --config scale",
        "--config: not a key with a value\n  found scale; expected KEY=VALUE",
    ),
    ("preflight demo --profile", "'--profile' requires an argument"),
    ("why nothing --root ROOT", "unknown target\n  found nothing; expected all, a study"),
    ("list-results results --root ROOT", "PATH needs --verify"),
    ("list-results --verify elsewhere --root ROOT", "elsewhere: no finished results are here"),
    ("reproduce nothing --root ROOT", "unknown target\n  found nothing; expected all, a study"),
    ("reproduce demo --cores 0 --root ROOT", "'--cores'"),
    ("reproduce demo --folder text --root ROOT", "'--folder': dir 'text' is a file"),
    ("reproduce demo --crate text", "text: archive is damaged or truncated"),
    ("reproduce demo --crate folder", "folder/ro-crate-metadata.json: file not found"),
    ("store pull demo --root ROOT", "config.yaml: no store is named"),
    ("store push demo --root ROOT --config store=ftp://host", "not an address of a store"),
    ("store ls --root ROOT", "config.yaml: no store is named"),
    ("store ls --root ROOT --config store=missing", "missing: the folder of the store is not there"),
    ("store du --root ROOT --config store=missing", "missing: the folder of the store is not there"),
    ("store show 1234abcd --root ROOT --config store=folder", "folder: "),
    ("store verify zz --root ROOT --config store=missing", "missing: the folder of the store is not there"),
    ("store gc --older-than -1 --root ROOT", "'--older-than'"),
    ("store sign --key text --root ROOT --config store=folder", "it is not clear which artifacts are meant"),
    ("store sign --key text --all --root ROOT", "config.yaml: no store is named"),
    ("collect-scores --root folder", "config.yaml"),
    ("write-crate nothing --output o --root ROOT", "unknown target\n  found nothing; expected all, a study"),
    ("write-crate demo --output folder --date soon --root ROOT", "'soon' does not match the format"),
    ("write-crate demo --output . --root ROOT", "the output is there already, and is no crate"),
    ("score --hypotheses text --reference text --family 13b", "unknown family of BLEU\n  found 13b"),
    ("validate", "unknown command\n  found validate"),
    ("score --hypothesis text --reference text", "No such option"),
    ("score --hypotheses text --reference text --target-language chinese", "'chinese' is not a code of a language"),
    # Numbers out of range.
    ("translate --model folder --n-best -1", "'--n-best'"),
    ("translate --model folder --n-best 9 --beam 5", "--n-best 9 is more than --beam 5"),
    ("translate --model folder --engine marian", "'--engine'"),
    ("translate --model folder --beam 1000000000", "'--beam'"),
    ("translate --model folder --threads 1000000000", "'--threads'"),
    ("translate --model folder --batch-tokens 1e3", "'--batch-tokens'"),
    ("SHEET --source text --reference text --sentences 0", "'--sentences'"),
    (
        "SHEET --source text --reference text --sentences 5",
        "more sentences than there are\n  found 5; expected at most 3",
    ),
    ("SHEET --source text --reference text --seed -1", "'--seed'"),
    ("train-vectors --text text --output o --rule seed=4294967296", "--rule seed"),
    ("train-vectors --text text --output o --rule dimensions=1000000000", "--rule dimensions"),
    ("status --root folder", "config.yaml: file not found"),
    ("status demo_of_others --root ROOT", "unknown target\n  found demo_of_others"),
    ("init .", "docmt: .: the output is there already"),
    ("init CLONE", "a study folder is outside the clone"),
    ("fetch-files none", "unknown set of files"),
    ("fetch-files --output models", "--output is for one set"),
    # Outputs that cannot be, or would destroy something.
    ("align --source text --target other --output folder", "'--output': file 'folder' is a directory"),
    ("export-model --model folder --to huggingface --output folder", "folder: --model and --output are the same"),
    (
        "align --source text --target other --output text/o",
        "text: not a folder\n  found a file; expected the folder of --output",
    ),
    ("align --source text --target other --output ./text", "text: --source and --output are the same"),
    (
        "draw-sheet --source text --reference text --baseline text --hypotheses other --output o --key o",
        "o: --key and --output are the same",
    ),
    ("IMPORT --output .", "the output is there already"),
)
"""Command lines, and what their message says."""

SLOW = "score-cohesion"
"""Imports transformers."""

NAMES = ("no where", "$(touch o)`touch o`;'\"", "no\nwhere", "\u202eטקסט", "t*t", "~", "--output", "a" * 200)
"""Of files that are not there: what a shell, a terminal or a pattern would make of them does not count."""


@pytest.mark.parametrize(
    ("call", "message"),
    [pytest.param(*row, marks=pytest.mark.slow) if row[0].startswith(SLOW) else row for row in CALLS],
)
def test_a_call_that_cannot_be_obeyed_is_refused_in_one_message(place, monkeypatch, capsys, call, message):
    assert message in refused(arguments_of(call), monkeypatch, capsys)


def arguments_of(call: str) -> list[str]:
    return shlex.split(" ".join(WORDS.get(word, word) for word in call.split(" ")))


def test_every_command_is_called():
    called = [arguments_of(call) for call, _ in CALLS]
    of_store = [words[1] for words in called if words[0] == "store"]
    for sections, names in ((FOR_YOU, [words[0] for words in called]), (STORE, of_store)):
        assert {name for section in sections.values() for name in section} <= set(names)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_taken_as_they_are(place, monkeypatch, capsys, name):
    arguments = ["score", f"--hypotheses={name}", "--reference", "text"]
    escaped = printable(name, breaks="")
    assert refused(arguments, monkeypatch, capsys) == f"docmt: {escaped}: file not found\n  check the path\n"


def test_standard_input_that_is_not_utf_8_is_refused_before_a_model_is_loaded(place, monkeypatch, capsys):
    message = refused(["translate", "--model", "nowhere"], monkeypatch, capsys, given=b"one\n\xff\n")
    assert "docmt: standard input:2: not valid UTF-8" in message


def test_the_program_itself_refuses_as_its_function_does(place):
    """Also a name that is not UTF-8, which its standard error can show."""
    docmt = Path(sys.executable).parent / "docmt"
    done = run([docmt, "score", "--hypotheses", os.fsdecode(b"\xff"), "--reference", "text"], cwd=place)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "docmt: \\udcff: file not found\n  check the path\n")
