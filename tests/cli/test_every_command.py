"""All commands by one grammar: names, options, help, --json, standard input, statuses, completion in three shells."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from helpers.comet_files import write_comet
from helpers.support import ROOT, need
from typer.main import get_command

import docmt
from docmt.base.machine import commit
from docmt.cli.commands import FOR_YOU, STORE, build
from docmt.cli.main import main

USER = {name: module for section in FOR_YOU.values() for name, module in section.items()}
OF_STORE = {name: module for section in STORE.values() for name, module in section.items()}
ALL = [(name,) for name in USER] + [("store", name) for name in OF_STORE]
FOR_PEOPLE = [words for words in ALL if words[0] != "job"]
VERBS = {
    "add",
    "sign",
    "translate",
    "score",
    "init",
    "inspect",
    "import",
    "compare",
    "train",
    "draw",
    "read",
    "align",
    "check",
    "export",
    "list",
    "collect",
    "fetch",
    "write",
    "remove",
    "reproduce",
    "why",
    "status",
    "pull",
    "push",
    "ls",
    "show",
    "du",
    "verify",
    "path",
    "gc",
    "preflight",
    "job",
}
"""What every command begins with; `why`, `path` and `status` are questions, `preflight` is a check, the workflow calls
`job`, and they have no object."""

OPTIONS = {
    "model": "folder",
    "source": "file",
    "hypotheses": "file",
    "reference": "file",
    "documents": "file",
    "output": None,
    "results": "folder",
    "root": "folder",
    "device": "auto",
    "seed": "seed",
    "as_json": "--json",
    "config": "KEY=VALUE",
    "mirror": "folder or URL",
}
"""Options that several commands have: each means the same everywhere."""


def command(*words: str):
    """The command that these words name."""
    group = get_command(build())
    for word in words[:-1]:
        group = group.get_command(None, word)
    return group.get_command(None, words[-1])


def about(words: tuple[str, ...]) -> str:
    """What a command says of itself."""
    module = {"store": OF_STORE}.get(words[0], USER)[words[-1]]
    return inspect.getdoc(getattr(import_module(f"docmt.cli.{module}"), words[-1].replace("-", "_")))


@pytest.fixture
def call(monkeypatch, capsys):
    """Run `docmt` in this process; its status, standard output and standard error."""

    def run(*arguments: str, text: str | None = None) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["docmt", *map(str, arguments)])
        if text is not None:
            reader, writer = os.pipe()
            os.write(writer, text.encode())
            os.close(writer)
            monkeypatch.setattr(sys, "stdin", os.fdopen(reader))
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


words = pytest.mark.parametrize("words", ALL, ids=" ".join)
users = pytest.mark.parametrize("words", FOR_PEOPLE, ids=" ".join)


def test_names_are_a_verb_or_a_verb_and_its_object():
    names = [words[-1] for words in ALL]
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in names)
    assert {name.split("-")[0] for name in names} == VERBS


@words
def test_its_help_is_whole(words, call):
    status, printed, _ = call(*words, "-h")
    assert status == 0
    assert "\u2026" not in printed and not re.search(r"\w\.\.\.$", printed, re.MULTILINE)
    assert " ".join(about(words).split("\n\n")[0].split()) in " ".join(printed.split())
    for parameter in command(*words).params:
        assert parameter.help, f"{parameter.name} has no help"


@words
def test_its_options_mean_what_they_mean_elsewhere(words):
    for parameter in command(*words).params:
        if parameter.name in OPTIONS and OPTIONS[parameter.name] is not None:
            assert "--" in parameter.opts[0], f"{parameter.name} is an option"
            about = f"{parameter.opts} {parameter.metavar} {parameter.help}".lower()
            assert OPTIONS[parameter.name].lower() in about


@words
def test_wrong_calls_end_with_status_2_and_one_message(words, call):
    status, printed, told = call(*words, "--no-such-option")
    assert (status, printed) == (2, "") and "No such option: --no-such-option" in told and "Traceback" not in told


@users
def test_commands_for_people_print_json(words):
    assert "--json" in [option for parameter in command(*words).params for option in parameter.opts]


def test_help_lists_every_command_on_one_line_by_who_uses_it(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = [" ".join(line.split()) for line in call("--help")[1].splitlines()]
    for heading, names in FOR_YOU.items():
        below = lines[lines.index(f"{heading}:") + 1 :]
        assert below[: len(names)] == [f"{name} {about((name,)).splitlines()[0]}" for name in names]


def test_the_version_names_the_commit_of_a_clone(call):
    known = commit()
    of_clone = f", commit {known[:10]}" if known else ""
    assert call("--version")[:2] == (0, f"docmt {docmt.__version__}{of_clone}\n")


def test_a_python_function_has_the_name_of_its_command():
    shared = {name.replace("-", "_") for name in USER} & set(docmt.__all__)
    assert {"score", "compare", "align", "score_consistency", "list_targets"} <= shared


SOURCE = "the cat sees the dog .\nthe dog sees the cat .\n\na cat sleeps .\n"
TARGET = "le chat voit le chien .\nle chien voit le chat .\n\nun chat dort .\n"
REFERENCE = "la chatte voit le chien .\nle chien voit le chat .\n\nun chat dort .\n"
FILES = {
    "source": SOURCE,
    "target": TARGET,
    "reference": REFERENCE,
    "names": "a\na\na\nb\n",
    "vectors": "2 2\nle 1 0\nchat 0 1\n",
    "links": "0-0 1-1\n0-0\n\n0-0\n",
    "pairs.tsv": "source\ttarget\tdocument\nHallo.\tHello.\td\n",
}
CALLS: dict[str, list[str]] = {
    "translate": ["--model", "model", "--source", "{source}", "--documents", "{names}", "--beam", "1"],
    "score-contrastive": ["{items}", "--model", "model"],
    "export-model": ["--model", "model", "--to", "ctranslate2", "--output", "out/model"],
    "score": ["--hypotheses", "{target}", "--reference", "{reference}"],
    "compare": ["--baseline", "{target}", "--hypotheses", "{reference}", "--reference", "{reference}"],
    "score-consistency": [
        *("--source", "{source}", "--hypotheses", "{target}", "--documents", "{names}"),
        *("--rule", "source_stop_words=0"),
    ],
    "score-coherence": ["--hypotheses", "{target}", "--vectors", "{vectors}"],
    "score-cohesion": ["--hypotheses", "{target}", "--model", "bert"],
    "score-comet": [
        *("--source", "{source}", "--hypotheses", "{target}", "--reference", "{reference}"),
        *("--comet-command", f"{sys.executable} {ROOT}/tests/helpers/other_python.py", "--comet-model", "comet"),
    ],
    "train-vectors": ["--text", "{source}", "--output", "out/v.txt", "--rule", "minimum_count=1"],
    "draw-sheet": [
        *("--source", "{source}", "--reference", "{reference}", "--baseline", "{target}"),
        *("--hypotheses", "{reference}", "--output", "out/sheet.csv", "--key", "out/key.json", "--sentences", "1"),
    ],
    "align": ["--source", "{source}", "--target", "{target}"],
    "score-links": ["--gold", "{links}", "--links", "{links}"],
    "init": ["out/study"],
    "add-corpus": ["opus:Books/v1/en-fr", "--output", "out/corpora", "--root", str(ROOT)],
    "check-corpus": ["{pairs.tsv}"],
    "check-catalogue": ["toy_zh-en", "--root", "demo"],
    "fetch-files": ["--root", "demo"],
    "export-corpus": ["toy_zh-en", "--root", "demo", "--output", "out/exported"],
    "preflight": ["demo", "--root", "demo", "--config", "device=cpu"],
    "list-systems": ["--root", "demo"],
    "list-targets": ["--root", "demo", "--kind", "study"],
    "list-trainings": ["--results", "results"],
    "check-findings": ["demo", "--root", "demo"],
    "path": ["demo", "--root", "demo"],
    "why": ["demo", "--root", "demo"],
    "status": ["demo", "--root", "demo"],
    "list-results": ["--root", "demo"],
    "remove-results": ["--root", "demo", "--unused"],
    "collect-scores": ["--root", "demo"],
    "write-crate": ["demo", "--root", "demo", "--output", "out/crate"],
}
"""A good call of each command for people, with {names} of files; those of models with much beside stand elsewhere."""
WITH_TABLE, WITH_LINES, WITH_STREAM = ((name, *CALLS[name]) for name in ("score", "path", "align"))
ELSEWHERE = {"inspect": "decoding", "import-fairseq": "cli", "read-sheets": "scoring", "reproduce": "provenance"} | {
    f"store {name}": "plan" for name in OF_STORE
}
"""Commands whose good calls need more than a few files, by the folder of tests that has them."""


@pytest.fixture
def folder(tmp_path, monkeypatch, example_model, example_bert, finished_demo):
    """The files of CALLS, in the present folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "items").write_text(
        "item\tsource\ttarget\tcorrect\n1\t她笑了。\tShe laughed.\t1\n1\t她笑了。\tHe laughed.\t0\n", encoding="utf-8"
    )
    for name, path in (("model", example_model), ("bert", example_bert), ("demo", finished_demo.root)):
        (tmp_path / name).symlink_to(path)
    write_comet(tmp_path / "comet")
    return tmp_path


