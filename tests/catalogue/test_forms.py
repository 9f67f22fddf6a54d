"""What `reader:` of a corpus' file may say, by the forms that there are."""

import dataclasses
import json
import re
import subprocess
import sys
from typing import get_args, get_type_hints

import pytest
from helpers.form_cases import PAIR, SMALLEST

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.catalogue.forms import FORMS, FileReaderConfig, ReaderConfig


def settings(kind: str, **changes: object) -> ReaderConfig:
    return parse(ReaderConfig, {"kind": kind, **SMALLEST[kind], **changes}, "settings.json", ("reader",))


@pytest.mark.parametrize("kind", FORMS)
def test_every_form_has_settings_of_its_name_and_a_reader(kind):
    assert get_args(get_type_hints(FORMS[kind])["kind"]) == (kind,)
    assert {"documents", "items"} & vars(FORMS.module(kind)).keys()


def test_a_form_is_imported_when_it_is_asked_for():
    """And of all of them nothing that only reading needs: planning looks at settings."""
    code = """
import sys
from docmt.catalogue.forms import FORMS
list(FORMS), FORMS["eos"]
print([name for name in sys.modules if name.startswith("docmt.corpus.forms.")])
dict(FORMS)
print({"pyarrow", "tarfile", "xml.sax", "html.parser"} & sys.modules.keys())
"""
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == ["['docmt.corpus.forms.eos']", "set()"]


@pytest.mark.parametrize(
    ("kind", "remedy"),
    [("tabel", "did you mean 'table'?"), ("x", f"valid: {', '.join(FORMS)}"), (["eos"], "did you mean 'eos'?")],
)
def test_an_unknown_form_is_refused(kind, remedy):
    with pytest.raises(UserError) as problem:
        parse(ReaderConfig, {"kind": kind}, "mine.yaml", ("reader",))
    stated = kind if isinstance(kind, str) else repr(kind)
    assert str(problem.value).startswith(f"mine.yaml reader.kind: unknown reader\n  found {stated}\n  {remedy}")


@pytest.mark.parametrize("kind", [kind for kind in FORMS if issubclass(FORMS[kind], FileReaderConfig)])
def test_what_a_form_reads_are_paths_of_its_settings(kind):
    """So that no path is read that was not looked at; parts in braces are filled in."""
    config = settings(kind, archive="a.tgz")
    stated = [path for _, path in config.paths]
    read = {path for paths in config.files_of_splits(("zh", "en")).values() for path in paths}
    pattern = "|".join(re.sub(r"\\{\w+\\}", ".+", re.escape(path)) for path in stated)
    assert stated[0] == "a.tgz" and read and all(re.fullmatch(pattern, path) for path in read)


@pytest.mark.parametrize("kind", FORMS)
def test_settings_come_back_from_json(kind):
    config = settings(kind)
    again = json.loads(json.dumps(dataclasses.asdict(config)))
    assert parse(ReaderConfig, again, "settings.json") == config


def test_readers_of_files_are_found_in_combined_ones():
    inner = {"kind": "combined", "parts": [{"kind": "eos", **SMALLEST["eos"], "archive": "e.zip"}]}
    config = settings("combined", parts=[*SMALLEST["combined"]["parts"], inner])
    readers = [(path, reader.kind, reader.archive) for path, reader in config.readers_of_files(("reader",))]
    assert readers == [
        (("reader", "parts", 1), "lines", None),
        (("reader", "parts", 2, "parts", 0), "eos", "e.zip"),
    ]