def test_every_command_has_a_good_call():
    assert set(CALLS) | set(ELSEWHERE) == set(map(" ".join, FOR_PEOPLE))


def filled(arguments: list[str], dash: str | None = None) -> list[str]:
    """The arguments with names of files, and `-` in the place of the first use of one."""
    names = [argument[1:-1] if argument.startswith("{") else argument for argument in arguments]
    if dash is None:
        return names
    place = arguments.index(f"{{{dash}}}")
    return ["-" if number == place else name for number, name in enumerate(names)]


@pytest.mark.some(12)
@pytest.mark.parametrize("name", CALLS)
def test_json_is_json_and_without_it_text_is_printed(name, folder, call):
    status, plain, told = call(name, *filled(CALLS[name]))
    assert status == 0 and plain, told
    shutil.rmtree(folder / "out", ignore_errors=True)
    status, printed, told = call(name, *filled(CALLS[name]), "--json")
    assert status == 0, told
    assert json.loads(printed) is not None
    with pytest.raises(json.JSONDecodeError):
        json.loads(plain)


@pytest.mark.parametrize("arguments", [("--help",), ("score", "--help"), *(WITH_TABLE, WITH_LINES, WITH_STREAM)])
def test_closed_output_is_one_message(arguments, folder, call, monkeypatch):
    """Standard output is as `main` opens it for a caller who has closed it."""
    with monkeypatch.context() as patch, os.fdopen(os.open(os.devnull, os.O_RDONLY), "w") as output:
        patch.setattr(sys, "stdout", output)
        status, _, told = call(*filled([*arguments]))
    assert status == 2 and "Traceback" not in told
    assert told.count("docmt: standard output: it is closed\n  found ") == 1


DASHES = {name: file[0][1:-1] for name, parts in CALLS.items() if (file := [p for p in parts if p.startswith("{")])}
"""The first file of each command that reads one."""


@pytest.mark.parametrize(("name", "file"), DASHES.items())
def test_a_dash_is_standard_input(name, file, folder, call):
    text = (folder / file).read_text(encoding="utf-8")
    with_file, with_dash = (filled(CALLS[name], dash) for dash in (None, file))
    expected = call(name, *with_file, "--json")
    status, printed, told = call(name, *with_dash, "--json", text=text)
    assert status == 0, told
    named = json.loads(printed.replace("standard input", file))
    assert named == json.loads(expected[1])


@pytest.mark.parametrize("name", ["score", "align"])
def test_standard_input_is_one_file(name, folder, call):
    arguments = ["-" if part.startswith("{") else part for part in CALLS[name]]
    status, printed, told = call(name, *arguments, text="")
    assert (status, printed) == (2, "") and "standard input is one file" in told


@pytest.mark.parametrize(("name", "file"), DASHES.items())
def test_a_missing_file_is_one_message_and_status_2(name, file, folder, call):
    (folder / file).unlink()
    status, printed, told = call(name, *filled(CALLS[name]))
    assert status == 2 and file in printed + told
    assert name == "check-corpus" or (told.startswith("docmt: ") and file in told and "Traceback" not in told)


SHELLS = {
    "bash": """
        source <(docmt --show-completion bash)
        COMP_WORDS=(docmt {words}); COMP_CWORD={last}
        _docmt_completion docmt; printf "%s\\n" "${{COMPREPLY[@]}}"
    """,
    "zsh": """
        compdef() {{ true }}
        _arguments() {{ print -r -- "$@" }}
        eval "$(docmt --show-completion zsh)"
        words=(docmt {words}); CURRENT=$(({last} + 1))
        _docmt_completion
    """,
    "fish": """
        docmt --show-completion fish | source
        complete -C "docmt {words}"
    """,
}
"""How each shell asks for the completions of what was typed; zsh's own functions are those of an interactive shell."""


@pytest.mark.some(3)
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("score-c", {"score-contrastive", "score-consistency", "score-coherence", "score-cohesion", "score-comet"}),
        ("translate --len", {"--length-penalty", "--length-alpha"}),
        ("list-targets --kind sc", {"scores"}),
    ],
)
def test_completion(shell, typed, expected):
    need(shell)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    environment["_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"] = "1"  # --show-completion takes the shell's name
    script = SHELLS[shell].format(words=typed, last=len(typed.split()))
    done = subprocess.run([shell, "-c", script], env=environment, capture_output=True, text=True, timeout=60)
    completions = re.findall(r'(?:^|(?<= ")|(?<=\(\("))([\w-]+)(?="|\t|$)', done.stdout, re.MULTILINE)
    assert set(completions) == expected, done