def test_every_reader_of_files_has_the_same_options():
    others = {kind for kind, config in FORMS.items() if not issubclass(config, FileReaderConfig)}
    assert others == {"toy", "combined"}


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        ("toy", {"shortest": 5}, "shortest\n  found 5; expected 6 or more (fewer cannot hold every phenomenon)"),
        ("toy", {"shortest": 9, "longest": 8}, "longest\n  found 8; expected shortest (9) or more"),
        ("toy", {"contrastive_items": 5}, "contrastive_items\n  found 5; expected an even number, 2 or more"),
        ("toy", {"distances": [0]}, "distances\n  found [0]; expected one or more, each 1 or more"),
        ("toy", {"dev_documents": 0}, "dev_documents\n  found 0; expected 1 or more"),
        ("verses", {"test": ["Ruth"]}, "test\n  found ['Ruth']; expected books that are not in dev"),
        ("iwslt_xml", {"files": "b.{set}"}, "files\n  found b.{set}; expected a path with {set} and {language} in it"),
        ("iwslt_xml", {"splits": {"tst": []}}, "splits\n  found ['tst']; expected some of train, dev, test"),
        (
            "iwslt_tags",
            {"splits": {"dev": "a"}},
            "splits.dev\n  found a; expected a path with {language} in it",
        ),
        ("files", {"splits": {"dev": PAIR}}, "splits.dev\n  found a.zh; expected a path with {document} in it"),
        ("lines", {"splits": {}}, "splits\n  found nothing; expected some of train, dev, test"),
        ("lines", {"drop_empty": True}, "drop_empty\n  found True; expected another boundary (a blank line already "),
        (
            "lines",
            {"documents": {"offsets": {"dev": "a"}}},
            "documents.offsets\n  found ['dev']; expected the splits: train",
        ),
        (
            "lines",
            {"documents": {}},
            "documents.blank\n  found nothing; expected one of blank: true, marker, opus_tags, offsets, lengths",
        ),
        (
            "lines",
            {"documents": {"blank": True, "marker": "<d>", "at": "end"}},
            "documents.blank\n  found ['blank', 'marker']; expected one of blank: true, marker, opus_tags, offsets",
        ),
        ("lines", {"documents": {"marker": "<d>"}}, "documents.at\n  expected start or end with a marker"),
        ("lines", {"documents": {"blank": True, "at": "end"}}, "documents.at\n  found end; expected start or end with"),
        (
            "nist_sgm",
            {"splits": {"test": {"source": "a", "references": []}}},
            "splits.test.references\n  found nothing; expected one file or more",
        ),
        ("table", {"file": "a.tsv"}, "file\n  found a.tsv; expected a file, or splits, and not both"),
        ("table", {"splits": {}}, "file\n  expected a file, or splits, and not both"),
        ("table", {"split": "part"}, "split\n  found part; expected a column with file, and only with it"),
        (
            "table",
            {"splits": {"dev": "a.xls"}},
            "splits.dev\n  found a.xls; expected a file that ends in .tsv, .csv, .json, .jsonl, .parquet, .ar",
        ),
        ("eos", {"separator": "e o s"}, "separator\n  found e o s; expected a word without spaces"),
        ("voita", {"sets": {}}, "sets\n  found nothing; expected one set or more"),
        ("contrapro", {"sets": {}}, "sets\n  found nothing; expected one set or more"),
        (
            "contrapro",
            {"documents": "all.{language}"},
            "documents\n  found all.{language}; expected a path with {document} in it",
        ),
        ("contrapro", {"context_sentences": -1}, "context_sentences\n  found -1; expected 0 or more"),
        ("contrapro", {"first_segment": 2}, "first_segment\n  found 2; expected 0 or 1"),
        (
            "contrastive_lines",
            {"sets": {"p": "a.trg"}, "details": {}},
            "sets.p\n  found a.trg; expected a path that ends in .current.trg",
        ),
        ("contrastive_lines", {"details": {"q": "q.json"}}, "details\n  found ['q']; expected some of pronouns"),
        ("contrastive_lines", {"context_sentences": -1}, "context_sentences\n  found -1; expected 0 or more"),
        ("combined", {"parts": []}, "parts\n  found nothing; expected one reader or more"),
    ],
)
def test_what_reader_settings_may_not_say(kind, changes, message):
    with pytest.raises(UserError) as problem:
        settings(kind, **changes)
    where, _, facts = message.partition("\n")
    assert str(problem.value).startswith(f"settings.json reader.{where}: value not allowed\n{facts}")
